"""From the command line to the table: finds the server and the room, then plays in lines or on the screen."""

import asyncio
import logging
import signal
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from dicegames_client.base.address import Address
from dicegames_client.base.command_line import CommandLine
from dicegames_client.base.display_options import display_options_of, full_screen
from dicegames_client.base.errors import NETWORK, REFUSED, USAGE, ClientError
from dicegames_client.base.keyboard import Keyboard
from dicegames_client.base.printing import fit
from dicegames_client.base.state.saved_state import forget_seats, held_seats, remembered_name
from dicegames_client.base.state.state_files import troubles
from dicegames_client.cli import oneshot
from dicegames_client.cli.hosting import create_message, own_address, start_server, ways_in
from dicegames_client.enter import logbook
from dicegames_client.enter.asking import Asking, list_rooms
from dicegames_client.enter.entering import CLIENT, Entering, keep_seat, new_guest, seats_at, unheard
from dicegames_client.enter.finding import found_lines, from_memory, look_near, no_rooms, nobody_found, server_with
from dicegames_client.enter.invitation import Invitation, invitation
from dicegames_client.enter.prompter import Prompter, confirm
from dicegames_client.enter.vouching import NOT_SENT, is_vouched, open_or_ask
from dicegames_client.guest import known_servers, trust
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.server_link import ServerLink
from dicegames_client.lines import log_lines
from dicegames_client.lines.json_mode import run_json
from dicegames_client.lines.line_mode import LineMode
from dicegames_client.lines.line_prompter import LinePrompter
from dicegames_protocol.messages.client import AddBot, Create, Join, Request, Start, Watch

if TYPE_CHECKING:
    from dicegames_client.screens.screen_app import ScreenApp
    from dicegames_server.app.service import Service

SLOW_CONNECT_SECONDS = 3.0
"""Seconds after which the user is told that connecting still goes on."""
ON_SCREEN = ("start", "host", "join", "watch", "replay")
"""Commands that can use the full screen."""


def run(asked: CommandLine) -> int:
    """Run the command. What is wrong with files of this machine is told at the end, if not before."""
    try:
        return asyncio.run(Controller(asked).run())
    finally:
        for sentence in troubles():
            print(fit(sentence, sys.stderr), file=sys.stderr)


