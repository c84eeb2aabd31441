"""Which servers get a password without a question: as a table, and what is asked for the others."""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from dicegames_client.base.address import Address, parse_address
from dicegames_client.base.errors import ClientError
from dicegames_client.base.state.saved_state import HeldSeat
from dicegames_client.enter.finding import from_memory
from dicegames_client.enter.vouching import IN_THE_CLEAR, confirm_password, is_vouched
from dicegames_client.guest.known_servers import KnownServer, Trust
from dicegames_client.guest.server_link import ServerLink
from support.asked import Asked
from support.home import remember_in

ID, OTHER = "ab" * 32, "cd" * 32
PLACE = "192.168.1.23:8765"


@dataclass
class Link:
    """A connection, as far as vouching looks at it."""

    address: Address
    before: KnownServer | None
    server_id: str = ID
    certain: bool = True


def known(trust: Trust, *, visited: bool = True, id: str = ID) -> KnownServer:
    return KnownServer.model_construct(place=PLACE, trust=trust, visited=visited, id=id, certificate="", told=True)


TYPED, PLAIN = Address("192.168.1.23", 8765), Address("192.168.1.23", 8765, announced="ana")
SECURE = Address("192.168.1.23", 8765, secure=True, announced="ana")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember_in(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("link", "vouched"),
    [
        (Link(TYPED, None), True),  # the host's own line
        (Link(Address("127.0.0.1", 8765, announced="ana"), None), True),  # nobody is in between
        (Link(PLAIN, None), False),
        (Link(PLAIN, known("plain")), True),  # visited, and it has proven to be the same
        (Link(PLAIN, known("plain", visited=False)), False),  # only seen in a list
        (Link(PLAIN, known("plain"), server_id=OTHER), False),
        (Link(PLAIN, known("plain"), certain=False), False),  # somebody may pass the proof on
        (Link(PLAIN, known("plain", id=""), server_id=""), False),
        (Link(SECURE, None), False),
        (Link(SECURE, known("pin")), True),
        (Link(SECURE, known("pin", visited=False)), False),
        (Link(SECURE, known("authority")), True),
        (Link(SECURE, known("plain")), False),  # it was never encrypted before
        (Link(SECURE, known("ask")), False),
    ],
    ids=str,
)
def test_who_gets_a_password_without_a_question(link: Link, vouched: bool) -> None:
    assert is_vouched(cast(ServerLink, link)) is vouched


async def test_the_user_confirms_by_name_and_key() -> None:
    user = Asked(True)
    await confirm_password(cast(ServerLink, Link(PLAIN, None)), user)
    (question,) = user.heard
    assert '"ana" has announced 192.168.1.23:8765 (id ' in question and IN_THE_CLEAR in question
    with pytest.raises(ClientError, match="The password was not sent"):
        await confirm_password(cast(ServerLink, Link(PLAIN, None)), Asked(False))
    with pytest.raises(ClientError, match="So the password is not sent there"):
        await confirm_password(cast(ServerLink, Link(PLAIN, None)), Asked())


async def test_in_the_clear_it_is_said_even_where_nobody_is_asked() -> None:
    user = Asked()
    await confirm_password(cast(ServerLink, Link(TYPED, None)), user)
    assert user.heard == [f"The password goes to 192.168.1.23:8765. {IN_THE_CLEAR}"]


async def test_a_server_from_memory_has_to_prove_that_it_is_the_same() -> None:
    """Only a code was typed, and the seat that we held leads to an address. Somebody else may have it today."""
    seat = HeldSeat(server=PLACE, room="KQ7M", seat=0, token="t", name="bo", id=ID)
    address = from_memory(seat)
    assert address == parse_address(PLACE)
    assert is_vouched(cast(ServerLink, Link(address, known("plain"))))
    with pytest.raises(ClientError, match="can't prove that it is the server where you were before"):
        await confirm_password(cast(ServerLink, Link(address, known("plain"), server_id=OTHER)), Asked())
