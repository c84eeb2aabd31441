"""Who vouches for a server before it gets a password.

An address that was typed comes from the host. An announcement on the local network comes from anybody. So a server that
was only announced gets no password before the user has confirmed it, unless the user was there before and it has proven
to be the same.
"""

from dataclasses import replace

from dicegames_client.base import visit
from dicegames_client.base.address import Address
from dicegames_client.base.errors import REFUSED, ClientError
from dicegames_client.base.state.state_files import troubles
from dicegames_client.enter.prompter import Prompter
from dicegames_client.guest import known_servers
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.server_link import ServerLink
from dicegames_client.guest.trust import UnsureKey
from dicegames_protocol.network.identity import short_id

NOT_SENT = "Only an announcement on this network leads there, so the password was not sent. Join with the host's line."
IN_THE_CLEAR = "It is not encrypted: the password can be read on the way."


def key_of(address: Address, server_id: str, shown: str = "") -> str:
    """The key of a server in words that people can compare.

    `server_id`: only if it is proven that nobody passes it on. `shown`: fingerprint of the certificate that it shows.
    """
    server = known_servers.known(address.place)
    pin = shown or (server.pin if server else None)
    if address.secure and pin:
        return f"key {pin}"
    if address.secure:
        return "certificate of an authority"
    return f"id {short_id(server_id)}" if server_id else "it does not prove who it is"


def is_vouched(link: ServerLink) -> bool:
    """Whether more than an announcement vouches for the server at the other end."""
    address, before = link.address, link.before
    if address.announced is None or address.on_this_machine:
        return True
    if before is None or not before.visited:
        return False
    if address.secure:
        return before.trust in ("pin", "authority")
    return link.certain and bool(before.id) and before.id == link.server_id


async def open_or_ask(guest: Guest, prompter: Prompter) -> None:
    """Open the connection. If only the user can say whether the server's key is right, ask. Raises ClientError."""
    try:
        await guest.open()
    except UnsureKey as unsure:
        if not prompter.present:
            raise
        for sentence in troubles():
            prompter.tell(sentence)
        asked = (
            f"What this machine knew about {guest.address.place} can't be read any more. It shows the key "
            f"{unsure.pin}. Compare it with the host's screen. Is it the same?"
        )
        if not await prompter.confirm(asked, usual=False):
            raise
        guest.address = replace(guest.address, pin=unsure.pin)
        await guest.open()


async def confirm_password(link: ServerLink, prompter: Prompter) -> None:
    """Call this before a password is sent. Raises ClientError if it must not be sent."""
    if visit.current():  # it stays inside the server's process
        return
    address = link.address
    clear = "" if address.secure or address.on_this_machine else IN_THE_CLEAR
    if is_vouched(link):
        if clear:
            prompter.tell(f"The password goes to {address.place}. {clear}")
        return
    where = f"{address.server} ({key_of(address, link.server_id if link.certain else '')})"
    known = f"{where} can't prove that it is the server where you were before."
    if address.announced:
        known = f'"{address.announced}" has announced {where} on this network, and that is all that is known about it.'
    if not prompter.present:
        raise ClientError(
            f"{known} So the password is not sent there. Join with the whole line from the host.", REFUSED
        )
    compare = "Compare it with the host's screen."
    if not await prompter.confirm(f"{known} {clear} {compare} Send the password there?", usual=False):
        raise ClientError("The password was not sent. Join with the whole line from the host.", REFUSED)