class Controller:
    def __init__(self, asked: CommandLine) -> None:
        self._asked = asked
        self._screen_app: ScreenApp | None = None
        """The full screen; None in line mode."""

    async def run(self) -> int:
        asked = self._asked
        self._keyboard = Keyboard()
        if asked.command in ON_SCREEN and full_screen(asked):
            from dicegames_client.screens.screen_app import (
                ScreenApp,  # loads prompt_toolkit: only for the full screen
            )

            logging.getLogger().addHandler(logging.NullHandler())  # nothing may be printed over the screen
            self._screen_app = ScreenApp(display_options_of(asked))
            self._use(self._screen_app.prompter)
            return await self._screen_app.run(self._start if asked.command == "start" else self._command)
        if asked.command == "start":
            raise ClientError("The start screen needs a terminal. Try: dicegames-client --help", USAGE)
        self._use(LinePrompter(self._keyboard, silent=asked.json))
        return await self._command()

    def _use(self, prompter: Prompter) -> None:
        self._prompter = prompter
        self._asking = Asking(self._asked, prompter)
        self._entering = Entering(self._asked, prompter)

    async def _command(self) -> int:
        match self._asked.command:
            case "host":
                return await self._host(self._asked.host.game)
            case "join":
                return await self._join()
            case "watch":
                return await self._come(watch=True)
            case "save" | "replay" | "verify":
                return await self._log()
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

    async def _start(self) -> int:
        """The start screen. It comes back after each table, until the user quits."""
        assert self._screen_app
        said = ""
        at: Address | None = None
        while True:
            choice = await self._screen_app.look_around(at, self._asked.name, said)
            try:
                match choice.kind:
                    case "quit":
                        return 0
                    case "host":
                        await self._host(None)
                    case "watch":
                        await self._watch(await self._certain(choice.address))
                    case _ if choice.address.room:
                        await self._join_at(await self._certain(choice.address))
                    case _:
                        at = choice.address
                said = self._screen_app.farewell
            except ClientError as error:
                said = error.sentence

    # The commands.

    async def _host(self, game: str | None, on: Address | None = None) -> int:
        """Open a table on this machine, or on the server `on`."""
        flags = self._asked.host
        game = await self._asking.which_game(game)
        names = await self._asking.names()
        create, bots = create_message(flags, game, names, await self._asking.password())
        if on is None and flags.on:
            on = known_servers.typed_address(flags.on)
            if on.room:
                raise ClientError(f"--on takes a server, not a room. To sit down there: join {flags.on.strip()}", USAGE)
        if on is not None:
            return await self._open_table(new_guest(on), None, create, names, bots)
        server = await start_server(flags, names[0])
        own = own_address(server, flags.bind)
        if server.certificate:
            trust.is_ours(own.place, server.certificate.der)
        guest = new_guest(own)
        try:
            return await self._open_table(guest, server, create, names, bots)
        finally:
            await server.stop("The host has closed the table.")
            await guest.close()

    async def _open_table(
        self, guest: Guest, server: "Service | None", create: Create, names: list[str], bots: int
    ) -> int:
        address = guest.address
        level = self._asked.host.level
        more: list[Request] = [AddBot(id="bots", count=bots, level=level)] if bots else []
        start: list[Request] = [Start(id="start")] if self._asked.host.now else []
        if self._asked.json:
            return await self._json(address, [create, *more, *start])
        await self._connect(guest)
        joined = await self._entering.enter(guest, create)
        for name in names[1:]:
            join = Join(id=guest.new_id(), room=joined.room, name=name, password=create.password)
            await self._entering.enter(guest, join)
        for message in more:
            try:
                await guest.ask(message)
            except ClientError as error:
                raise ClientError(
                    f"{error.sentence} Is that too many --bots, or too few --seats?", error.code
                ) from None
        own = known_servers.with_pin(address.at(joined.room))
        ways = ways_in(server, self._asked.host.bind, joined.room) if server else [own]
        announced = server is not None and self._asked.host.announce
        id = guest.link.server_id if guest.link else ""
        invited = invitation(ways, locked=create.password is not None, announced=announced, server_id=id)
        return await self._play(guest, *start, hosting=server is not None, invited=invited)

    async def _join(self) -> int:
        typed = self._asked.address
        if not typed and (held := held_seats()) and self._prompter.present:
            last = held[-1]
            if await confirm(self._prompter, f"Back to {last.room} on {last.server} as {last.name}?"):
                try:
                    return await self._join_at(from_memory(last).at(last.room), back=True)
                except ClientError as error:
                    if error.code != NETWORK:
                        raise
                    self._prompter.tell(error.sentence)
        return await self._come()

    async def _come(self, *, watch: bool = False) -> int:
        """Go to the room that is meant: named, found by its code, or chosen from a list."""
        typed = self._asked.address
        address = known_servers.typed_address(typed) if typed else None
        if self._screen_app and not (address and address.room):
            return await self._from_the_list(address, watch=watch)
        if address is None:
            address = await self._choose_near()
        elif address.room is None:
            address = await self._asking.choose_room(address)
        address = await self._certain(address)
        return await (self._watch(address) if watch else self._join_at(address))

    async def _choose_near(self) -> Address:
        """In line mode: let the user choose a room on this network."""
        around = await look_near()
        for warning in around.warnings:
            self._prompter.tell(warning.sentence)
        if not around.servers:
            raise nobody_found()
        if not around.rooms:
            raise ClientError(no_rooms(around.servers), REFUSED)
        codes = [found.room.code for found in around.rooms]
        rows = [(text, "") for text in found_lines(around)]
        chosen = around.rooms[await self._prompter.choose("Which room?", rows, codes)]
        return chosen.server.at(chosen.room.code)

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
                return await self._play(guest)
            await guest.close()
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
            await self._entering.enter(guest, join)
        invited = invitation([known_servers.with_pin(address)], locked=guest.store.info.locked)
        return await self._play(guest, invited=invited)

    async def _watch(self, address: Address) -> int:
        """Watch a table, and then the next one, for as long as the user wants."""
        assert address.room
        name = self._asked.name or remembered_name()
        password = await self._asking.password()
        watch = Watch(id="watch", room=address.room, name=name, password=password)
        if self._asked.json:
            return await self._json(address, [watch])
        while True:
            guest = new_guest(address)
            await self._connect(guest)
            await self._entering.enter(guest, watch.but(id=guest.new_id(), room=address.room))
            code = await self._play(guest)
            if not (self._screen_app and self._screen_app.next_table):
                return code
            address = replace(address, room=self._screen_app.next_table)

    async def _log(self) -> int:
        asked = self._asked
        if asked.command == "verify":
            found = await logbook.fetch_with_list(asked.source, await self._asking.password())
            others = [(name, logbook.lines_of(name)) for name in asked.witnesses or ()]
            return log_lines.verify(found.lines, others, found.register, sys.stdout, found.place)
        lines = await logbook.fetch(asked.source, await self._asking.password())
        match asked.command:
            case "save":
                target = asked.file or f"{known_servers.typed_address(asked.source).room or 'log'}.jsonl"
                return logbook.save(lines, target, sys.stdout)
        speed = asked.speed
        if not 0 <= speed <= 1000:
            raise ClientError("--speed must be 0 (all at once) to 1000 updates per second.", USAGE)
        if self._screen_app:
            return await self._screen_app.replay(logbook.read(lines), speed or 1.0, asked.round)
        return await log_lines.replay(
            lines, self._keyboard, sys.stdout, speed=speed, step=asked.step, start=asked.round
        )

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
        for sentence in (*troubles(), trust.first_word(guest.address, guest.link.before if guest.link else None)):
            if sentence:
                self._prompter.tell(sentence)

    # The play.

    async def _play(
        self, guest: Guest, *opening: Request, hosting: bool = False, invited: Invitation | None = None
    ) -> int:
        invited = invited or Invitation()
        if self._screen_app:
            name = self._asked.name or remembered_name() or ""
            code, gave_up = await self._screen_app.play(guest, *opening, hosting=hosting, invited=invited, name=name)
        else:
            if hosting or self._asked.command == "host":
                print("\n".join(invited.told()))
            code, gave_up = await self._play_in_lines(guest, *opening, hosting=hosting)
        if guest.store.room and (gave_up or guest.room_closed):
            forget_seats(seats_at(guest.address, guest.store.room))
        return code

    async def _play_in_lines(self, guest: Guest, *opening: Request, hosting: bool) -> tuple[int, bool]:
        """Play in line mode. Returns the exit code, and whether the seats are given up."""
        stay = self._asked.command == "watch" and not self._prompter.present
        table = LineMode(
            guest,
            self._keyboard,
            sys.stdout,
            stay_at_end_of_input=stay,
            hosting=hosting,
            on_seat=lambda joined: keep_seat(guest, joined),
        )
        playing = asyncio.ensure_future(table.run(*opening))

        def interrupted() -> None:
            if table.interrupted():
                playing.cancel()

        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, interrupted)
        lost = asyncio.Event()

        def ended() -> None:
            """A signal ends this process. It is not a request to leave, so the seat is kept."""
            lost.set()
            guest.drop()
            playing.cancel()

        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, ended)
        try:
            code = await playing
        except asyncio.CancelledError:
            print("\nYou have left the table." if not lost.is_set() else "")
            code = 0
            table.gave_up = not lost.is_set()
        finally:
            heard = lost.is_set() or hosting or await guest.close()
        if table.gave_up and not heard and (sentence := unheard(guest)):
            print(fit(sentence, sys.stdout))
        return code, table.gave_up and heard

    async def _json(self, address: Address, first: list[Request]) -> int:
        async with await ServerLink.open(address, CLIENT) as connection:
            if not is_vouched(connection) and any(getattr(message, "password", None) for message in first):
                raise ClientError(NOT_SENT, REFUSED)
            stay = self._asked.command == "watch"
            return await run_json(connection, first, self._keyboard, sys.stdout, stay=stay)
