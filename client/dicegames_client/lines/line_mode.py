"""Line mode: one sentence per line, no colour, no cursor movement. Works in a pipe and for a screen reader."""

import asyncio
from collections.abc import Callable
from typing import TextIO

from dicegames_client.base.errors import REFUSED, ClientError
from dicegames_client.base.keyboard import Keyboard
from dicegames_client.guest.events import NOT_YET, SLOW, Back, Ended, Happening, Lost, News, StillLost
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.store import Store
from dicegames_client.lines.line_output import Paper
from dicegames_client.play.parse_input import speaker, understand
from dicegames_client.play.parse_move import NotUnderstood, words
from dicegames_client.play.room_wording import of_room, tell_options, tell_presence, tell_room, tell_table
from dicegames_client.play.typed_commands import COMMANDS, LOCAL, QUIT_WORDS, WITH_REAL_DICE, Unclear
from dicegames_client.play.wording import Story, quoted
from dicegames_client.views import view_of
from dicegames_protocol.messages.client import Chat, MakeMove, Request
from dicegames_protocol.messages.server import Ack, Error, Joined, Left, Presence, Said, ServerNotice, Snapshot, Update
from dicegames_protocol.text import strip


class Plain:
    """The table as text. `run` returns the exit code when somebody leaves or it is over."""

    def __init__(
        self,
        guest: Guest,
        keyboard: Keyboard,
        out: TextIO,
        *,
        stay_at_end_of_input: bool = False,
        hosting: bool = False,
        on_seat: Callable[[Joined], None] = lambda joined: None,
    ) -> None:
        """`hosting`: the server runs in this very process, and the table ends with it."""
        self._on_seat = on_seat
        self._guest = guest
        self._hosting = hosting
        self._interrupts = 0
        self._keyboard = keyboard
        self._paper = Paper(out)
        self._stay = stay_at_end_of_input
        self._asked: tuple[int, int] | None = None
        self._leaving = False
        self._picked: dict[int, str] = {}
        self._away = False
        self._catching_up = False
        self._typing = True
        self._shown_out = False
        self.gave_up = False
        """We have left for good, or were asked to: the seat is no longer ours."""
        self._sent: str | None = None
        self._waited_for: str | None = None
        """What was sent so long ago that we have said so."""
        self._acked: int | None = None
        self._talked = False
        """What we have said is on its way; a question that was open is put again behind it."""

    async def run(self, *opening: Request) -> int:
        """Greet, send what is to be said first, and play."""
        self._store = self._guest.store
        self._greet()
        for message in opening:
            await self._guest.send(message)
            self._sent = message.id
        news = self._guest.news()
        hear = asyncio.ensure_future(anext(news))
        type_ = asyncio.ensure_future(self._keyboard.line())
        try:
            while True:
                listening = self._typing and not self._sent and self._store.phase != "dealing"
                both = (hear, type_) if listening else (hear,)
                patience = SLOW if self._sent and self._sent != self._waited_for else None
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED, timeout=patience)
                if patience is not None and not hear.done():
                    self._waited_for = self._sent
                    self._paper.say(NOT_YET)
                elif hear.done():
                    happening = hear.result()
                    if isinstance(happening, Ended):
                        self._paper.say(strip(happening.sentence))
                        return happening.code
                    self._hear(happening)
                    if self._shown_out and not self._hosting:
                        self.gave_up = True
                        return REFUSED
                    hear = asyncio.ensure_future(anext(news))
                elif type_.done():
                    line = type_.result()
                    if line is None and self._stay:
                        self._typing = False
                        continue
                    if line is None and self._keyboard.is_terminal:
                        self._paper.say("")
                        line = "quit"  # Ctrl-D
                    if line is None or not await self._typed(line):
                        self._paper.say("You have left the table.")
                        self.gave_up = True
                        return 0
                    type_ = asyncio.ensure_future(self._keyboard.line())
        finally:
            hear.cancel()
            type_.cancel()

    def interrupted(self) -> bool:
        """Ctrl-C. True for the second in a row: leave."""
        self._interrupts += 1
        if self._interrupts == 1:
            self._paper.say(f"Press Ctrl-C again to leave; {self._farewell}. Or just go on.")
            self._ask(again=True)
        return self._interrupts > 1

    @property
    def _farewell(self) -> str:
        if self._hosting:
            return "the table closes for everyone"
        return "a bot plays on for you" if self._would_miss_us() else "your seat becomes free"

    # Hearing.

    def _hear(self, happening: Happening) -> None:
        """Tell what happened."""
        match happening:
            case Lost():
                self._away = True
                self._catching_up = False
                self._sent = None  # a move is never sent again by itself: look first what became of it
                held = " Your seat is held." if self._store.seats else ""
                self._paper.say(f"The connection is lost.{held} Trying to come back …")
            case StillLost():
                self._paper.say(f"Still no connection after {happening.seconds:.0f} s. {happening.sentence}")
            case Back():
                self._away = False
                self._paper.say("You are back.")
                self._paper.displaced = True
            case News(message=message, before=before, after=after):
                told = isinstance(message, Update | Snapshot) and message.seq <= self._store.seq
                if not told and after.seq >= self._store.seq:  # else we were greeted with what came of it
                    self._store = after
                    self._hear_message(message, before, after)
        self._ask(again=self._paper.displaced)

    def _hear_message(self, message: object, before: Store, after: Store) -> None:
        self._settle(message, after)
        match message:
            case Update():
                told = self._tell(message, before, after)
                if told and self._away and not self._catching_up:
                    self._catching_up = True
                    told.insert(0, "While you were away:")
                self._paper.say(*told)
            case Presence():
                self._paper.say(*tell_presence(before, after))
            case Said():
                who = strip(message.name) if message.seat is not None else f"{strip(message.name)}, watching"
                self._paper.say(f"<{who}> {strip(message.text)}")
                self._paper.displaced, self._talked = self._paper.displaced or self._talked, False
            case Error() | ServerNotice():
                self._paper.say(strip(message.message))
                self._paper.displaced = True
            case Joined() if message.seat is not None:
                self._on_seat(message)
                later = " You play from the next game on." if after.phase == "playing" else ""
                self._paper.say(f"You have a seat now, as {after.name(message.seat)}.{later}")
            case Snapshot() | Joined():
                self._paper.say("Here is how it stands now.", *self._standings())
            case Left() if message.reason != "closed":  # a closed room is told by Ended
                self._paper.say(strip(message.message))
                self._shown_out = not after.tokens
                if self._shown_out and self._hosting:
                    self._paper.say("The table is open for as long as this window. 'quit' closes it for everyone.")

    def _settle(self, message: object, after: Store) -> None:
        """A move is settled when it was refused, or acknowledged and its update is here."""
        if isinstance(message, Ack | Error) and message.id == self._sent:
            self._acked = message.seq if isinstance(message, Ack) else after.seq
        if self._acked is not None and after.seq >= self._acked:
            self._sent = self._acked = None

    def _tell(self, update: Update, before: Store, after: Store) -> list[str]:
        story, view = Story(after), view_of(after.info.game)
        lines: list[str] = []
        for event in update.events:
            lines += (tell_room if of_room(event) else view.tell)(event, story)
            if event["kind"] == "options_changed":
                lines += tell_options(before, after)
            if event["kind"] == "game_over":
                lines += view.standings(story)
                lines.append("Type 'rematch' to play again, or 'quit'." if after.seats else "")
        return [strip(line) for line in lines if line]

    # Asking.

    def _greet(self) -> None:
        store = self._store
        self._paper.say(*tell_table(store))
        phase = store.info.phase
        if not store.seats:
            self._paper.say("You are watching. Nothing you type can change the game.")
        elif phase == "waiting":
            first = "'start' when everyone is here" if store.info.host in store.seats else "'ready' when you are"
            self._paper.say(f"Type {first}; 'help' lists all commands.")
        elif phase == "playing" and not self._would_miss_us():
            self._paper.say("The game is running. You play from the next one on.")
        if store.game and phase != "waiting":
            self._paper.say(*self._standings())
        self._ask()

    def _ask(self, again: bool = False) -> None:
        """Put the question to whoever of us is to play, once for each state."""
        store = self._store
        seat = None if self._away else store.wanted()
        if seat is None:
            return
        offers = store.offers(seat)
        asked = (seat, store.seq)
        if self._sent or self._paper.asking or (self._asked == asked and not again):
            return
        view = view_of(store.info.game)
        state, question = view.invite(store, seat, offers)
        if self._asked != asked:
            self._picked.clear()
            self._paper.say(*(strip(line) for line in state))
        elif seat in self._picked:
            question = f"{store.name(seat)}, {quoted(key for key, offer in offers.items() if offer.choices)}?"
        self._asked = asked
        self._paper.ask(strip(question))

    # Typing.

    async def _typed(self, line: str) -> bool:
        """Do what was typed. False when it means to leave."""
        self._paper.answered()
        self._interrupts = 0
        word = line.strip().removeprefix("/").partition(" ")[0].lower()
        try:
            if word in QUIT_WORDS:
                if self._leaving or not (self._would_miss_us() or self._others_would()):
                    return False
                self._leaving = True
                raise Unclear(f"Type 'quit' again to leave; {self._farewell}.")
            self._leaving = False
            await self._do(line.strip())
        except (NotUnderstood, Unclear) as error:
            self._paper.say(strip(str(error)))
        except ClientError as error:
            self._paper.say(error.sentence)
        self._ask(again=True)
        return True

    def _would_miss_us(self) -> bool:
        store = self._store
        return store.info.phase == "playing" and any(str(seat) in store.game["seats"] for seat in store.seats)

    def _others_would(self) -> bool:
        """Whether friends lose their table when we go."""
        seats = self._store.table.get("seats", {}).items()
        return self._hosting and any(int(s) not in self._store.seats and not p.get("bot") for s, p in seats)

    async def _do(self, line: str) -> None:
        if not line:
            return
        if self._away:
            raise Unclear("There is no connection at the moment; nothing was sent.")
        meant = understand(line, self._store, self._picked, self._guest.new_id)
        if meant.local:
            self._answer(meant.local)
        elif meant.pick:
            seat, pick = meant.pick
            self._picked[seat] = pick.choice
            self._paper.say(pick.sentence)
        for message in meant.requests:
            if isinstance(message, MakeMove):
                self._picked.clear()
            await self._guest.send(message)
            self._sent = message.id
            self._talked = isinstance(message, Chat)

    def _answer(self, word: str) -> None:
        """What needs no server."""
        if word == "who":
            self._paper.say(*tell_table(self._store), *self._standings())
            return
        real = WITH_REAL_DICE if self._store.info.options.get("dice") == "entered" else {}
        helps = {name: command.help for name, command in COMMANDS.items()} | real | LOCAL
        seat, _ = speaker(self._store, "")
        offers = self._store.offers(seat) if seat is not None else {}
        now = [f"Your moves now: {quoted(words(offers))}."] if offers else []
        self._paper.say(*now, *(f"{name}: {text}" if " " in text else text for name, text in helps.items()))

    def _standings(self) -> list[str]:
        story = Story(self._store)
        lines = view_of(self._store.info.game).standings(story) if self._store.game else []
        return [strip(line) for line in lines]
