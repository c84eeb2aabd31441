"""An evening on the screen: one shell, and everything that can be shown in it."""

import asyncio
import sys
from collections.abc import Awaitable, Callable

from dicegames_client.base.address import Address, parse_address
from dicegames_client.base.display_options import Look
from dicegames_client.base.errors import ClientError
from dicegames_client.base.saved_state import held_seats, remember_name, remembered_name
from dicegames_client.enter.asking import list_rooms
from dicegames_client.enter.entering import keep_seat, unheard, way_back
from dicegames_client.enter.finding import HERE, NONE_FOUND, Found, joined, rooms_of
from dicegames_client.enter.invitation import Invitation
from dicegames_client.guest.guest import Guest
from dicegames_client.lines.line_output import fit
from dicegames_client.screens.replay_screen import Replay
from dicegames_client.screens.room_list import Choice, Lobby
from dicegames_client.screens.screen_prompter import Cancelled, ScreenVoice
from dicegames_client.screens.shell import Shell, Terminated
from dicegames_client.screens.table.table_loop import Attendance
from dicegames_protocol.messages.client import Request
from dicegames_protocol.messages.server import Update

LOOK_EVERY = 3.0
_INTRO = (
    "dicegames: dice games for the terminal, played together",
    "N opens a table on this machine and gives you a line to send to your friends.",
    "J takes the code or the address that a friend read to you.",
)


class Visit:
    def __init__(self, look: Look) -> None:
        self._look = look
        self._shell = Shell(look, on_lost=self._lose)
        self.voice = ScreenVoice(self._shell, look)
        self.farewell = ""
        """What the last table said when it was left."""
        self.next_table = ""
        """The room to watch next."""
        self._guest: Guest | None = None
        self._lost = self._hosting = False
        self._held = ""
        """How to come back to the seat."""

    async def run(self, flow: Callable[[], Awaitable[int]]) -> int:
        """The whole evening; afterwards the terminal is as it was, and the last word is printed."""
        try:
            code = await self._shell.run(flow)
        except Cancelled:
            return 0
        except Terminated:
            if self._held:
                print(fit(self._held, sys.stderr), file=sys.stderr)
            return 0
        if self.farewell:
            out = sys.stderr if code else sys.stdout
            print(fit(self.farewell, out), file=out)
        return code

    def _lose(self) -> None:
        """This process is ended from outside: not a wish to leave, so the seat is kept."""
        self._lost = True
        guest = self._guest
        if guest and not self._hosting:  # the host's own server says goodbye to everyone
            guest.drop()
            if guest.store.seats:
                self._held = way_back(guest.address, guest.store.room)

    async def play(
        self, guest: Guest, *opening: Request, hosting: bool, invited: Invitation, name: str
    ) -> tuple[int, bool]:
        """Exit code, and whether the seats are given up. A host's own server says goodbye to everyone at once."""
        self._guest, self._hosting = guest, hosting
        attendance = Attendance(
            self._shell,
            guest,
            self._look,
            invited=invited,
            hosting=hosting,
            name=name,
            said=self.voice.told(),
            on_seat=lambda joined: keep_seat(guest, joined),
        )
        try:
            outcome = await attendance.run(*opening)
        finally:
            self._guest = None
            heard = self._lost or hosting or await guest.close()
        self.farewell, self.next_table = outcome.sentence, outcome.next_table
        if outcome.gave_up and not heard:
            self.farewell = unheard(guest) or self.farewell
        return outcome.code, outcome.gave_up and heard

    async def look_around(
        self, at: Address | None, name: str | None, said: str, *, watch: bool = False, near: bool = False
    ) -> Choice:
        """The rooms of a server, or without one the start screen with what is found around here.

        `near`: somebody asked for the rooms around here and needs no introduction.
        """
        title = f"Rooms on {at.shown}" if at else "Rooms on this network" if near else "dicegames"
        lobby = Lobby(
            title,
            self._look.glyphs,
            name=name or remembered_name(),
            rename=remember_name,
            intro=() if at or near else _INTRO,
            said=" ".join([*self.voice.told(), said]).strip(),
            server=at,
            watch=watch,
        )
        looking = asyncio.ensure_future(self._look_at(lobby, at) if at else self._look_near(lobby))
        try:
            choice: Choice = await self._shell.show(lobby)
        finally:
            looking.cancel()
        return choice

    async def _look_at(self, lobby: Lobby, server: Address) -> None:
        """The rooms of one server, as they come and go."""
        while True:
            try:
                found = [Found(server, room) for room in await list_rooms(server)]
                lobby.show(found)
            except ClientError as error:
                lobby.show([], error.sentence)
            await asyncio.sleep(LOOK_EVERY)

    async def _look_near(self, lobby: Lobby) -> None:
        """The rooms of all servers that are known or found around here, as they come and go."""
        from dicegames_client.guest.nearby import Lookout

        async with Lookout() as lookout:
            known = await rooms_of(_known_servers())
            if known.rooms:
                lobby.show(known.rooms)
            await lookout.first_look()
            while True:
                near = [server.address for server in lookout.servers]
                around = joined(await rooms_of(_known_servers()), await rooms_of(near))
                trouble = around.warnings[0].sentence if around.warnings else "" if around.servers else NONE_FOUND
                lobby.show(around.rooms, trouble)
                await asyncio.sleep(LOOK_EVERY)

    async def replay(self, updates: list[Update], speed: float, start: int) -> int:
        code: int = await self._shell.show(Replay(updates, self._look, self._shell.now, speed=speed, start=start))
        return code - 1


def _known_servers() -> list[Address]:
    """This machine, and wherever we still hold a seat."""
    servers = [HERE]
    for seat in held_seats():
        server = parse_address(seat.server)
        if server not in servers:
            servers.append(server)
    return servers
