"""From the command line to the table: who we are, which server, which room, and then the play."""

import argparse
import asyncio
import getpass
import signal
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dicegames_client import logbook, past
from dicegames_client.address import DEFAULT_PORT, LOCAL, Address, parse_address
from dicegames_client.asking import Asking, list_rooms, room_lines, somebody
from dicegames_client.connection import Connection
from dicegames_client.errors import REFUSED, USAGE, ClientError
from dicegames_client.guest import Guest
from dicegames_client.hosting import join_address, own_address, start_server
from dicegames_client.jsonlines import run_json
from dicegames_client.keyboard import Keyboard
from dicegames_client.memory import (
    HeldSeat,
    forget_seats,
    held_seats,
    hold_seat,
    player_key,
    remember_seed,
    remembered_name,
)
from dicegames_client.paper import use_safe_streams
from dicegames_client.plain import Plain
from dicegames_client.store import Store
from dicegames_client.story import listed
from dicegames_protocol.client_messages import AddBot, Create, Join, Request, Start, Watch
from dicegames_protocol.codec import encode
from dicegames_protocol.server_messages import Error, Joined, ServerMessage
from dicegames_protocol.text import strip

if TYPE_CHECKING:
    from dicegames_server.transport import Server

CLIENT = "dicegames-client"


def run(arguments: argparse.Namespace, options: dict[str, Any]) -> int:
    use_safe_streams()
    return asyncio.run(Evening(arguments, options).run())


