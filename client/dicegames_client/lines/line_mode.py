"""Line mode: one sentence per line, no colour, no cursor movement. Works in a pipe and for a screen reader."""

import asyncio
import logging
from collections.abc import Callable
from typing import TextIO

from dicegames_client.base.errors import REFUSED, ClientError
from dicegames_client.base.terminal.keyboard import Keyboard
from dicegames_client.enter.invitation import NO_LINE, Invitation
from dicegames_client.enter.saving import save_table
from dicegames_client.guest.events import (
    NOT_YET,
    SLOW_ANSWER_SECONDS,
    Alarm,
    Back,
    Finished,
    GuestEvent,
    Lost,
    News,
    StillLost,
)
from dicegames_client.guest.guest import Guest
from dicegames_client.guest.store import Store
from dicegames_client.lines.help_lines import help_lines
from dicegames_client.lines.line_output import LineOutput
from dicegames_client.lines.questions_asked import after_the_game, question, told_answer
from dicegames_client.lines.second_thoughts import SecondThoughts
from dicegames_client.lines.telling import tell_event
from dicegames_client.play.parse_input import parse_input
from dicegames_client.play.parse_move import NotUnderstood, quoted_moves
from dicegames_client.play.real_dice import worth_telling
from dicegames_client.play.room_wording import evening, tell_options, tell_presence, tell_table
from dicegames_client.play.typed_commands import QUIT_WORDS, Unclear
from dicegames_client.play.wording import Wording
from dicegames_client.views import reasons_at, view_of
from dicegames_protocol.messages.client import Chat, MakeMove, Request, Start
from dicegames_protocol.messages.review import Review
from dicegames_protocol.messages.server import (
    Ack,
    Error,
    Joined,
    Left,
    Odds,
    Presence,
    Preview,
    RulesPage,
    Said,
    ServerNotice,
    Snapshot,
    Update,
)
from dicegames_protocol.text import strip

log = logging.getLogger("dicegames.lines")


