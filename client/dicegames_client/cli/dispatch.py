"""What each command does: finds the server and the room, then plays in lines or on the screen."""

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from dicegames_client.base import visit
from dicegames_client.base.address import Address
from dicegames_client.base.command_line import CommandLine, program
from dicegames_client.base.errors import NETWORK, REFUSED, USAGE, ClientError
from dicegames_client.base.state.saved_state import forget_seats, held_seats, remembered_name
from dicegames_client.base.state.state_files import troubles
from dicegames_client.base.terminal.printing import fit
from dicegames_client.base.terminal.terminal import Terminal
from dicegames_client.cli import oneshot
from dicegames_client.cli.hosting import (
    Visitors,
    check_flags,
    own_address,
    start_server,
    table_wish,
    ways_in,
)
from dicegames_client.cli.keeping import KeptTables
from dicegames_client.cli.log_commands import run_log
from dicegames_client.cli.playing import play_in_json, play_in_lines
from dicegames_client.cli.wishes import NotOpened, Wish, Wishes
from dicegames_client.enter.asking import Asking, list_rooms
from dicegames_client.enter.entering import ELSEWHERE, Entering, invited_to, new_guest, seats_at
from dicegames_client.enter.finding import choose_near, from_memory, server_with
from dicegames_client.enter.invitation import Invitation, invitation
from dicegames_client.enter.prompter import Prompter
from dicegames_client.enter.vouching import open_or_ask
from dicegames_client.guest import known_servers, trust
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.server_link import ONLY_HERE
from dicegames_client.lines.line_prompter import LinePrompter
from dicegames_protocol.messages.client import AddBot, Create, Join, Request, Start, Watch

if TYPE_CHECKING:
    from dicegames_client.screens.screen_app import ScreenApp
    from dicegames_server.app.service import Service

SLOW_CONNECT_SECONDS = 3.0
"""Seconds after which the user is told that connecting still goes on."""


