"""A seat over ssh has no part in the dice. The table says so, the log can be checked, and the verdict tells."""

import random

import pytest

from dicegames_protocol.messages.client import Join, Ready, Start
from dicegames_protocol.messages.server import Ack, Joined
from dicegames_server.audit.audit import verdict
from fair.tables import FairTable

pytestmark = pytest.mark.usefixtures("luck")


async def test_a_game_with_a_seat_over_ssh() -> None:
    table = await FairTable.open("farkle", "ana")
    cy = await table.hall.peer()
    cy.link.over_ssh = True
    await cy.join(table.room, "cy")
    table.peers.append(cy)
    ana = table.peers[0]
    ana.drain()
    assert ana.store.table["seats"]["1"]["over_ssh"] is True
    assert "over_ssh" not in ana.store.table["seats"]["0"]
    await ana.expect(Ack, Start(id="start"))
    assert ana.store.table["fair"]["without"] == [1]
    await table.play(random.Random(1))
    checks = await table.checks()
    assert all(check.ok for check in checks), [check for check in checks if not check.ok]
    found, reasons = verdict(checks)
    assert found == "not proven" and any("cy (over ssh)" in reason for reason in reasons)


async def test_who_says_to_play_over_ssh_has_no_part_in_the_dice() -> None:
    """Anybody may say so. Then it is true, whatever tips they send."""
    table = await FairTable.open("farkle", "ana")
    cy, tip = await table.hall.peer(), "ab" * 32
    cy.link.over_ssh = True
    await cy.expect(Joined, Join(id="join", room=table.room, name="cy", commit=tip))
    await cy.expect(Ack, Ready(id="ready", commit=tip))
    table.peers.append(cy)
    ana = table.peers[0]
    await ana.expect(Ack, Start(id="start"))
    fair = ana.store.table["fair"]
    assert (fair["without"], fair["committee"]) == ([1], [0])
    checks = await table.checks()
    assert all(check.ok for check in checks)


async def test_who_comes_back_another_way_is_told_and_the_old_tip_is_void() -> None:
    table = await FairTable.open("farkle", "ana", "bo")
    ana, bo = table.peers
    assert ana.store.table["seats"]["1"].get("commit")
    await bo.drop()
    again = await table.hall.peer()
    again.link.over_ssh = True
    await again.resume(bo)
    ana.drain()
    assert ana.store.table["seats"]["1"]["over_ssh"] is True
    assert "commit" not in ana.store.table["seats"]["1"]
    assert {"kind": "over_ssh", "seat": 1, "on": True} in ana.events()
    await again.drop()
    home = await table.hall.peer()
    await home.resume(again)
    ana.drain()
    assert "over_ssh" not in ana.store.table["seats"]["1"]
    checks = await table.checks()
    assert all(check.ok for check in checks)
