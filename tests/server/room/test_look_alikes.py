"""Nobody can pass for somebody else at the table: neither by letters that look alike, nor from the side."""

import pytest

from dicegames_protocol.messages.client import Chat, Join, Sit, Watch
from dicegames_protocol.messages.server import Ack, Joined, Said
from dicegames_protocol.text import same_name
from support.hall import Hall


@pytest.mark.parametrize(
    "name",
    [
        "anna",
        "Anna",
        "\u0430nna",  # Cyrillic
        "\u0410nna",
        "\u0251nna",  # the IPA's open a
        "\uff41nna",  # full width
        "a\u0578\u0578a",  # Armenian
        "\u1d00nna",  # a small capital is another letter for some fonts, and the same for others
    ],
)
def test_names_that_look_alike(name: str) -> None:
    assert same_name("anna", name) == (name != "\u1d00nna")


@pytest.mark.parametrize(("one", "other"), [("anna", "hanna"), ("bo", "ba"), ("ana", "\u00e1na"), ("\u5b89", "\u5b88")])
def test_names_that_do_not(one: str, other: str) -> None:
    assert not same_name(one, other)


@pytest.mark.parametrize(("one", "other"), [("torn", "tom"), ("bil1", "bill")])
def test_letters_that_make_another_together(one: str, other: str) -> None:
    assert same_name(one, other)


async def test_a_look_alike_gets_no_seat() -> None:
    hall = Hall()
    anna, eve = await hall.peer(), await hall.peer()
    room = (await anna.create("doubles", "anna")).room
    refused = await eve.refused(Join(id="1", room=room, name="\u0430nna"))
    assert refused.code == "name_taken"
    await eve.watch(room)
    assert (await eve.refused(Sit(id="2", name="\u0251nna"))).code == "name_taken"


async def test_a_spectator_does_not_speak_under_the_name_of_a_player() -> None:
    hall = Hall()
    anna, eve, bo = await hall.peer(), await hall.peer(), await hall.peer()
    room = (await anna.create("doubles", "anna")).room
    await eve.expect(Joined, Watch(id="1", room=room, name="\u0430nna"))
    await bo.expect(Joined, Watch(id="1", room=room, name="bo"))
    for peer in (eve, bo):
        await peer.expect(Ack, Chat(id="2", text="I give up"))
    anna.drain()
    assert [said.name for said in anna.seen if isinstance(said, Said)] == ["a spectator", "bo"]
    cy = await hall.peer()
    await cy.join(room, "b\u043e")  # Cyrillic: a player, who keeps the name
    await bo.expect(Ack, Chat(id="3", text="and I"))
    anna.drain()
    assert [said.name for said in anna.seen if isinstance(said, Said)][-1] == "a spectator"