class Dispatch:
    """One command of one user. `screen`: the full screen; without it, everything is said and asked in lines."""

    def __init__(
        self, asked: CommandLine, terminal: Terminal, visitors: Visitors, screen: "ScreenApp | None" = None
    ) -> None:
        """`visitors`: gives the client for friends who come over ssh, if this user hosts a table and lets them in."""
        self._asked = asked
        self._terminal = terminal
        self._visitors = visitors
        self._keyboard = terminal.keyboard
        self._home = visited.home if (visited := visit.current()) else None
        """The only server there is, for a user over ssh. None: this is an ordinary client."""
        self._screen_app = screen
        self._prompter: Prompter = screen.prompter if screen else LinePrompter(terminal, silent=asked.json)
        self._asking = Asking(asked, self._prompter)
        self._entering = Entering(asked, self._prompter)

    async def run(self) -> int:
        """Run the command and return the exit code. Raises ClientError."""
        self._asking.check()
        if self._asked.command != "start":
            return await self._command()
        return await (self._start() if self._screen_app else self._start_in_lines())

    async def _command(self) -> int:
        match self._asked.command:
            case "host":
                return await self._host(self._asked.host.game)
            case "join":
                return await self._join()
            case "watch":
                return await self._come(watch=True)
            case "save" | "replay" | "verify" | "review":
                password = await self._asking.password()
                return await run_log(self._asked, self._terminal, self._prompter, self._screen_app, password)
            case "history" | "stats" | "leaderboard":
                return await oneshot.past_games(self._asked)
            case "forget":
                return oneshot.forget(self._asked)
            case "link":
                return await oneshot.link(self._asked, self._prompter)
            case "words":
                return oneshot.words()
            case "recover":
                return await oneshot.recover_player(self._prompter)
            case _:
                return await oneshot.rooms(self._asked)

    async def _start(self, said: str = "") -> int:
        """The start screen. It comes back after each table, until the user quits. `said`: why it is shown now."""
        assert self._screen_app
        at: Address | None = self._home
        if self._home and not said and (await self._back_to_held_seat()) is not None:
            said = self._screen_app.farewell
        while True:
            choice = await self._screen_app.look_around(at, self._asked.name, said)
            try:
                match choice.kind:
                    case "quit":
                        return 0
                    case "host":
                        await self._host(None, on=self._home)
                    case "watch":
                        await self._watch(await self._certain(choice.address))
                    case _ if choice.address.room:
                        await self._join_at(await self._certain(choice.address))
                    case _ if self._home:
                        said = ONLY_HERE
                        continue
                    case _:
                        at = choice.address
                said = self._screen_app.farewell
            except ClientError as error:
                said = error.sentence

    async def _start_in_lines(self) -> int:
        """The same in line mode: what to do is asked once."""
        if not self._prompter.present:
            raise ClientError(f"There is nobody to ask what to do. Try: {program()} --help", USAGE)
        if self._home and (code := await self._back_to_held_seat()) is not None:
            return code
        around = "here" if self._home else "on this network"
        rows = [("Join", f"take a seat at a table {around}, or with a code"), ("Watch", "look on"), ("New table", "")]
        what = await self._prompter.choose("What do you want to do?", rows, ["join", "watch", "new"])
        if what == 2:
            return await self._host(None, on=self._home, in_lines=True)
        return await self._come(watch=what == 1)

    # The commands.

    async def _host(self, game: str | None, on: Address | None = None, *, in_lines: bool = False) -> int:
        """Open a table on this machine, or on the server `on`. `in_lines`: options are asked for in line mode, too."""
        flags = self._asked.host
        if on is None and flags.on:
            on = known_servers.typed_address(flags.on)
            if on.room:
                raise ClientError(f"--on takes a server, not a room. To sit down there: join {flags.on.strip()}", USAGE)
        if self._asking.people > 1 and self._asked.json:
            raise ClientError("--json is for one player: it does not go with several --players here.", USAGE)
        check_flags(flags, here=on is None)
        wishes = Wishes(self._asked, self._asking, self._screen_app, here=on is None, in_lines=in_lines)
        wish = await wishes.first(game)
        while True:
            try:
                return await self._host_as(wish, on)
            except NotOpened as refused:
                wish = await wishes.again(wish, refused)

    async def _host_as(self, wish: Wish, on: Address | None) -> int:
        flags, names = wish.flags, wish.names
        create = table_wish(flags, wish.game, len(names)).but(name=names[0], password=wish.password)
        if on is not None:
            return await self._open_table(new_guest(on), None, wish, create)
        tables = KeptTables()
        server = await start_server(flags, names[0], self._visitors, tables)
        own = own_address(server, flags.bind)
        if server.certificate:
            trust.is_ours(own.place, server.certificate.der)
        guest = new_guest(own)
        try:
            return await self._open_table(guest, server, wish, create)
        finally:
            await server.stop("The host has closed the table.")
            await guest.close()
            await tables.close()
            self._tell_kept(guest.store.room, tables)

    def _tell_kept(self, room: str | None, tables: KeptTables) -> None:
        """The table is closed: tell how to see it again."""
        if room not in tables.kept or self._asked.json:
            return
        again = f"To see it again: {program()} replay {room}"
        if self._screen_app:
            self._screen_app.farewell = f"{self._screen_app.farewell} {again}".strip()
        else:
            print(fit(again, self._terminal.out), file=self._terminal.out)

    async def _open_table(self, guest: Guest, server: "Service | None", wish: Wish, create: Create) -> int:
        address, flags = guest.address, wish.flags
        more: list[Request] = [AddBot(id="bots", count=flags.bots, level=flags.level)] if flags.bots else []
        start: list[Request] = [Start(id="start")] if self._asked.host.now else []
        if self._asked.json:
            return await self._json(address, [create, *more, *start])
        await self._connect(guest)
        try:
            joined = await self._entering.enter(guest, create)
            for name in wish.names[1:]:
                join = Join(id=guest.new_id(), room=joined.room, name=name, password=create.password)
                await self._entering.enter(guest, join)
        except ClientError as error:
            await guest.close()
            raise NotOpened(error.sentence, error.code) from None
        for message in more:
            try:
                await guest.ask(message)
            except ClientError as error:
                await guest.close()
                raise NotOpened(f"{error.sentence} Is that too many --bots, or too few --seats?", error.code) from None
        own = known_servers.with_pin(address.at(joined.room))
        ways = ways_in(server, self._asked.host.bind, joined.room) if server else [own]
        announced = server is not None and self._asked.host.announce
        id = guest.link.server_id if guest.link else ""
        invited = invitation(
            ways,
            locked=create.password is not None,
            announced=announced,
            server_id=id,
            ssh_port=guest.ssh_port,
            ssh_key=server.ssh_fingerprint if server else "",
            hosted_here=server is not None,
        )
        invited = Invitation() if self._asked.practice else invited
        return await self._play(guest, *start, hosting=server is not None, invited=invited)

    async def _join(self) -> int:
        if not self._asked.address and (code := await self._back_to_held_seat()) is not None:
            return code
        try:
            return await self._come()
        except ClientError as error:
            if not (self._home and error.sentence and (self._screen_app or error.code == REFUSED)):
                raise
            if self._screen_app:
                return await self._start(error.sentence)  # who came over ssh has no shell to try again in
            self._prompter.tell(error.sentence)
            return await self._start_in_lines()

    async def _back_to_held_seat(self) -> int | None:
        """Offer the seat that was held last. None: there is none, or the user does not want it, or it can't be had."""
        held = held_seats()
        if not held or not self._prompter.present:
            return None
        last = held[-1]
        where = "" if self._home else f" on {last.server}"
        if not await self._prompter.confirm(f"Back to {last.room}{where} as {last.name}? {ELSEWHERE}"):
            return None
        try:
            return await self._join_at((self._home or from_memory(last)).at(last.room), back=True)
        except ClientError as error:
            if error.code != NETWORK and not self._home:
                raise
            self._prompter.tell(error.sentence)
            return None

    async def _come(self, *, watch: bool = False) -> int:
        """Go to the room that is meant: named, found by its code, or chosen from a list."""
        typed = self._asked.address
        address = known_servers.typed_address(typed) if typed else None
        if self._screen_app and not (address and address.room):
            return await self._from_the_list(address or self._home, watch=watch)
        if address is None:
            address = await (self._asking.room_or_code(self._home) if self._home else choose_near(self._prompter))
        elif address.room is None:
            address = await self._asking.choose_room(address)
        address = await self._certain(address)
        return await (self._watch(address) if watch else self._join_at(address))

    async def _from_the_list(self, address: Address | None, *, watch: bool = False) -> int:
        """Show the rooms of a server, or of all servers nearby. A wrong code leads back to the list."""
        assert self._screen_app
        if address:
            await list_rooms(address)  # raises ClientError if there is no server: the program ends
        said = ""
        while True:
            choice = await self._screen_app.look_around(address, self._asked.name, said, watch=watch, near=not address)
            try:
                match choice.kind:
                    case "quit":
                        return 0
                    case "host":
                        return await self._host(None, on=address)
                    case "watch":
                        return await self._watch(await self._certain(choice.address))
                    case _ if choice.address.room:
                        return await self._join_at(await self._certain(choice.address))
                    case _:
                        address = choice.address
            except ClientError as error:
                said = error.sentence

    async def _certain(self, address: Address) -> Address:
        """The full address of a room. A code that was typed alone belongs to a server that must be found first."""
        assert address.room
        if self._home and (address.anywhere or address.place == self._home.place):
            return self._home.at(address.room)
        if self._home:
            raise ClientError(ONLY_HERE, REFUSED)
        if not address.anywhere:
            return address
        self._prompter.wait(f"Looking for {address.room} on this network")
        return await server_with(address.room, self._prompter)

    async def _join_at(self, address: Address, *, back: bool = False) -> int:
        """Join a room. `back`: return to the seat that we had there; the user has already said so."""
        assert address.room
        json = self._asked.json
        if not json and (back or await self._entering.wants_back(address, address.room)):
            guest = new_guest(address)
            await self._connect(guest)
            if await self._entering.resume(guest, address.room):
                return await self._play(guest, invited=invited_to(address, guest))
            await guest.close()
            if back and self._home:
                raise ClientError("", REFUSED)  # why was told; the list of rooms follows
        names = await self._asking.names()
        password = await self._asking.password()
        if json:
            joins: list[Request] = [
                Join(id=f"join-{number}", room=address.room, name=name, password=password)
                for number, name in enumerate(names)
            ]
            return await self._json(address, joins)
        guest = new_guest(address)
        await self._connect(guest)
        for name in names:
            join = Join(id=guest.new_id(), room=address.room, name=name, password=password)
            joined = await self._entering.enter(guest, join)
            address = address.at(joined.room)  # the code may have been put right
            if joined.seat is None:
                return await self._watch(address, guest, password)
        return await self._play(guest, invited=invited_to(address, guest))

    async def _watch(self, address: Address, guest: Guest | None = None, password: str | None = None) -> int:
        """Watch a table, and then the next one, for as long as the user wants.

        `guest`: it watches there already, and `password` was asked for.
        """
        assert address.room
        name = self._asked.name or remembered_name()
        password = password if guest else await self._asking.password()
        watch = Watch(id="watch", room=address.room, name=name, password=password)
        if self._asked.json:
            return await self._json(address, [watch])
        while True:
            if guest is None:
                guest = new_guest(address)
                await self._connect(guest)
                joined = await self._entering.enter(guest, watch.but(id=guest.new_id(), room=address.room))
                address = address.at(joined.room)
            code = await self._play(guest, invited=invited_to(address, guest))
            if not (self._screen_app and self._screen_app.next_table):
                return code
            address, guest = replace(address, room=self._screen_app.next_table), None

    async def _connect(self, guest: Guest) -> None:
        server = guest.address.server
        self._prompter.wait(f"Connecting to {server}")
        slow = asyncio.get_running_loop().call_later(
            SLOW_CONNECT_SECONDS, lambda: self._prompter.wait(f"Still connecting to {server}", long=True)
        )
        try:
            await open_or_ask(guest, self._prompter)
        finally:
            slow.cancel()
        first_word = trust.first_word(guest.address, guest.link.before if guest.link else None)
        for sentence in (*troubles(), "" if self._home else first_word):
            if sentence:
                self._prompter.tell(sentence)

    # The play.

    async def _play(
        self, guest: Guest, *opening: Request, hosting: bool = False, invited: Invitation | None = None
    ) -> int:
        invited = invited or Invitation()
        if self._screen_app:
            name = self._asked.name or remembered_name() or ""
            code, gave_up = await self._screen_app.play(
                guest, *opening, hosting=hosting, invited=invited, name=name, practice=self._asked.practice
            )
        else:
            if hosting or self._asked.command == "host":
                print("\n".join(invited.told()), file=self._terminal.out)
            stay = self._asked.command == "watch" and not self._prompter.present
            code, gave_up = await play_in_lines(
                self._terminal, guest, *opening, hosting=hosting, invited=invited, stay=stay
            )
        if guest.store.room and (gave_up or guest.room_closed):
            forget_seats(seats_at(guest.address, guest.store.room))
        return code

    async def _json(self, address: Address, first: list[Request]) -> int:
        return await play_in_json(self._terminal, address, first, stay=self._asked.command == "watch")
