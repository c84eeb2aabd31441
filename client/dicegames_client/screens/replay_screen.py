"""Replays a log: the table as a spectator saw it, forwards, backwards, round by round, from mistake to mistake."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from dicegames_client.base.errors import REFUSED, USAGE, ClientError
from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.guest.events import News
from dicegames_client.guest.store import Store, Verdict
from dicegames_client.play.scene import Scene
from dicegames_client.review.move_marks import MoveMarks
from dicegames_client.review.review_picture import page_lines
from dicegames_client.screens.page_layout import Action, small_page, status_line, too_small
from dicegames_client.screens.screen import Screen, Size, key_name
from dicegames_client.screens.table.asked_review import REVIEW_KEY, WORKING_OUT
from dicegames_client.screens.table.painting import paint
from dicegames_client.screens.table.painting.context import PaintContext
from dicegames_client.screens.table.painting.recap_picture import STORY_KEY, story_page
from dicegames_client.screens.table.stage.stage import Stage
from dicegames_client.screens.text_page import TextPage, help_page
from dicegames_client.views import view_of
from dicegames_client.widgets.feed import WARNING
from dicegames_client.widgets.lines import Line, line, shorten
from dicegames_protocol.base import JsonObject
from dicegames_protocol.messages.review import GameReview
from dicegames_protocol.messages.server import Update
from dicegames_protocol.text import strip

_SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Speeds that can be chosen, in updates per second."""
DONE = 1


_KEYS = (
    ("Space, P", "pause, and play on; at the end, begin anew"),
    ("Right, Enter", "one step on"),
    ("Left", "one step back"),
    ("N", "the next mistake: a decision that gave away 2 % or more of the chance to win"),
    ("F, PgDn", "the next round, or the next game"),
    ("B, PgUp", "back to where the round began"),
    ("+, Up", "faster"),
    ("-, Down", "slower"),
    ("Home", "the very beginning: the waiting room"),
    ("End", "the end"),
    ("V", "at the end of a game: how it went, on a page"),
    ("W", "how well everybody played, on a page"),
    ("?", "this page"),
    ("Q, Ctrl-C", "quit; the next replay of this log begins where you were"),
)


