"""Who a player is: proven by a signature, the same however the server is spelled, and on every linked device."""

import hashlib
import secrets
from typing import Any

import pytest

from dicegames_protocol.messages.client import AskHistory, Hello, Identify, Link
from dicegames_protocol.messages.server import Error, History, Identified, LinkCode, Welcome
from dicegames_protocol.network.identity import (
    address_binding,
    certificate_binding,
    player_seed,
    player_statement,
    server_statement,
)
from dicegames_protocol.network.signatures import Signer, is_signed
from dicegames_server.lobby.address_limits import LINKS_PER_MINUTE
from dicegames_server.storage.base import Entry, Result, append
from support.hall import DurableMemory, Hall, Peer

CERTIFICATE = certificate_binding("ab" * 32)


async def greeted(hall: Hall, binding: str = "") -> tuple[Peer, Welcome, str]:
    peer, challenge = Peer(hall), secrets.token_hex(32)
    peer.link.binding = binding
    return peer, await peer.expect(Welcome, Hello(protocol=(3, 3), client="test", challenge=challenge)), challenge


def proof(welcome: Welcome, who: str, **changes: Any) -> Identify:
    signer = Signer(player_seed(who.encode(), welcome.id))
    told = {"server": welcome.id, "asked": welcome.challenge, "binding": "", **changes}
    return Identify(
        id="i",
        key=signer.key,
        binding=told["binding"],
        proof=signer.sign(player_statement(told["server"], told["asked"], told["binding"])),
    )


async def test_a_server_proves_its_id_to_whoever_asks() -> None:
    hall = Hall()
    _, welcome, challenge = await greeted(hall, CERTIFICATE)
    assert welcome.id == hall.lobby.identity.id
    assert is_signed(welcome.id, server_statement(welcome.id, challenge, welcome.challenge, ""), welcome.proof)
    assert is_signed(welcome.id, server_statement(welcome.id, challenge, welcome.challenge, CERTIFICATE), welcome.bound)
    for binding in (certificate_binding("cd" * 32), address_binding("192.168.1.66", 8765)):
        other = server_statement(welcome.id, challenge, welcome.challenge, binding)
        assert not is_signed(welcome.id, other, welcome.bound)  # somebody in between has another one
    silent = await Peer(hall).expect(Welcome, Hello(protocol=(3, 3), client="test"))
    assert (silent.id, silent.proof, silent.challenge) == (hall.lobby.identity.id, "", "")


async def test_a_player_is_who_holds_the_key() -> None:
    hall = Hall()
    players = set()
    for who in ("ana", "ana", "bo"):
        peer, welcome, _ = await greeted(hall)
        players.add((await peer.expect(Identified, proof(welcome, who))).player)
        assert peer.link.player in players
    assert len(players) == 2


@pytest.mark.parametrize(
    "changes",
    [{"asked": "c" * 64}, {"server": "d" * 64}, {"key": "e" * 64}, {"proof": "0" * 128}],
    ids=["another challenge", "another server", "another key", "no signature"],
)
async def test_a_proof_for_something_else_is_none(changes: dict[str, str]) -> None:
    hall = Hall()
    peer, welcome, _ = await greeted(hall)
    signed = {name: value for name, value in changes.items() if name in ("asked", "server")}
    message = proof(welcome, "ana", **signed).but(**{k: v for k, v in changes.items() if k not in signed})
    assert (await peer.refused(message)).code == "unauthorized"
    assert peer.link.player is None
    again = await peer.refused(proof(welcome, "ana"))  # a challenge is good for one try
    assert again.code == "bad_message" and peer.link.player is None


async def test_what_somebody_in_between_passes_on_is_refused() -> None:
    """They show their own certificate to the player, and the player has signed for that one."""
    hall = Hall()
    peer, welcome, _ = await greeted(hall, CERTIFICATE)
    for binding in ("", certificate_binding("cd" * 32)):
        peer, welcome, _ = await greeted(hall, CERTIFICATE)
        assert "in between" in (await peer.refused(proof(welcome, "ana", binding=binding))).message
    peer, welcome, _ = await greeted(hall, CERTIFICATE)
    assert await peer.expect(Identified, proof(welcome, "ana", binding=CERTIFICATE))


async def test_without_a_challenge_nobody_can_say_who_they_are() -> None:
    hall = Hall()
    peer = await hall.peer()
    assert (await peer.refused(Identify(id="i", key="a" * 64, proof="0" * 128))).code == "bad_message"
    assert (await peer.refused(Link(id="l"))).code == "unauthorized"
    assert (await peer.refused(Link(id="l", code="AAAA-AAAA"))).code == "unauthorized"


async def test_a_code_makes_another_device_the_same_player() -> None:
    hall = Hall(storage=DurableMemory())
    laptop, phone, thief = await hall.peer("laptop"), await hall.peer("phone"), await hall.peer("thief")
    shown = await laptop.expect(LinkCode, Link(id="l"))
    linked = await phone.expect(Identified, Link(id="l", code=shown.code.lower().replace("-", " ")))
    assert linked.player == laptop.link.player == phone.link.player
    assert (await thief.refused(Link(id="l", code=shown.code))).code == "wrong_password"
    again = await hall.peer("phone")  # and the next time, too
    assert again.link.player == laptop.link.player
    assert await again.expect(History, AskHistory(id="h"))


async def test_codes_can_not_be_guessed_for_long() -> None:
    hall = Hall(failed_joins_per_minute=3)
    laptop, thief = await hall.peer("laptop"), await hall.peer("thief")
    shown = await laptop.expect(LinkCode, Link(id="l"))
    for _ in range(3):
        assert (await thief.refused(Link(id="g", code="AAAA-AAAA"))).code == "wrong_password"
    assert (await thief.refused(Link(id="g", code=shown.code))).code == "rate_limited"


async def test_codes_are_not_given_without_end() -> None:
    """Each is kept in storage for ten minutes, and a new identity costs nothing."""
    hall = Hall()
    for number in range(LINKS_PER_MINUTE):
        assert await (await hall.peer(f"{number}")).expect(LinkCode, Link(id="l"))
    assert (await (await hall.peer("one more")).refused(Link(id="l"))).code == "rate_limited"


async def test_keys_of_an_older_kind_are_taken_over() -> None:
    """They were texts that a client sent as they were: who knew one was the player."""
    hall = Hall(storage=DurableMemory())
    bearer, players = "ab" * 32, hall.environment.storage.players
    old = Result(hashlib.sha256(bearer.encode()).hexdigest(), "KQ7M", "doubles", 1, 0, "ana", 5, True, (), {})
    await hall.environment.storage.open("KQ7M")
    await append(hall.environment.storage, Entry("KQ7M", 1, 1, b"{}", b"{}", (old,)))
    peer, welcome, _ = await greeted(hall)
    message = proof(welcome, "ana").but(former=(bearer, "cd" * 32))
    assert await peer.expect(Identified, message)
    assert len((await peer.expect(History, AskHistory(id="h"))).games) == 1
    nobody = hashlib.sha256(("cd" * 32).encode()).hexdigest()
    assert await players.player_of(nobody) == nobody  # nothing is kept about keys that nobody has used
    assert await players.player_of(hashlib.sha256(bearer.encode()).hexdigest()) == peer.link.player


async def test_what_is_said_before_is_an_error_and_not_the_end() -> None:
    peer = Peer(Hall())
    await peer.tell(Link(id="l"))
    error = peer.seen[-1]
    assert isinstance(error, Error) and error.message == "Say hello first."
