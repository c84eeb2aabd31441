"""The table on the screen: waiting room, game, recap, for players and spectators.

Keys come in through `press`, typed lines through `submit`, the network through `hear`. What is to be sent goes out
through `send`. Nothing here waits, and nothing reads the clock: the time is a parameter.

A move names the state that is on the screen (`seq`). If newer dice already tumble, the server refuses the move as too
late. So no key is lost, and nobody acts on something that they have not seen.
"""

from collections.abc import Callable

from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.enter.invitation import Invitation
from dicegames_client.guest.events import NO_CONNECTION, GuestEvent, News
from dicegames_client.guest.store import Store
from dicegames_client.play.real_dice import correctable_rolls
from dicegames_client.play.scene import Scene
from dicegames_client.screens.page_layout import small_page, too_small
from dicegames_client.screens.screen import Prompt, Screen, Size, Word, key_name
from dicegames_client.screens.table.adviser import Adviser
from dicegames_client.screens.table.aside import Aside
from dicegames_client.screens.table.asked_review import ONLY_AFTERWARDS, REVIEW_KEY
from dicegames_client.screens.table.keys.browsing import Browsing
from dicegames_client.screens.table.keys.confirmation import YES_OR_NO, Confirmation, why_stay
from dicegames_client.screens.table.keys.game_keys import MOVED_ON, GameKeys, Hands
from dicegames_client.screens.table.keys.phase_keys import Deed, after_the_game, in_the_waiting_room
from dicegames_client.screens.table.keys.watching import NO_OTHER_TABLE, Watching
from dicegames_client.screens.table.outcome import left
from dicegames_client.screens.table.painting import paint
from dicegames_client.screens.table.painting.context import PaintContext
from dicegames_client.screens.table.painting.panels import is_large
from dicegames_client.screens.table.stage.stage import Stage
from dicegames_client.screens.table.typing.fill_in import FillIn
from dicegames_client.screens.table.typing.open_line import OpenLine, Purpose
from dicegames_client.screens.table.typing.said import TALK_KEYS, Saying
from dicegames_client.widgets.bar import seconds
from dicegames_client.widgets.lines import Line, line, shorten, width_of
from dicegames_protocol.messages.client import MakeMove, Request
from dicegames_protocol.messages.review import Review
from dicegames_protocol.messages.server import Ack, Error, Odds, Preview, Rooms, RulesPage, Update

EVERYWHERE_KEYS = ("t", "/", "?", "o", "v", "w", "up", "down", "pageup", "pagedown", "home", "end")
"""Keys that never act on a game. They do not end a moment either."""
TYPING_KEYS = ("t", "/", "?", "o", "up", "down", "pageup", "pagedown", "home", "end", "ctrl-f", "tab")
"""Keys that mean the same while real dice are typed."""
TOO_SOON = "That was too soon to be meant for this. Press it again."
SAVE_KEY = "s"
"""Saves the log when a game is over. For spectators this key takes a seat; they type /save."""