class ReplayScreen(Screen):
    """The result is DONE when the user quits."""

    def __init__(
        self,
        updates: Sequence[Update],
        display: DisplayOptions,
        now: float,
        *,
        speed: float,
        start: int = 0,
        at: int | None = None,
    ) -> None:
        """It begins with round `start`, else with update `at`, where the user was last time, else with the game."""
        if not updates:
            raise ClientError("There is nothing in this log.", REFUSED)
        self._display = display
        self._states = [Store()]
        for update in updates:
            after, verdict = self._states[-1].receive(update)
            if verdict is not Verdict.NEWS:
                raise ClientError(f"This log is not whole: update {self._states[-1].seq + 1} is missing.", REFUSED)
            self._states.append(after)
        self._updates = updates
        self._marks_of_moves = MoveMarks()
        self._no_marks = WORKING_OUT
        """Why there are no marks. Empty: all of them are there."""
        self._speed = min(_SPEEDS, key=lambda known: abs(known - speed))
        self._running = True
        self._said = ""
        self._rows = 24
        self._page: TextPage | None = None
        self._next = now
        self._first = next((number for number, update in enumerate(updates, start=1) if _starts_game(update)), 1)
        """The update with which the first game begins."""
        begin = self._first
        if start > 1:
            found = [number for number in self._marks() if self._round_at(number) >= start]
            if not found:
                raise ClientError(f"There is no round {start} in this log.", USAGE)
            begin = found[0]
        elif not start and at is not None and self._first < at < len(updates):
            begin = at
            self._said = "You were here last time. Home begins anew."
        self._at = begin
        self._jump(begin, now)

    @property
    def place(self) -> int | None:
        """Where the next replay of this log has to begin. None: at the game, because this one is at an end of it."""
        return self._at if self._first < self._at < len(self._updates) else None

    def take_review(self, review: GameReview) -> None:
        """The moves of one more game have their marks."""
        self._marks_of_moves.add(review)

    def reviewed(self, trouble: str = "") -> None:
        """No more reviews will come. `trouble` says why, if not all games have one."""
        self._no_marks = trouble

    def _round_at(self, number: int) -> int:
        view = view_of(self._states[number].info.game)
        return max((view.round_begun(event) for event in self._updates[number - 1].events), default=0)

    def _marks(self) -> list[int]:
        """The numbers of the updates at which rounds and games begin."""
        return [
            number
            for number, update in enumerate(self._updates, start=1)
            if any(self._begins(event, self._states[number]) for event in update.events)
        ]

    def _begins(self, event: JsonObject, store: Store) -> bool:
        """Whether a round or a game begins. In a game without rounds, once around the table counts."""
        view = view_of(store.info.game)
        if event["kind"] == "game_started" or view.round_begun(event):
            return True
        return bool(store.game) and view.lap(event, store)

    def _jump(self, number: int, now: float) -> None:
        """Show the table after `number` updates. The feed is filled again with up to 200 updates before it."""
        self._at = max(1, min(number, len(self._updates)))
        begin = max(1, self._at - 200)
        still = replace(self._display, motion=False, bell=False)
        self._stage = Stage(
            self._states[begin], still, now, hosting=False, hold_seconds=lambda: 0, moved_on=lambda update, now: None
        )
        for index in range(begin, self._at):
            self._stage.end_moment()
            self._hear(index, now)
        self._next = now + 1 / self._speed

    def _hear(self, index: int, now: float) -> None:
        """Show one more update. A mistake is told in the feed."""
        update = self._updates[index]
        self._stage.hear(News(update, self._states[index], self._states[index + 1]), now)
        self._stage.feed.add(*self._marks_of_moves.mistakes(update.seq), mark=WARNING)

    def _next_mistake(self, now: float) -> None:
        """Jump to the next mistake, and stop there."""
        if found := self._marks_of_moves.next_mistake(self._updates[self._at - 1].seq):
            self._running = False
            self._jump(bisect_left(self._updates, found, key=lambda update: update.seq) + 1, now)
        else:
            self._said = self._no_marks or "There are no more mistakes after this."

    def _step(self, now: float) -> None:
        if self._at >= len(self._updates):
            self._running = False
            return
        self._stage.end_moment()
        self._stage.display = self._display
        self._hear(self._at, now)
        self._at += 1
        self._next = now + 1 / self._speed

    def press(self, key: str, now: float) -> None:
        self._said = ""
        if self._page:
            if key in ("escape", "enter", "q", "ctrl-c", self._page.kind):
                self._page, self._next = None, now + 1 / self._speed
            elif key == "ctrl-d":
                self.result = DONE
            elif not self._page.scroll(key, self._rows - 5):
                self._said = "Press Esc to go back to the replay."
            return
        marks = self._marks()
        match key:
            case "q" | "ctrl-c" | "ctrl-d":
                self.result = DONE
            case " " | "p":
                if self._at >= len(self._updates):
                    self._jump(self._first, now)
                    self._running = False
                self._running = not self._running
                self._next = now + 1 / self._speed
            case "right" | "enter":
                self._running = False
                self._stage.land(now)
                self._step(now)
            case "left":
                self._running = False
                self._jump(self._at - 1, now)
            case "n":
                self._next_mistake(now)
            case "f" | "pagedown":
                self._jump(next((mark for mark in marks if mark > self._at), len(self._updates)), now)
            case "b" | "pageup":
                self._jump(next((mark for mark in reversed(marks) if mark < self._at), 1), now)
            case "home":
                self._jump(1, now)
            case "end":
                self._jump(len(self._updates), now)
            case "+" | "-" | "up" | "down":
                index = _SPEEDS.index(self._speed) + (1 if key in ("+", "up") else -1)
                self._speed = _SPEEDS[max(0, min(index, len(_SPEEDS) - 1))]
            case _ if key == STORY_KEY and self._stage.shown.phase == "over":
                self._page = story_page(self._scene(now), self._stage.recap)
            case _ if key == REVIEW_KEY:
                self._show_review()
            case "?":
                self._page = help_page("The keys of a replay", _KEYS)
            case _:
                self._said = f"{key_name(key)} does nothing here. ? shows the keys."

    @property
    def _review(self) -> GameReview | None:
        """The review of the game that is shown."""
        return self._marks_of_moves.of_game(self._stage.shown.info.game_no)

    def _show_review(self) -> None:
        if review := self._review:
            glyphs = self._display.glyphs
            self._page = TextPage(
                REVIEW_KEY, "How well everybody played", lambda width, rows: page_lines(review, width, glyphs)
            )
        else:
            self._said = self._no_marks or "This game is not over in this log, so it has no review."

    def _scene(self, now: float) -> Scene:
        return Scene(
            self._stage.shown,
            self._display.glyphs,
            self._stage.events,
            tumbling=self._stage.in_the_air(now),
            coming=self._stage.coming,
            story=self._stage.recap.story,
        )

    def wheel(self, lines: int, now: float) -> None:
        if self._page:
            self._page.top += lines
        else:
            self._stage.feed.scroll(back=lines < 0, most=abs(lines))

    def paint(self, size: Size, now: float) -> list[Line]:
        self._rows = size.rows
        if self._page and not too_small(size):
            return self._page.paint(size, self._display.glyphs)
        self._stage.tick(now)
        if self._running and now >= self._next:
            self._step(now)
        if too_small(size):
            return small_page(size)
        store, scene = self._stage.shown, self._scene(now)
        context = PaintContext(
            recap=self._stage.recap,
            moment=self._stage.interlude.moment,
            review=self._review,
            no_review=self._no_marks,
        )
        title = f"REPLAY  {strip(store.info.title)}  room {store.info.code}"
        if store.phase == "playing":
            title += f"  {strip(view_of(store.info.game).headline(scene))}"
        state = f"{'' if self._running else 'PAUSED  '}{self._at}/{len(self._updates)}  x{self._speed:g}"
        keys = [
            Action("Space", "Pause" if self._running else "Play"),
            Action("Left/Right", "Step"),
            Action("B/F", "Round"),
            Action("N", "Mistake"),
            Action("+/-", "Speed"),
            Action("?", "Keys"),
            Action("Q", "Quit"),
        ]
        status = status_line(title, state, size.columns)
        return paint.table_page(scene, context, self._stage.feed, size, status=status, actions=keys)

    def footer(self, size: Size, now: float) -> Line:
        if self._page:
            return line(f" {self._said}", "dim")
        if self._said or not (told := self._marks_of_moves.told(self._updates[self._at - 1].seq)):
            return line(f" {self._said or 'A replay. Home and End jump to the beginning and the end.'}", "dim")
        return line(f" {shorten(told, size.columns - 2, self._display.glyphs.ellipsis)}", "notice")

    def pulse(self, now: float) -> float | None:
        if self._page:
            return None
        waits = [self._stage.pulse(now)] if self._stage.tumble or self._stage.interlude.moment else []
        waits += [max(0.0, self._next - now)] if self._running else []
        return min((wait for wait in waits if wait is not None), default=None)


def _starts_game(update: Update) -> bool:
    return any(event["kind"] == "game_started" for event in update.events)
