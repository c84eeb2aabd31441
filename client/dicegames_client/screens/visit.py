"""An evening on the screen: one shell, and everything that can be shown in it."""

import asyncio
import sys
from collections.abc import Awaitable, Callable

from dicegames_client.address import DEFAULT_PORT, LOCAL, Address, parse_address
from dicegames_client.asking import list_rooms
from dicegames_client.entering import keep_seat
from dicegames_client.errors import ClientError
from dicegames_client.guest import Guest
from dicegames_client.look import Look
from dicegames_client.memory import held_seats, remember_name, remembered_name
from dicegames_client.screens.attend import Attendance
from dicegames_client.screens.lobby import Choice, Found, Lobby
from dicegames_client.screens.replay import Replay
from dicegames_client.screens.voice import Cancelled, ScreenVoice
from dicegames_client.shell import Shell, Terminated
from dicegames_protocol.client_messages import Request
from dicegames_protocol.server_messages import Update

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
                print(f"Your seat is held for you: {self._held}", file=sys.stderr)
            return 0
        if self.farewell:
            print(self.farewell, file=sys.stderr if code else sys.stdout)
        return code

    def _lose(self) -> None:
        """This process is ended from outside: not a wish to leave, so the seat is kept."""
        self._lost = True
        guest = self._guest
        if guest and not self._hosting:  # the host's own server says goodbye to everyone
            guest.drop()
            if guest.store.seats:
                self._held = f"dicegames-client join {guest.address.server}/{guest.store.room}"

    async def play(
        self, guest: Guest, *opening: Request, hosting: bool, invitation: str, name: str
    ) -> tuple[int, bool]:
        """Exit code, and whether the seats are given up. A host's own server says goodbye to everyone at once."""
        self._guest, self._hosting = guest, hosting
        attendance = Attendance(
            self._shell,
            guest,
            self._look,
            invitation=invitation,
            hosting=hosting,
            name=name,
            said=self.voice.told(),
            on_seat=lambda joined: keep_seat(guest, joined),
        )
        try:
            outcome = await attendance.run(*opening)
        finally:
            self._guest = None
            if not self._lost and not hosting:
                await guest.close()
        self.farewell, self.next_table = outcome.sentence, outcome.next_table
        return outcome.code, outcome.gave_up

    async def look_around(self, at: Address | None, name: str | None, said: str, *, watch: bool = False) -> Choice:
        """The rooms of a server, or without one the start screen with what is found around here."""
        servers = [at] if at else _known_servers()
        lobby = Lobby(
            f"Rooms on {at.shown}" if at else "dicegames",
            self._look.glyphs,
            name=name or remembered_name(),
            rename=remember_name,
            intro=() if at else _INTRO,
            said=" ".join([*self.voice.told(), said]).strip(),
            server=at,
            watch=watch,
        )
        looking = asyncio.ensure_future(self._look_for_rooms(lobby, servers))
        try:
            choice: Choice = await self._shell.show(lobby)
        finally:
            looking.cancel()
        return choice

    async def _look_for_rooms(self, lobby: Lobby, servers: list[Address]) -> None:
        while True:
            found: list[Found] = []
            trouble = ""
            for server in servers:
                try:
                    found += [Found(server, room) for room in await list_rooms(server)]
                except ClientError as error:
                    trouble = error.sentence
            lobby.found, lobby.looking = found, False
            lobby.trouble = trouble if len(servers) == 1 and servers[0].host != LOCAL else ""
            lobby.on_change()
            await asyncio.sleep(LOOK_EVERY)

    async def replay(self, updates: list[Update], speed: float, start: int) -> int:
        code: int = await self._shell.show(Replay(updates, self._look, self._shell.now, speed=speed, start=start))
        return code - 1


def _known_servers() -> list[Address]:
    """This machine, and wherever we still hold a seat."""
    servers = [Address(LOCAL, DEFAULT_PORT)]
    for seat in held_seats():
        server = parse_address(seat.server)
        if server not in servers:
            servers.append(server)
    return servers
