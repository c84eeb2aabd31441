"""At the table, without a screen: line mode, and --json."""

import asyncio

from dicegames_client.base.address import Address
from dicegames_client.base.errors import REFUSED, ClientError
from dicegames_client.base.terminal.printing import fit
from dicegames_client.base.terminal.terminal import Terminal
from dicegames_client.enter.entering import CLIENT, keep_seat, unheard
from dicegames_client.enter.invitation import Invitation
from dicegames_client.enter.vouching import NOT_SENT, is_vouched
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.server_link import ServerLink
from dicegames_client.lines.json_mode import run_json
from dicegames_client.lines.line_mode import LineMode
from dicegames_protocol.messages.client import Request


async def play_in_lines(
    terminal: Terminal, guest: Guest, *opening: Request, hosting: bool, invited: Invitation, stay: bool
) -> tuple[int, bool]:
    """Play in line mode. Returns the exit code, and whether the seats are given up.

    `hosting`: the server is in this process, and tells everyone that it closes. `stay`: the end of input ends nothing.
    """
    out = terminal.out
    table = LineMode(
        guest,
        terminal.keyboard,
        out,
        stay_at_end_of_input=stay,
        hosting=hosting,
        invited=invited,
        on_seat=lambda joined: keep_seat(guest, joined),
    )
    playing = asyncio.ensure_future(table.run(*opening))
    lost = asyncio.Event()

    def interrupted() -> None:
        if table.interrupted():
            playing.cancel()

    def ended() -> None:
        """The program or the connection is ended from outside. It is not a request to leave, so the seat is kept."""
        lost.set()
        guest.abandon()
        playing.cancel()

    with terminal.heed(interrupt=interrupted, end=ended):
        try:
            code = await playing
        except asyncio.CancelledError:
            table.end_line()
            code = 0
            table.gave_up = not lost.is_set()
            if table.gave_up:
                print("You have left the table.", file=out)
        finally:
            heard = lost.is_set() or hosting or await guest.close()
    if table.gave_up and not heard and (sentence := unheard(guest)):
        print(fit(sentence, out), file=out)
    return code, table.gave_up and heard


async def play_in_json(terminal: Terminal, address: Address, first: list[Request], *, stay: bool) -> int:
    async with await ServerLink.open(address, CLIENT) as connection:
        if not is_vouched(connection) and any(getattr(message, "password", None) for message in first):
            raise ClientError(NOT_SENT, REFUSED)
        return await run_json(connection, first, terminal.keyboard, terminal.out, stay=stay)