class Evening:
    def __init__(self, arguments: argparse.Namespace, options: dict[str, Any]) -> None:
        self._arguments = arguments
        self._options = options

    async def run(self) -> int:
        self._keyboard = Keyboard()
        self._asking = Asking(self._arguments, self._keyboard)
        match self._arguments.command:
            case "host":
                return await self._host()
            case "join":
                return await self._join()
            case "watch":
                return await self._watch()
            case "save" | "replay" | "verify":
                return await self._log()
            case "history" | "stats" | "leaderboard":
                return await self._past()
            case _:
                return await self._rooms()

    # The commands.

    async def _host(self) -> int:
        arguments = self._arguments
        game = await self._asking.which_game()
        names = await self._asking.names()
        create = Create(
            id="create",
            game=game,
            options=self._options,
            public=not arguments.private,
            password=self._asking.password(),
            seats=_in_range(arguments.seats, "--seats", 1, 1000),
            turn_limit=_in_range(arguments.turn_limit, "--turn-limit", 0, 3600) or 0,
            name=names[0],
        )
        bots = _in_range(arguments.bots, "--bots", 0, 1000) or 0
        if arguments.on:
            return await self._open_table(parse_address(arguments.on), None, create, names, bots)
        server = await start_server(arguments.bind, _in_range(arguments.port, "--port", 0, 65535) or 0)
        try:
            return await self._open_table(own_address(arguments.bind, server.port), server, create, names, bots)
        finally:
            await server.stop("The host has closed the table.")

    async def _open_table(
        self, address: Address, server: "Server | None", create: Create, names: list[str], bots: int
    ) -> int:
        more: list[Request] = [AddBot(id=f"bot-{number}") for number in range(bots)]
        start: list[Request] = [Start(id="start")] if self._arguments.now else []
        if self._arguments.json:
            return await self._json(address, [create, *more, *start])
        guest = self._guest(address)
        await guest.open()
        joined = await self._enter(guest, create)
        for name in names[1:]:
            await self._enter(guest, Join(id=guest.new_id(), room=joined.room, name=name, password=create.password))
        for message in more:
            await guest.ask(message)
        shown = address if server is None else join_address(self._arguments.bind, server.port)
        self._print_invitation(replace(shown, room=joined.room), locked=create.password is not None)
        return await self._play(guest, *start, hosting=server is not None)

    def _guest(self, address: Address) -> Guest:
        def seed_shown(store: Store, seat: int, seed: bytes) -> None:
            remember_seed(store.room or "", store.info.game_no + 1, seat, seed)

        return Guest(address, client=CLIENT, player_key=player_key(address.server), on_seed=seed_shown)

    async def _resume(self, guest: Guest, room: str) -> bool:
        """Take back the seats that we held here before, if we still can and want to."""
        held = held_seats(guest.address.server, room)
        wanted = self._arguments.name
        if not held or self._arguments.players or (wanted is not None and wanted not in [seat.name for seat in held]):
            return False
        names = listed(seat.name for seat in held)
        if somebody():
            typed = (
                (await self._asking.question(f"Resume {room} as {names}? Enter for yes, n for no: ")).strip().lower()
            )
            if typed.startswith("n"):
                return False
        try:
            await guest.resume(room, {seat.seat: seat.token for seat in held})
        except ClientError as error:
            forget_seats(guest.address.server, room)
            print(f"The seat of {names} can't be taken back: {error.sentence}")
            return False
        return True

    async def _join(self) -> int:
        arguments = self._arguments
        address = await self._where()
        assert address.room
        if not arguments.json and held_seats(address.server, address.room):
            guest = self._guest(address)
            await guest.open()
            if await self._resume(guest, address.room):
                return await self._play(guest)
            await guest.close()
        names = await self._asking.names()
        password = self._asking.password()
        if arguments.json:
            joins: list[Request] = [
                Join(id=f"join-{number}", room=address.room, name=name, password=password)
                for number, name in enumerate(names)
            ]
            return await self._json(address, joins)
        guest = self._guest(address)
        await guest.open()
        for name in names:
            await self._enter(guest, Join(id=guest.new_id(), room=address.room, name=name, password=password))
        return await self._play(guest)

    async def _where(self) -> Address:
        """The room to join: as typed, or the one that we were in last, or one from the list."""
        typed = self._arguments.address
        if not typed and (held := held_seats()) and somebody():
            last = held[-1]
            answer = await self._asking.question(
                f"Back to {last.room} on {last.server} as {last.name}? Enter for yes, n for no: "
            )
            if not answer.strip().lower().startswith("n"):
                return replace(parse_address(last.server), room=last.room)
        address = parse_address(typed) if typed else Address(LOCAL, DEFAULT_PORT)
        return address if address.room else await self._asking.choose_room(address)

    async def _watch(self) -> int:
        address = parse_address(self._arguments.address)
        if address.room is None:
            address = await self._asking.choose_room(address)
        assert address.room
        name = self._arguments.name or remembered_name()
        watch = Watch(id="watch", room=address.room, name=name, password=self._asking.password())
        if self._arguments.json:
            return await self._json(address, [watch])
        guest = self._guest(address)
        await guest.open()
        await self._enter(guest, watch)
        return await self._play(guest)

    async def _log(self) -> int:
        arguments = self._arguments
        lines = await logbook.fetch(arguments.source, self._asking.password())
        match arguments.command:
            case "save":
                target = arguments.file or f"{parse_address(arguments.source).room or 'log'}.jsonl"
                return logbook.save(lines, target, sys.stdout)
            case "verify":
                return logbook.verify(lines, sys.stdout)
        speed = max(0.0, arguments.speed)
        return await logbook.replay(
            lines, self._keyboard, sys.stdout, speed=speed, step=arguments.step, start=arguments.round
        )

    async def _past(self) -> int:
        typed = self._arguments.address
        guest = self._guest(parse_address(typed) if typed else Address(LOCAL, DEFAULT_PORT))
        await guest.open()
        try:
            answer = await guest.ask(past.question(self._arguments))
        finally:
            await guest.close()
        if self._arguments.json:
            print(encode(answer).decode())
        else:
            print("\n".join(strip(line) for line in past.tell(answer)))
        return 0

    async def _rooms(self) -> int:
        typed = self._arguments.address
        address = parse_address(typed) if typed else Address(LOCAL, DEFAULT_PORT)
        rooms = await list_rooms(address)
        if self._arguments.json:
            for room in rooms:
                print(encode(room).decode())
        elif rooms:
            print("\n".join(room_lines(rooms)))
        else:
            print(f"There are no open rooms on {address.shown}.")
        return 0

    # Into the room, and play.

    async def _enter(self, guest: Guest, message: Create | Join | Watch) -> Joined:
        """Into a room. A taken name is asked for again where there is somebody to ask."""
        answer: ServerMessage = await guest.try_ask(message)
        while isinstance(answer, Error) and isinstance(message, Join):
            if answer.code == "name_taken" and answer.hint and somebody():
                typed = (
                    await self._asking.question(f"{strip(answer.message)} Enter for yes, or another name: ")
                ).strip()
                message = message.but(id=guest.new_id(), name=(typed or answer.hint)[:64])
            elif answer.code in ("wrong_password", "no_such_room") and not message.password and somebody():
                print(strip(answer.message))
                password = getpass.getpass("If it has a password, type it (Enter gives up): ")
                if not password:
                    break
                message = message.but(id=guest.new_id(), password=password[:128])
            else:
                break
            answer = await guest.try_ask(message)
        if not isinstance(answer, Joined):
            await guest.close()
            sentence = strip(answer.message) if isinstance(answer, Error) else "The server gave no answer that fits."
            mine = isinstance(answer, Error) and answer.code == "bad_message"
            raise ClientError(sentence, USAGE if mine else REFUSED)
        if answer.seat is not None and answer.seat_token:
            name = guest.store.name(answer.seat)
            hold_seat(HeldSeat(guest.address.server, answer.room, answer.seat, answer.seat_token, name))
        return answer

    async def _play(self, guest: Guest, *opening: Request, hosting: bool = False) -> int:
        stay = self._arguments.command == "watch" and not somebody()
        table = Plain(guest, self._keyboard, sys.stdout, stay_at_end_of_input=stay, hosting=hosting)
        playing = asyncio.ensure_future(table.run(*opening))

        def interrupted() -> None:
            if table.interrupted():
                playing.cancel()

        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, interrupted)
        lost = asyncio.Event()

        def ended() -> None:
            """Somebody ends this process: not a wish to leave, so the seat is kept."""
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
            if not lost.is_set():
                await guest.close()
        if guest.store.room and table.gave_up:
            forget_seats(guest.address.server, guest.store.room)
        return code

    async def _json(self, address: Address, first: list[Request]) -> int:
        async with await Connection.open(address, CLIENT) as connection:
            stay = self._arguments.command == "watch"
            return await run_json(connection, first, self._keyboard, sys.stdout, stay=stay)

    def _print_invitation(self, address: Address, *, locked: bool) -> None:
        print("Friends join with this line:")
        print(f"  dicegames-client join {address.shown}{' --ask-password' if locked else ''}")


def _in_range(value: int | None, flag: str, low: int, high: int) -> int | None:
    if value is not None and not low <= value <= high:
        raise ClientError(f"{flag} must be {low} to {high}.", USAGE)
    return value
