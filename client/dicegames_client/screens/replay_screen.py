"""Replays a log: the table as a spectator saw it, forwards, backwards, round by round."""

from collections.abc import Sequence
from dataclasses import replace

from dicegames_client.base.errors import REFUSED, USAGE, ClientError
from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.guest.events import News
from dicegames_client.guest.store import Store, Verdict
from dicegames_client.play.scene import Scene
from dicegames_client.screens.page_layout import Action, small_page, status_line, too_small
from dicegames_client.screens.screen import Screen, Size, key_name
from dicegames_client.screens.table.painting import paint
from dicegames_client.screens.table.painting.context import PaintContext
from dicegames_client.screens.table.painting.recap_picture import STORY_KEY, story_page
from dicegames_client.screens.table.stage.stage import Stage
from dicegames_client.screens.text_page import TextPage, help_page
from dicegames_client.views import view_of
from dicegames_client.widgets.lines import Line, line
from dicegames_protocol.base import JsonObject
from dicegames_protocol.messages.server import Update
from dicegames_protocol.text import strip

_SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Speeds that can be chosen, in updates per second."""
DONE = 1


_KEYS = (
    ("Space, P", "pause, and play on; at the end, begin anew"),
    ("Right, Enter", "one step on"),
    ("Left", "one step back"),
    ("N, PgDn", "the next round, or the next game"),
    ("B, PgUp", "back to where the round began"),
    ("+, Up", "faster"),
    ("-, Down", "slower"),
    ("Home", "the very beginning: the waiting room"),
    ("End", "the end"),
    ("V", "at the end of a game: how it went, on a page"),
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
            self._stage.hear(News(self._updates[index], self._states[index], self._states[index + 1]), now)
        self._next = now + 1 / self._speed

    def _step(self, now: float) -> None:
        if self._at >= len(self._updates):
            self._running = False
            return
        self._stage.end_moment()
        self._stage.display = self._display
        self._stage.hear(News(self._updates[self._at], self._states[self._at], self._states[self._at + 1]), now)
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
            case "n" | "pagedown":
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
            case "?":
                self._page = help_page("The keys of a replay", _KEYS)
            case _:
                self._said = f"{key_name(key)} does nothing here. ? shows the keys."

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
        context = PaintContext(recap=self._stage.recap, moment=self._stage.interlude.moment)
        title = f"REPLAY  {strip(store.info.title)}  room {store.info.code}"
        if store.phase == "playing":
            title += f"  {strip(view_of(store.info.game).headline(scene))}"
        state = f"{'' if self._running else 'PAUSED  '}{self._at}/{len(self._updates)}  x{self._speed:g}"
        keys = [
            Action("Space", "Pause" if self._running else "Play"),
            Action("Left/Right", "Step"),
            Action("B/N", "Round"),
            Action("+/-", "Speed"),
            Action("?", "Keys"),
            Action("Q", "Quit"),
        ]
        status = status_line(title, state, size.columns)
        return paint.table_page(scene, context, self._stage.feed, size, status=status, actions=keys)

    def footer(self, size: Size, now: float) -> Line:
        if self._page:
            return line(f" {self._said}", "dim")
        return line(f" {self._said or 'A replay. Home and End jump to the beginning and the end.'}", "dim")

    def pulse(self, now: float) -> float | None:
        if self._page:
            return None
        waits = [self._stage.pulse(now)] if self._stage.tumble or self._stage.interlude.moment else []
        waits += [max(0.0, self._next - now)] if self._running else []
        return min((wait for wait in waits if wait is not None), default=None)


def _starts_game(update: Update) -> bool:
    return any(event["kind"] == "game_started" for event in update.events)
