"""Everything that can be shown on the full screen, which is one shell."""

import asyncio
from collections.abc import Callable, Sequence

from dicegames_client.base import visit
from dicegames_client.base.address import Address
from dicegames_client.base.errors import ClientError
from dicegames_client.base.state.replay_places import place_in, remember_place
from dicegames_client.base.state.saved_looks import Looks, remembered_looks
from dicegames_client.base.state.saved_state import held_seats, remember_name, remembered_name
from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.enter.asking import list_rooms
from dicegames_client.enter.entering import keep_seat, unheard, way_back
from dicegames_client.enter.finding import HERE, NONE_FOUND, Found, joined, rooms_of
from dicegames_client.enter.invitation import Invitation
from dicegames_client.enter.log_reviewer import LogReviewer
from dicegames_client.enter.logbook import read
from dicegames_client.enter.new_table import NewTable
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.known_servers import as_known, typed_address
from dicegames_client.screens.forms.looks_screen import LooksScreen
from dicegames_client.screens.forms.table_form import TableForm
from dicegames_client.screens.replay_screen import ReplayScreen
from dicegames_client.screens.room_list import Destination, RoomListScreen
from dicegames_client.screens.screen_prompter import ScreenPrompter
from dicegames_client.screens.table.table_loop import TableLoop
from dicegames_client.screens.terminal.shell import Shell
from dicegames_protocol.messages.client import Request

LIST_REFRESH_SECONDS = 3.0
"""Seconds between two updates of the list of rooms."""
VISIT_REFRESH_SECONDS = 8.0
"""The same for users over ssh, who share one process."""
_HOME_INTRO = (
    "dicegames: dice games for the terminal, played together",
    "N opens a table on this server and gives you a line to send to your friends.",
    "J takes the code that a friend read to you.",
)
_INTRO = (
    "dicegames: dice games for the terminal, played together",
    "N opens a table on this machine and gives you a line to send to your friends.",
    "J takes the code or the address that a friend read to you.",
)