class LineMode:
    """The table as text. `run` returns the exit code when the user leaves or the table ends."""

    def __init__(
        self,
        guest: Guest,
        keyboard: Keyboard,
        out: TextIO,
        *,
        stay_at_end_of_input: bool = False,
        hosting: bool = False,
        invited: Invitation | None = None,
        on_seat: Callable[[Joined], None] = lambda joined: None,
    ) -> None:
        """`hosting`: the server runs in this process, and the table ends with it."""
        self._on_seat = on_seat
        self._guest = guest
        self._hosting = hosting
        self._invited = invited or Invitation()
        self._interrupts = 0
        self._keyboard = keyboard
        self._output = LineOutput(out, echoed=keyboard.is_terminal)
        self._stay = stay_at_end_of_input
        self._asked: tuple[int, int] | None = None
        self._leaving = False
        self._picked: dict[int, str] = {}
        self._thoughts = SecondThoughts(guest.new_id)
        self._away = False
        self._catching_up = False
        self._typing = True
        self._shown_out = False
        self.gave_up = False
        """We have left for good, or were removed: the seat is no longer ours."""
        self._sent: str | None = None
        self._waited_for: str | None = None
        self._store = guest.store
        """The id of the request for which NOT_YET was already printed."""
        self._acked: int | None = None
        self._later: list[Request] = []
        """What follows from something that was heard, and is still to be sent."""
        self._talked = False
        """A chat message of ours is on its way. After it is printed, an open question is asked again."""

    async def run(self, *opening: Request) -> int:
        """Greet, send the requests in `opening`, and play. Returns the exit code."""
        self._store = self._guest.store
        self._greet(starting=any(isinstance(message, Start) for message in opening))
        for message in opening:
            await self._guest.send(message)
            self._sent = message.id
        news = self._guest.news()
        hear = asyncio.ensure_future(anext(news))
        type_ = asyncio.ensure_future(self._keyboard.line())
        try:
            while True:
                listening = (
                    self._typing and not self._sent and not (self._store.phase == "dealing" or self._store.rolling)
                )
                both = (hear, type_) if listening else (hear,)
                patience = SLOW_ANSWER_SECONDS if self._sent and self._sent != self._waited_for else None
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED, timeout=patience)
                if patience is not None and not hear.done():
                    self._waited_for = self._sent
                    self._output.say(NOT_YET)
                elif hear.done():
                    heard = hear.result()
                    if isinstance(heard, Finished):
                        self._output.say(strip(heard.sentence))
                        return heard.code
                    self._hear_safely(heard)
                    while self._later:
                        await self._send(self._later.pop())
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
                        self.end_line()
                        line = "quit"  # Ctrl-D
                    if line is None or not await self._typed(line):
                        self._output.say("You have left the table.")
                        self.gave_up = True
                        return 0
                    type_ = asyncio.ensure_future(self._keyboard.line())
        finally:
            hear.cancel()
            type_.cancel()

    def interrupted(self) -> bool:
        """Ctrl-C was pressed. True for the second time in a row: leave."""
        self._interrupts += 1
        if self._interrupts == 1:
            self._output.say(f"Press Ctrl-C again to leave{self._farewell}. Or just go on.")
            self._ask(again=True)
        return self._interrupts > 1

    def end_line(self) -> None:
        """Whatever comes now stands on a line of its own."""
        self._output.end_line()

    @property
    def _farewell(self) -> str:
        """What leaving means, behind the word "leave"."""
        if self._hosting:
            return "; the table closes for everyone"
        if not self._store.seats:
            return ""
        return "; a bot plays on for you" if self._would_miss_us() else "; your seat becomes free"

    # Events.

    def _hear_safely(self, heard: GuestEvent) -> None:
        """Print what happened. Whatever can't be told is said to be so: nobody is left in front of a dead prompt."""
        try:
            self._hear(heard)
        except Exception as error:
            log.exception("something can't be told")
            self._output.say(f"Something that happened can't be told here ({type(error).__name__}). 'who' shows all.")
            self._ask(again=True)

    def _hear(self, heard: GuestEvent) -> None:
        """Print what happened."""
        match heard:
            case Lost():
                self._away = True
                self._catching_up = False
                self._sent = None  # a move is never resent by itself: the player looks first what became of it
                held = " Your seat is held." if self._store.seats else ""
                self._output.say(f"{heard.why or 'The connection is lost.'}{held} Trying to come back …")
            case Alarm():
                self._output.say(f"{'ALARM: ' if heard.severe else ''}{strip(heard.sentence)}")
                self._output.displaced = True
            case StillLost():
                self._output.say(f"Still no connection after {heard.seconds:.0f} s. {heard.sentence}")
            case Back():
                self._away = False
                self._output.say(heard.said or "You are back.")
                self._output.displaced = True
            case News(message=message, before=before, after=after):
                told = isinstance(message, Update | Snapshot) and message.seq <= self._store.seq
                if not told and after.seq >= self._store.seq:  # else the greeting has shown it already
                    self._store = after
                    self._hear_message(message, before, after)
        self._ask(again=self._output.displaced)

    def _hear_message(self, message: object, before: Store, after: Store) -> None:
        self._settle(message, after)
        match message:
            case Update():
                told = self._tell(message, before, after)
                if told and self._away and not self._catching_up:
                    self._catching_up = True
                    told.insert(0, "While you were away:")
                self._output.say(*told)
            case Presence():
                self._output.say(*tell_presence(before, after))
            case Said():
                who = strip(message.name) if message.seat is not None else f"{strip(message.name)}, watching"
                self._output.say(f"<{who}> {strip(message.text)}")
                self._output.displaced, self._talked = self._output.displaced or self._talked, False
            case Error() | ServerNotice():
                self._output.say(strip(message.message))
                self._output.displaced = True
            case RulesPage() | Odds() | Review():
                self._output.say(*told_answer(message, after))
                self._output.displaced = True
            case Preview():
                self._preview(message, after)
            case Joined() if message.seat is not None:
                self._on_seat(message)
                later = " You play from the next game on." if after.phase == "playing" else ""
                self._output.say(f"You have a seat now, as {after.name(message.seat)}.{later}")
            case Snapshot() | Joined():
                self._output.say("Here is how it stands now.", *self._standings())
            case Left() if message.reason != "closed":  # a closed room is reported by Finished
                self._output.say(strip(message.message))
                self._shown_out = not after.tokens
                if self._shown_out and self._hosting:
                    self._output.say("The table is open for as long as this window. 'quit' closes it for everyone.")

    def _settle(self, message: object, after: Store) -> None:
        """A move is settled when it was refused, or acknowledged and its update is here."""
        if isinstance(message, Ack | Error) and message.id == self._sent:
            self._acked = message.seq if isinstance(message, Ack) else after.seq
        if isinstance(message, RulesPage | Odds | Review | Preview) and message.id == self._sent:
            self._sent = None
        if self._acked is not None and after.seq >= self._acked:
            self._sent = self._acked = None

    def _tell(self, update: Update, before: Store, after: Store) -> list[str]:
        lines: list[str] = []
        for event in worth_telling(update.events, view_of(after.info.game).thrown):
            lines += tell_event(event, Wording(after))
            if event["kind"] == "options_changed":
                lines += tell_options(before, after)
            if event["kind"] == "game_over":
                lines.append(evening(after))
                lines.append(after_the_game(after))
        return [strip(line) for line in lines if line]

    # Questions.

    def _greet(self, starting: bool) -> None:
        """`starting`: the game begins at once."""
        store = self._store
        self._output.say(*tell_table(store))
        phase = store.info.phase
        if not store.seats:
            self._output.say("You are watching. Nothing you type can change the game.")
        elif phase == "waiting":
            first = "'start' when everyone is here" if store.info.host in store.seats else "'ready' when you are"
            self._output.say("'help' lists all commands." if starting else f"Type {first}; 'help' lists all commands.")
        elif phase == "playing" and not self._would_miss_us():
            self._output.say("The game is running. You play from the next one on.")
        if store.game and phase != "waiting":
            self._output.say(*self._standings())
        self._ask()

    def _ask(self, again: bool = False) -> None:
        """Ask the first of our seats that is to play, once for each state."""
        store = self._store
        seat = None if self._away else store.wanted()
        if seat is None:
            return
        offers = store.offers(seat)
        asked = (seat, store.seq)
        if self._sent or self._output.asking or (self._asked == asked and not again):
            return
        view = view_of(store.info.game)
        state, question = view.invite(store, seat, offers)
        if self._asked != asked:
            self._picked.clear()
            self._thoughts.drop()
            self._output.say(*(strip(line) for line in state))
        elif seat in self._picked:
            able = {key: offer for key, offer in offers.items() if offer.asks == "faces"}
            question = f"{store.name(seat)}, {quoted_moves(able)}?"
        self._asked = asked
        self._output.ask(strip(question))

    # Typed lines.

    async def _typed(self, line: str) -> bool:
        """Do what was typed. False if the user leaves."""
        self._output.answered()
        self._interrupts = 0
        word = line.strip().removeprefix("/").partition(" ")[0].lower()
        try:
            if word in QUIT_WORDS:
                if self._leaving or not (self._would_miss_us() or self._others_would()):
                    return False
                self._leaving = True
                raise Unclear(f"Type 'quit' again to leave{self._farewell}.")
            self._leaving = False
            await self._do(line.strip())
        except (NotUnderstood, Unclear) as error:
            self._output.say(strip(str(error)))
        except ClientError as error:
            self._output.say(error.sentence)
        self._ask(again=True)
        return True

    def _would_miss_us(self) -> bool:
        store = self._store
        return store.info.phase == "playing" and any(str(seat) in store.game["seats"] for seat in store.seats)

    def _others_would(self) -> bool:
        """Whether other people lose their table when we leave."""
        store = self._store
        others = [player for key, player in store.table.get("seats", {}).items() if int(key) not in store.seats]
        return self._hosting and any(not player.get("bot") and not player["left"] for player in others)

    def _preview(self, preview: Preview, store: Store) -> None:
        """Tell what would come of a correction."""
        told, at_once = self._thoughts.tell(preview, store)
        if at_once:
            self._later.append(at_once)
        self._output.say(*told)
        self._output.displaced = bool(told)

    async def _do(self, line: str) -> None:
        if not line:
            return
        if self._away:
            raise Unclear("There is no connection at the moment; nothing was sent.")
        if self._thoughts.open:
            accepted, line = self._thoughts.answer(line)
            if accepted:
                await self._send(accepted)
                return
            self._output.say("Nothing was done.")
            if not line:
                return
        store = self._store
        parsed = parse_input(line, store, self._picked, self._guest.new_id, reasons_at(store))
        if asked := question(parsed, store, self._guest.new_id):
            await self._guest.send(asked)
            self._sent = asked.id
        elif parsed.local == "save":
            self._output.say(f"{await save_table(self._guest)}.")
        elif parsed.local:
            self._answer(parsed.local)
        elif parsed.pick:
            seat, pick = parsed.pick
            self._picked[seat] = pick.choice
            self._output.say(pick.sentence)
        for message in parsed.requests:
            instead, asking = self._thoughts.before(message, store)
            self._output.say(*([strip(asking)] if asking else []))
            if instead:
                await self._send(instead)

    async def _send(self, message: Request) -> None:
        if isinstance(message, MakeMove):
            self._picked.clear()
        await self._guest.send(message)
        self._sent = message.id
        self._talked = isinstance(message, Chat)

    def _answer(self, word: str) -> None:
        """Answer a command that needs no server."""
        if word == "who":
            self._output.say(*tell_table(self._store), *self._standings())
            return
        if word == "invite":
            self._output.say(*(self._invited.told() or [NO_LINE]))
            return
        self._output.say(*help_lines(self._store))

    def _standings(self) -> list[str]:
        wording = Wording(self._store)
        lines = view_of(self._store.info.game).standings(wording) if self._store.game else []
        return [strip(line) for line in lines]
