"""Line mode: one sentence per line, no colour, no cursor movement. Works in a pipe and for a screen reader."""

import asyncio
import shutil
import textwrap
from typing import TextIO

from dicegames_client.commands import COMMANDS, LOCAL, QUIT_WORDS, WITH_REAL_DICE, Unclear
from dicegames_client.errors import REFUSED, ClientError
from dicegames_client.guest import Back, Ended, Guest, Happening, Lost, News
from dicegames_client.keyboard import Keyboard
from dicegames_client.offers import NotUnderstood, Pick, read
from dicegames_client.roomtalk import tell_presence, tell_room, tell_table
from dicegames_client.store import Store
from dicegames_client.story import Story, quoted
from dicegames_client.views import view_of
from dicegames_protocol.client_messages import Request
from dicegames_protocol.server_messages import Ack, Error, Joined, Left, Presence, Said, Snapshot, Update
from dicegames_protocol.text import same_name, strip


class Plain:
    """The table as text. `run` returns the exit code when somebody leaves or it is over."""

    def __init__(
        self,
        guest: Guest,
        keyboard: Keyboard,
        out: TextIO,
        *,
        stay_at_end_of_input: bool = False,
        farewell: str = "a bot plays on for you",
    ) -> None:
        self._guest = guest
        self._farewell = farewell
        self._keyboard = keyboard
        self._out = out
        self._stay = stay_at_end_of_input
        self._asked: tuple[int, int] | None = None
        self._on_prompt = False
        self._displaced = False
        """Something was said over a question, which has to be put again."""
        self._leaving = False
        self._picked: dict[int, str] = {}
        self._away = False
        self._typing = True
        self._shown_out = False
        self._sent: str | None = None
        self._acked: int | None = None

    async def run(self, *opening: Request) -> int:
        """Greet, send what is to be said first, and play."""
        self._store = self._guest.store
        self._greet()
        for message in opening:
            await self._guest.send(message)
        news = self._guest.news()
        hear = asyncio.ensure_future(anext(news))
        type_ = asyncio.ensure_future(self._keyboard.line())
        try:
            while True:
                both = (hear, type_) if self._typing and not self._sent else (hear,)
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                if hear.done():
                    happening = hear.result()
                    if isinstance(happening, Ended):
                        self._say(happening.sentence)
                        return happening.code
                    self._hear(happening)
                    if self._shown_out:
                        return REFUSED
                    hear = asyncio.ensure_future(anext(news))
                elif type_.done():
                    line = type_.result()
                    if line is None and self._stay:
                        self._typing = False
                        continue
                    if line is None or not await self._typed(line):
                        self._say("You have left the table.")
                        return 0
                    type_ = asyncio.ensure_future(self._keyboard.line())
        finally:
            hear.cancel()
            type_.cancel()

    def interrupted(self) -> None:
        self._say("Press Ctrl-C again to leave the table, or go on.")
        self._ask(again=True)

    # Hearing.

    def _hear(self, happening: Happening) -> None:
        """Tell what happened."""
        self._displaced = False
        match happening:
            case Lost():
                self._away = True
                self._sent = None  # a move is never sent again by itself: look first what became of it
                self._say("The connection is lost. Your seat is held; trying to come back …")
            case Back():
                self._away = False
                self._say("You are back.")
                self._displaced = True
            case News(message=message, before=before, after=after):
                if after.seq >= self._store.seq:  # else we were greeted with what came of it
                    self._store = after
                    self._hear_message(message, before, after)
        self._ask(again=self._displaced)

    def _hear_message(self, message: object, before: Store, after: Store) -> None:
        self._settle(message, after)
        match message:
            case Update():
                self._say(*self._tell(message, after))
            case Presence():
                self._say(*tell_presence(before, after))
            case Said():
                self._say(f"<{strip(message.name)}> {strip(message.text)}")
            case Error():
                self._say(strip(message.message))
                self._displaced = True
            case Joined() if message.seat is not None:
                self._say(f"You have a seat now, as {after.name(message.seat)}.")
            case Snapshot() | Joined():
                self._say("Here is how it stands now.", *self._standings())
            case Left() if message.reason != "closed":  # a closed room is told by Ended
                self._say(strip(message.message))
                self._shown_out = not after.tokens

    def _settle(self, message: object, after: Store) -> None:
        """A move is settled when it was refused, or acknowledged and its update is here."""
        if isinstance(message, Ack | Error) and message.id == self._sent:
            self._acked = message.seq if isinstance(message, Ack) else after.seq
        if self._acked is not None and after.seq >= self._acked:
            self._sent = self._acked = None

    def _tell(self, update: Update, after: Store) -> list[str]:
        story, view = Story(after), view_of(after.info.game)
        lines: list[str] = []
        for event in update.events:
            lines += tell_room(event, story) or view.tell(event, story)
            if event["kind"] == "game_over":
                lines += view.standings(story)
                lines.append("Type 'rematch' to play again, or 'quit'." if after.seats else "")
        return [strip(line) for line in lines if line]

    # Asking.

    def _greet(self) -> None:
        store = self._store
        self._say(*tell_table(store))
        phase = store.info.phase
        if not store.seats:
            self._say("You are watching. Nothing you type can change the game.")
        elif phase == "waiting":
            first = "'start' when everyone is here" if store.info.host in store.seats else "'ready' when you are"
            self._say(f"Type {first}; 'help' lists all commands.")
        elif phase == "playing" and not self._would_miss_us():
            self._say("The game is running. You play from the next one on.")
        if store.game and phase != "waiting":
            self._say(*self._standings())
        self._ask()

    def _ask(self, again: bool = False) -> None:
        """Put the question to whoever of us is to play, once for each state."""
        store = self._store
        seat = None if self._away else store.wanted()
        if seat is None:
            return
        offers = store.offers(seat)
        asked = (seat, store.seq)
        if self._sent or self._on_prompt or (self._asked == asked and not again):
            return
        state, question = view_of(store.info.game).invite(store, seat, offers)
        if self._asked != asked:
            self._picked.clear()
            self._say(*(strip(line) for line in state))
        self._asked = asked
        self._out.write(strip(question))
        self._out.flush()
        self._on_prompt = True

    def _say(self, *lines: str) -> None:
        if not lines:
            return
        if self._on_prompt:
            self._out.write("\n")
            self._on_prompt = False
            self._displaced = True
        for line in lines:
            self._out.write(f"{self._fit(line)}\n")
        self._out.flush()

    def _fit(self, line: str) -> str:
        """Broken between words in a terminal; whole in a pipe."""
        if not self._out.isatty():
            return line
        return textwrap.fill(line, max(20, shutil.get_terminal_size().columns - 1), break_on_hyphens=False)

    # Typing.

    async def _typed(self, line: str) -> bool:
        """Do what was typed. False when it means to leave."""
        self._on_prompt = False
        word, _, rest = line.strip().removeprefix("/").partition(" ")
        try:
            if word.lower() in QUIT_WORDS:
                if self._leaving or not self._would_miss_us():
                    return False
                self._leaving = True
                raise Unclear(f"The game is running. Type 'quit' again to leave; {self._farewell}.")
            self._leaving = False
            await self._do(line.strip(), word.lower(), rest)
        except (NotUnderstood, Unclear) as error:
            self._say(strip(str(error)))
        except ClientError as error:
            self._say(error.sentence)
        self._ask(again=True)
        return True

    def _would_miss_us(self) -> bool:
        store = self._store
        return store.info.phase == "playing" and any(str(seat) in store.game["seats"] for seat in store.seats)

    async def _do(self, line: str, word: str, rest: str) -> None:
        if not line:
            return
        seat, typed = self._speaker(line)
        offers = self._store.offers(seat) if seat is not None else {}
        named = typed != line
        first = typed.split(" ")[0].lower() if typed else ""
        if not named and first not in offers and (word in COMMANDS or word in LOCAL):
            await self._command(word, rest, seat)
        elif seat is None:
            raise Unclear("You are watching. Type 'who', 'say', 'sit NAME' or 'quit'.")
        elif offers and (self._store.info.phase == "playing" or first in offers):
            await self._move(seat, typed)
        else:
            raise Unclear(self._nothing_to_do(line))

    async def _command(self, word: str, rest: str, seat: int | None) -> None:
        if word == "help":
            real = WITH_REAL_DICE if self._store.info.options.get("dice") == "entered" else {}
            helps = {name: command.help for name, command in COMMANDS.items()} | real | LOCAL
            offers = self._store.offers(seat) if seat is not None else {}
            now = [f"Your moves now: {quoted(offers)}."] if offers else []
            self._say(*now, *(f"{name}: {text}" for name, text in helps.items()))
        elif word == "who":
            self._say(*tell_table(self._store), *self._standings())
        else:
            for speaker in self._all_of_us(word, seat):
                message = COMMANDS[word].build(self._store, speaker, rest, self._guest.new_id())
                await self._guest.send(message)
                self._sent = message.id

    def _all_of_us(self, word: str, seat: int | None) -> list[int | None]:
        """Around one keyboard, everybody is ready, or wants a rematch, together."""
        if word in ("ready", "unready", "rematch") and self._store.seats:
            return list(self._store.seats)
        return [seat]

    async def _move(self, seat: int, typed: str) -> None:
        if self._away:
            raise Unclear("Wait until the connection is back; nothing was sent.")
        found = read(typed, self._store.offers(seat), self._picked.get(seat))
        if isinstance(found, Pick):
            self._picked[seat] = found.choice
            self._say(found.sentence)
        else:
            self._picked.pop(seat, None)
            self._sent = await self._guest.move(seat, found, self._store.seq)

    def _speaker(self, line: str) -> tuple[int | None, str]:
        """Who of us is meant: the one named first in the line, or the one to play."""
        store = self._store
        for seat in store.seats:
            name = store.name(seat)
            if len(store.seats) > 1 and same_name(line[: len(name)], name) and line[len(name) :][:1] in ("", " ", ","):
                return seat, line[len(name) :].lstrip(" ,")
        if not store.seats:
            return None, line
        take = line.split(" ")[0].lower()
        order = sorted(store.seats, key=lambda seat: seat != store.wanted())
        may = [seat for seat in order if take in store.offers(seat)]
        able = [seat for seat in order if store.offers(seat)]
        return next(iter([*may, *able, *order])), line

    def _nothing_to_do(self, line: str) -> str:
        info = self._store.info
        if info.phase == "waiting":
            return f"'{line[:40]}' is not a command. Type {quoted(['ready', 'start', 'help'])}."
        if info.phase == "over":
            return f"The game is over. Type {quoted(['rematch', 'quit'])}."
        others = [offer.get("seat") for offer in self._store.table["offers"].values() if offer["needed"]]
        turn = f"{self._store.name(others[0])} is to play" if others and others[0] is not None else "others are to play"
        return f"Not your turn: {turn}. Type 'who' to see how it stands, or 'help'."

    def _standings(self) -> list[str]:
        story = Story(self._store)
        lines = view_of(self._store.info.game).standings(story) if self._store.game else []
        return [strip(line) for line in lines]