class TableScreen(Screen):
    def __init__(
        self,
        store: Store,
        *,
        send: Callable[[Request], None],
        new_id: Callable[[], str],
        now: float,
        display: DisplayOptions | None = None,
        invited: Invitation | None = None,
        hosting: bool = False,
        hold_seconds: Callable[[], float] = lambda: 900,
        name: str = "",
        adviser: Adviser | None = None,
        save: Callable[[], None] = lambda: None,
    ) -> None:
        """`save` begins to save the log. How it ends is told with `stage.say`."""
        self._display = display or DisplayOptions()
        self.stage = Stage(
            store, self._display, now, hosting=hosting, hold_seconds=hold_seconds, moved_on=self._moved_on
        )
        self._say = self.stage.say
        self._send_out, self._save, self._new_id = send, save, new_id
        self._invited, self._hosting = invited or Invitation(), hosting
        self.stage.feed.add(*self._invited.in_the_feed())
        self.title = self.stage.title
        self._size, self._typing = Size(80, 24), OpenLine()
        self._aside, self._adviser = Aside(), adviser or Adviser()
        self._confirmation: Confirmation | None = None
        hands = Hands(self._send, self._say, new_id, self._scene, self._ask_first, self._open_line)
        self._playing = GameKeys(self.stage, self._adviser, hands)
        self._watching = Watching(self._send, new_id, self._open_line, name)
        self._browsing = Browsing(
            self.stage, self._typing, self._invited, send=self._send, new_id=new_id, scene=self._scene
        )
        self._saying = Saying(
            self.stage,
            self._typing,
            self._browsing,
            self._playing,
            send=self._send,
            save=save,
            leave=self._ask_to_leave,
            new_id=new_id,
        )
        self._now = now

    @property
    def prompt(self) -> Prompt | None:  # type: ignore[override]
        return self._typing.prompt

    @property
    def shown(self) -> Store:
        return self.stage.shown

    @property
    def _seat(self) -> int | None:
        return self._playing.seat

    # The network.

    def failed(self, id: str, sentence: str, now: float) -> None:
        """A message could not be sent."""
        if not self._typing.refused(id, sentence):
            self.stage.failed(id, sentence, now)

    def hear(self, heard: GuestEvent, now: float) -> None:
        match heard:
            case News(message=Ack() as answer) if self._typing.done(answer.id):
                pass
            case News(message=Error() as answer) if self._typing.refused(answer.id, answer.message):
                pass
            case News(message=RulesPage() | Odds() | Review() | Error() as answer) if self._asked(answer):
                pass
            case News(message=RulesPage() | Odds() as answer):
                self._browsing.overlay.hear(answer, self._scene(now))
            case News(message=Preview() | Error() as answer) if self._playing.hear(answer, now):
                pass
            case News(message=Rooms() as found):
                self.result = self._watching.next_table(found, self.shown)
                if self.result is None:
                    self._say(NO_OTHER_TABLE, now)
            case News(message=Error() as error) if (why := self._watching.not_seated(error)) is not None:
                self._say(why, now, "bad")
            case _:
                self.stage.hear(heard, now)
        if self.stage.ended:
            self._confirmation = self._browsing.overlay.page = None
        elif self.stage.lost_at is not None and self._confirmation and not self._confirmation.leaves:
            self._confirmation = None
        if self.stage.ended or self.stage.lost_at is not None:
            self._playing.give_up()
            self._browsing.review.lost()
            self._typing.lost(NO_CONNECTION)
        self.rings, self.stage.rings = self.rings or self.stage.rings, ""
        self.title = self.stage.title

    def _asked(self, answer: RulesPage | Odds | Review | Error) -> bool:
        """Whether it answers a question that the screen has asked by itself."""
        return self._aside.hear(answer) or self._browsing.review.hear(answer)

    def _moved_on(self, update: Update, now: float) -> None:
        """The state on the screen has changed: discard what was picked, asked or said about the old one."""
        given_up = "game" in update.patch and self._playing.moved_on(offers="offers" in update.patch)
        if "offers" in update.patch:
            self.stage.forget_hint()
        if any(event["kind"] == "game_over" for event in update.events):
            self._browsing.scroll = None
            if any(str(seat) in self.shown.game.get("seats", {}) for seat in self.shown.seats):
                self._adviser.played(self.shown.info.game)
        if self._confirmation and not self._confirmation.leaves:
            self._confirmation, given_up = None, True
        if given_up:
            self._say(MOVED_ON, now, "bad")

    # Keys.

    def press(self, key: str, now: float) -> None:
        in_the_air = self.stage.tumble
        self._now = now
        self._pressed(key, now)
        self.copies, self._browsing.copies = self.copies or self._browsing.copies, ""
        if in_the_air is not None and self.stage.tumble is in_the_air:
            self.stage.land(now)

    def _pressed(self, key: str, now: float) -> None:
        self.stage.notice = None
        if self.stage.ended:
            if key in ("q", "enter", "escape", "ctrl-c", "ctrl-d"):
                self._leave()
            else:
                self._say("It is over here. Q quits.", now)
        elif self._confirmation:
            self._answer(self._confirmation, key, now)
        elif self._playing.page and key != "ctrl-d":
            self._playing.press_page(key, now)
        elif self._browsing.overlay.page and key != "ctrl-d":
            self._browsing.press_page(key, self._size.rows - 5, now)
        elif self._playing.entry and key not in (*TYPING_KEYS, "ctrl-d"):
            self._playing.type_face(key, now)
        elif key in ("q", "ctrl-c", "ctrl-d"):
            self._ask_to_leave(now)
        elif not too_small(self._size) and not self._seen(key, now):  # a table that can't be seen takes no keys
            self._at_the_table(key, now)

    def _seen(self, key: str, now: float) -> bool:
        """A key ends a moment. True: it does nothing else, because it was not meant for what comes next.

        The face of a real die can be meant for nothing else.
        """
        shown = self.stage.interlude.moment
        if key in EVERYWHERE_KEYS or not self.stage.key_in_moment(now) or self._playing.takes_face(key, now):
            return False
        self._say(TOO_SOON, now) if shown is None else None
        return True

    def _answer(self, question: Confirmation, key: str, now: float) -> None:
        answer = question.answer(key, now)
        if isinstance(answer, str):
            self._say(answer, now)
            return
        self._confirmation = None
        question.answered()
        if answer:
            question.yes()

    def _at_the_table(self, key: str, now: float) -> None:
        if key in TALK_KEYS:
            self._saying.open(key)
        elif self._browsing.press(key, now):
            pass
        elif self.stage.lost_at is not None:
            self._say(NO_CONNECTION, now, "bad")
        elif not self.shown.seats:
            self._say(said, now) if (said := self._watching.press(key)) else None
        elif self.shown.phase == "waiting":
            self._around_the_game(in_the_waiting_room(key, self.shown, self._new_id), key, now)
        elif self.shown.phase == "dealing" or self.shown.rolling:
            self._say("The dice are rolling; one moment.", now)
        elif self.shown.phase == "playing":
            if not self._playing.press(key, now):
                self._unknown(key, now)
        elif key in ("u", "x") and correctable_rolls(self.shown) and self._playing.mend(key, now):
            pass  # the last roll of the game was wrong
        elif key == SAVE_KEY:
            self._save()
        else:
            self._around_the_game(after_the_game(key, self.shown, self._new_id), key, now)

    def _unknown(self, key: str, now: float) -> None:
        if key == REVIEW_KEY:
            self._say(ONLY_AFTERWARDS, now)
        elif self.stage.tumble is None:
            self._say(f"{key_name(key)} does nothing here. Press ? for the rules and the keys.", now)

    def _around_the_game(self, deed: Deed, key: str, now: float) -> None:
        if deed is None:
            self._unknown(key, now)
        elif isinstance(deed, str):
            self._say(deed, now)
        else:
            for request in deed:
                self._send(request)

    # Asking, typing, leaving.

    def _ask_first(self, question: Confirmation) -> None:
        self._confirmation = question

    def _open_line(self, prompt: Prompt, purpose: Purpose, fill_in: FillIn | None = None) -> None:
        """Open a line for something that needs the connection."""

        def connected(text: str, now: float) -> None:
            self._saying.check_connection()
            purpose(text, now)

        self._typing.open(prompt, connected, fill_in=fill_in)

    def submit(self, text: str, now: float) -> bool:
        """A line was typed. If it can't be done, the line stays, with a sentence that says why."""
        self._now = now
        return self._typing.submit(text, now)

    def edited(self, now: float) -> None:
        self._typing.edited()

    def cancel(self, now: float) -> None:
        self._typing.close()

    def complete(self, text: str) -> list[Word]:
        return self._typing.complete(text, self.shown, self._seat, self._watching.name)

    def pasted(self, now: float) -> None:
        self._say("Pasted text does nothing here. T opens a line to talk.", now)

    def wheel(self, lines: int, now: float) -> None:
        if self._browsing.overlay.page:
            self._browsing.overlay.page.top += lines
        else:
            self.stage.feed.scroll(back=lines < 0, most=abs(lines))

    def _ask_to_leave(self, now: float) -> None:
        if missed := why_stay(self.shown, self._hosting):
            self._confirmation = Confirmation(f"Leave? {missed}. y/n", now, self._leave, leaves=True)
        else:
            self._leave()

    def _leave(self) -> None:
        self.result = left(self.stage.ended, gave_up=self.stage.gave_up, hosting=self._hosting)

    def _send(self, request: Request) -> None:
        """Send a request. A move blocks the next move until it is settled."""
        if isinstance(request, MakeMove):
            self._adviser.moved(self._scene(self._now))
            self.stage.sent.send(request.id)
        self._send_out(request)

    # Painting.

    def _scene(self, now: float) -> Scene:
        entry = self._playing.entry
        return Scene(
            store=self.shown,
            glyphs=self._display.glyphs,
            events=self.stage.events,
            seat=self._seat,
            picked=self._playing.selection.picked,
            tumbling=entry.dice if entry else self.stage.in_the_air(now),
            typing=entry is not None,
            coming=self.stage.coming,
            story=self.stage.recap.story,
            timer_ms=self.stage.timer_ms(now),
            keys=self._playing.selection.keys(self.shown) if self.stage.lost_at is None else (),
            live=self.stage.lost_at is None,
        )

    def _context(self, scene: Scene, now: float) -> PaintContext:
        return PaintContext(
            wire=self.stage.wire(now),
            invited=self._invited,
            recap=self.stage.recap,
            review=self._browsing.review.found,
            no_review=self._browsing.review.status,
            scroll=self._browsing.scroll,
            away_ms=self.stage.away_ms(now),
            hosting=self._hosting,
            moment=self.stage.interlude.moment,
            odds=self._aside.odds,
            rules=self._aside.rules,
            advice=self._adviser.hint(scene),
            lesson=self._adviser.lesson(scene),
        )

    def paint(self, size: Size, now: float) -> list[Line]:
        self._size = size
        self.stage.tick(now)
        if too_small(size):
            return small_page(size)
        self._ask_by_itself(size)
        if self._playing.page:
            return self._playing.page.paint(size, self._display.glyphs)
        if page := self._browsing.overlay.page:
            left = self.stage.timer_ms(now) if self.shown.phase == "playing" else None
            return page.paint(size, self._display.glyphs, f"{seconds(left)} left" if left is not None else "")
        scene = self._scene(now)
        context = self._context(scene, now)
        self.stage.feed.seen = None
        status = paint.status(scene, context, size.columns)
        actions = YES_OR_NO if self._confirmation else paint.actions(scene, context)
        return paint.table_page(scene, context, self.stage.feed, size, status=status, actions=actions)

    def _ask_by_itself(self, size: Size) -> None:
        """Ask for what the panels of a large window show, and for the review of a game that is over."""
        if self.stage.lost_at is not None or self.stage.ended or self.shown.rolling:
            return
        self._browsing.ask_review()
        if is_large(size):
            for question in self._aside.questions(self.shown, self._seat, self.stage.rolled_seq, self._new_id):
                self._send_out(question)

    def warning(self, size: Size, now: float) -> Line:
        if self._confirmation:
            hint = f"   {self.stage.message.text}" if self.stage.message else ""
            question = self._confirmation.text
            if hint and width_of([("", question), ("", hint)]) + 2 > size.columns:
                question = question.rpartition(". ")[2]  # what is asked, without why
            return [("question", f" {question} "), ("notice", hint)]
        said = self._playing.page.said if self._playing.page else ""
        if told := self._typing.wrong or said or self.stage.message:
            text, style = (told, "bad") if isinstance(told, str) else (told.text, told.style)
            return line(f" {shorten(text, size.columns - 2, self._display.glyphs.ellipsis)}", style)
        return []

    def footer(self, size: Size, now: float) -> Line:
        if (urgent := self.warning(size, now)) or self._browsing.overlay.page or self._playing.page or too_small(size):
            return urgent
        scene = self._scene(now)
        if typing := self._playing.told(size.columns - 2):
            return line(f" {typing}", "question")
        return paint.footer(scene, self._context(scene, now), self.stage.feed, size)

    def pulse(self, now: float) -> float | None:
        return self.stage.pulse(now)