class ScreenApp:
    def __init__(self, shell: Shell, look: Callable[[Looks], DisplayOptions]) -> None:
        """`look` is called when the user changes how it looks. It gives what the screen looks like then."""
        self._look = look
        self._shell = shell
        shell.on_lost = self._lose
        self.prompter = ScreenPrompter(shell)
        self.next_table = ""
        """The room to watch next."""
        self._guest: Guest | None = None
        self._lost = self._hosting = False

    @property
    def farewell(self) -> str:
        """The sentence of the last table when it was left."""
        return self._shell.farewell

    @farewell.setter
    def farewell(self, sentence: str) -> None:
        self._shell.farewell = sentence

    def _lose(self) -> None:
        """This process is ended from outside. It is not a request to leave, so the seat is kept."""
        self._lost = True
        self._shell.farewell = ""
        guest = self._guest
        if guest and not self._hosting:  # the host's own server tells everyone that it closes
            guest.abandon()
            if guest.store.seats:
                self._shell.farewell = way_back(guest.address, guest.store.room)

    async def play(
        self, guest: Guest, *opening: Request, hosting: bool, invited: Invitation, name: str, practice: bool = False
    ) -> tuple[int, bool]:
        """Play at a table. Returns the exit code, and whether the seats are given up.

        With `hosting`, the server in this process tells everyone at once that it closes.
        """
        self._guest, self._hosting = guest, hosting
        table_loop = TableLoop(
            self._shell,
            guest,
            self._shell.display,
            invited=invited,
            hosting=hosting,
            name=name,
            practice=practice,
            said=self.prompter.told(),
            on_seat=lambda joined: keep_seat(guest, joined),
        )
        try:
            outcome = await table_loop.run(*opening)
        finally:
            self._guest = None
            heard = self._lost or hosting or await guest.close()
        self._shell.farewell, self.next_table = outcome.sentence, outcome.next_table
        if outcome.gave_up and not heard:
            self._shell.farewell = unheard(guest) or outcome.sentence
        return outcome.code, outcome.gave_up and heard

    async def ask_table(self, table: NewTable) -> NewTable | None:
        """What is special about a new table. None: the user goes back."""
        answer = await self._shell.show(TableForm(table, self._shell.display.glyphs))
        return answer if isinstance(answer, NewTable) else None

    async def look_around(
        self, at: Address | None, name: str | None, said: str, *, watch: bool = False, near: bool = False
    ) -> Destination:
        """Show the rooms of a server; without one, the start screen with the rooms that are found nearby.

        `near`: the user asked for the rooms nearby and needs no introduction.
        """
        self.prompter.leave = "Back"
        while True:
            choice = await self._list_rooms(at, name, said, watch=watch, near=near)
            if choice.kind != "settings":
                return choice
            said = ""
            await self._shell.show(LooksScreen(self._shell.display, remembered_looks(), self._looks))

    def _looks(self, looks: Looks) -> DisplayOptions:
        display = self._look(looks)
        self._shell.look(display)
        return display

    async def _list_rooms(
        self, at: Address | None, name: str | None, said: str, *, watch: bool, near: bool
    ) -> Destination:
        title = f"Rooms on {at.shown}" if at else "Rooms on this network" if near else "dicegames"
        room_list = RoomListScreen(
            title,
            self._shell.display.glyphs,
            name=name or remembered_name() or (here.user if (here := visit.current()) else None) or None,
            rename=remember_name,
            intro=_HOME_INTRO if visit.current() else () if at or near else _INTRO,
            said=" ".join([*self.prompter.told(), said]).strip(),
            server=at,
            watch=watch,
            only_here=visit.current() is not None,
        )
        looking = asyncio.ensure_future(self._look_at(room_list, at) if at else self._look_near(room_list))
        try:
            choice: Destination = await self._shell.show(room_list)
        finally:
            looking.cancel()
        return choice

    async def _look_at(self, room_list: RoomListScreen, server: Address) -> None:
        """Keep the list up to date with the rooms of one server."""
        while True:
            try:
                listing = await list_rooms(server)
                found = [Found(server, room, listing.server_id, listing.shown) for room in listing.rooms]
                room_list.show(found)
            except ClientError as error:
                room_list.show([], error.sentence)
            await asyncio.sleep(VISIT_REFRESH_SECONDS if visit.current() else LIST_REFRESH_SECONDS)

    async def _look_near(self, room_list: RoomListScreen) -> None:
        """Keep the list up to date with the rooms of all servers that are known or found nearby."""
        from dicegames_client.guest.nearby import NearbyBrowser

        async with NearbyBrowser() as lookout:
            known = await rooms_of(_known_servers())
            if known.rooms:
                room_list.show(known.rooms)
            await lookout.first_look()
            while True:
                near = [server.address for server in lookout.servers]
                around = joined(await rooms_of(_known_servers()), await rooms_of(near))
                trouble = around.warnings[0].sentence if around.warnings else "" if around.servers else NONE_FOUND
                room_list.show(around.rooms, trouble)
                await asyncio.sleep(LIST_REFRESH_SECONDS)

    async def replay(self, lines: Sequence[bytes], speed: float, start: int) -> int:
        """Show a log, from round `start` on. 0: from where the user was last time. Raises ClientError."""
        at = None if start else place_in(lines[0]) if lines else None
        updates = read(list(lines))
        screen = ReplayScreen(updates, self._shell.display, self._shell.now, speed=speed, start=start, at=at)
        reviewing = asyncio.ensure_future(self._review(screen, LogReviewer(updates)))
        try:
            code: int = await self._shell.show(screen)
        finally:
            reviewing.cancel()
            remember_place(lines[0], screen.place)
        return code - 1

    async def _review(self, screen: ReplayScreen, reviewer: LogReviewer) -> None:
        """Work out how well everybody played, game by game, while the replay runs."""
        trouble = ""
        try:
            for number in await reviewer.played():
                screen.take_review(await reviewer.review(number))
                self._shell.changed()
        except ClientError as error:
            trouble = error.sentence
        screen.reviewed(trouble)
        self._shell.changed()


def _known_servers() -> list[Address]:
    """This machine, and all servers where we still hold a seat."""
    servers = [as_known(HERE)]
    for seat in held_seats():
        server = typed_address(seat.server)
        if server not in servers:
            servers.append(server)
    return servers
