"""The table as it is shown, and how news changes it. There are no keys here.

While dice tumble, `shown` is still the state before the roll. The update is shown when the dice land, when a key is
pressed, or when the next update comes. So `shown` is never more than one update and 0.7 s behind.

After something that matters, such as a bust, a moment is shown instead of the game (interlude.py). The game goes on
below it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from dicegames_client.base.errors import REFUSED
from dicegames_client.base.terminal.display_options import DisplayOptions
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
from dicegames_client.guest.store import Store, still_away
from dicegames_client.play.real_dice import typed_by_hand, worth_telling
from dicegames_client.play.room_wording import of_room, table_name, tell_presence, tell_table
from dicegames_client.screens.table.painting.context import SILENCE_SECONDS, ConnectionStatus
from dicegames_client.screens.table.painting.recap import Recap
from dicegames_client.screens.table.stage.interlude import Interlude
from dicegames_client.screens.table.stage.missed import Missed
from dicegames_client.screens.table.stage.past import Gaps, Past, tell
from dicegames_client.screens.table.stage.sent_move import SentMove
from dicegames_client.screens.table.stage.tumble import FRAME_SECONDS, MOST_TUMBLING, TUMBLE_SECONDS, Tumble
from dicegames_client.views import view_of
from dicegames_client.widgets.die import tumbling
from dicegames_client.widgets.feed import TALK, WARNING, Feed
from dicegames_protocol.base import JsonObject
from dicegames_protocol.messages.server import (
    CaughtUp,
    Error,
    Heartbeat,
    Joined,
    Left,
    Presence,
    Private,
    Said,
    ServerNotice,
    Snapshot,
    Update,
)
from dicegames_protocol.text import strip

NOTICE_SECONDS = 6.0
"""Seconds that a notice is shown."""


@dataclass(frozen=True, slots=True)
class Notice:
    text: str
    style: str
    until: float


class Stage:
    def __init__(
        self,
        store: Store,
        display: DisplayOptions,
        now: float,
        *,
        hosting: bool,
        hold_seconds: Callable[[], float],
        moved_on: Callable[[Update, float], None],
    ) -> None:
        """`moved_on` is called with every update that is shown from now on."""
        self.shown = store
        self.feed = Feed()
        self.recap = Recap()
        self.events: tuple[JsonObject, ...] = ()
        self.latency_ms: int | None = None
        self.gaps = Gaps(wanted=store.phase == "over")
        self.rings = ""
        self.lost_at: float | None = None
        self.ended: Finished | None = None
        self.gave_up = False
        self.notice: Notice | None = None
        self.alarm: str | None = None
        """The last thing that was wrong with the dice. It stays on the screen."""
        self.tumble: Tumble | None = None
        self.rolled_seq = 0
        """The number of the update with the last dice, or with the start of the game."""
        self.interlude = Interlude()
        self._lying: tuple[int, ...] = ()
        """The dice that were rolled last. The next ones tumble from there."""
        self._rolling_since: float | None = None
        """When the draw was decided whose dice are waited for."""
        self.display = display
        self._hosting = hosting
        self._hold_seconds = hold_seconds
        self._moved_on = moved_on
        self._said_meanwhile: list[Said] = []
        self._missed = Missed()
        self.asked_at: float | None = None
        """When a ping was sent that has no answer yet. It only measures how long an answer takes."""
        self.sent = SentMove()
        self._deadline = now + store.timer_ms / 1000 if store.timer_ms is not None else None
        self._away_until = {seat: now + ms / 1000 for seat, ms in store.away.items()}
        self._was_wanted = store.wanted() is not None
        self.gaps.note(0, 0, store)
        self.feed.add(*(tell_table(store)[2:] if store.table.get("seats") else []))
        if store.phase == "playing" and store.seats and str(store.seats[0]) not in store.game.get("seats", {}):
            self.feed.add("The game is running. You play from the next one on.")

    def say(self, text: str, now: float, style: str = "notice") -> None:
        """Show a sentence at the bottom for NOTICE_SECONDS."""
        self.notice = Notice(text, style, now + NOTICE_SECONDS)

    @property
    def message(self) -> Notice | None:
        """What is shown at the bottom: the last notice, or else an alarm."""
        return self.notice or (Notice(self.alarm, "bad", float("inf")) if self.alarm else None)

    def forget_hint(self) -> None:
        """Remove a hint about a state that is no longer shown."""
        if self.notice and self.notice.style == "notice":
            self.notice = None

    # Events.

    def hear(self, heard: GuestEvent, now: float) -> None:
        match heard:
            case News():
                self._news(heard, now)
                return
            case StillLost():
                self.feed.add(heard.sentence, mark=WARNING)
                return
            case Alarm():
                said = strip(heard.sentence)
                self.alarm = said if heard.severe else self.alarm
                self.feed.add(said, mark=WARNING)
                self.say(said, now, "bad" if heard.severe else "notice")
                return
        self.land(now)
        match heard:
            case Lost():
                self.lost_at, self.asked_at = now, None
                self.forget_hint()
                self._missed.begin(unsure=bool(self.sent))
                self.sent.forget()  # a move is never resent by itself: the player looks first
                self.feed.add("The connection is lost. Trying to come back.", mark=WARNING)
            case Back():
                self.lost_at = self.asked_at = None
                self.say(heard.said or self._missed.told(self.shown.info.game), now, "good")
                self.feed.add(heard.said or "You are back.")
            case Finished():
                self._end(heard)

    def _end(self, ended: Finished) -> None:
        self.ended = ended
        self.feed.add(strip(ended.sentence), mark=WARNING)

    def _news(self, news: News, now: float) -> None:
        message, after = news.message, news.after
        self._settle(message)
        match message:
            case Update():
                self.land(now)
                if message.seq > self.shown.seq:
                    self._begin(news, message, now)
            case Presence():
                for text in tell_presence(news.before, after):
                    self.feed.add(text, mark=WARNING)
                told = {int(seat): now + ms / 1000 for seat, ms in message.away.items()}
                self._away_until = {seat: told.get(seat, self._away_until.get(seat, now)) for seat in after.away}
                self.shown = replace(self.shown, away=after.away, watching=after.watching)
            case Private() if after.seq == self.shown.seq:
                self.shown = replace(self.shown, private=after.private, coming=after.coming)
            case Heartbeat() | CaughtUp():
                self._set_timer(after.timer_ms, now)
            case Said() if self.tumble:
                self._said_meanwhile.append(message)  # it may be about dice that still tumble
            case Said():
                self._hear_talk(message)
            case ServerNotice():
                self.say(strip(message.message), now)
                self.feed.add(strip(message.message), mark=WARNING)
            case Error():
                self.say(strip(message.message), now, "bad")
                self.feed.add(strip(message.message), mark=WARNING)
            case Joined() | Snapshot() | Left():
                self.land(now)
                self._replaced(message, after, now)

    @property
    def title(self) -> str:
        """For the title of the window: the table, and whether it waits for us."""
        table, glyphs = table_name(self.shown.info), self.display.glyphs
        mine = self.shown.phase == "playing" and self.lost_at is None and self.shown.wanted() is not None
        return f"{glyphs.pip} your turn {glyphs.rule} {table}" if mine else table

    def _hear_talk(self, said: Said) -> None:
        who = strip(said.name) if said.seat is not None else f"{strip(said.name)}, watching"
        self.feed.add(f"<{who}> {strip(said.text)}", mark=TALK)

    def _replaced(self, message: Joined | Snapshot | Left, after: Store, now: float) -> None:
        """The whole table, or our place at it, has been replaced."""
        self.interlude.end()
        seen, self.shown = self.shown.seq, after
        self._set_timer(after.timer_ms, now)
        if isinstance(message, Joined) and message.seat is not None:
            later = " You play from the next game on." if after.phase == "playing" else ""
            self.say(f"You have a seat now, as {after.name(message.seat)}.{later}", now, "good")
        elif not isinstance(message, Left):
            self.events = ()
            self.recap = replace(self.recap, whole=False)
            self.gaps.note(self.feed.place, seen, after)
            self.feed.add("Here is how it stands now.")
        elif message.reason != "closed":  # a closed room is reported by Finished
            if not after.tokens and not self._hosting:
                self.gave_up = True
                self._end(Finished(strip(message.message), REFUSED))
            else:
                self.feed.add(strip(message.message), mark=WARNING)

    def _begin(self, news: News, update: Update, now: float) -> None:
        """An update has come: let its dice tumble first, or show it at once."""
        view = view_of(news.after.info.game)
        dice = 0 if typed_by_hand(update) else max((len(view.thrown(event)) for event in update.events), default=0)
        since = self._rolling_since if dice and self._rolling_since is not None else now
        self.tumble = Tumble(news, dice, since)
        if dice and self.interlude.over(now, dice=True):
            self.end_moment(now)
        still = not (dice and self.display.motion) or now - since >= TUMBLE_SECONDS
        if still or self.lost_at is not None or self.shown.phase != "playing":
            self.land(now)

    def land(self, now: float) -> None:
        """Show the update whose dice tumble, if there is one."""
        if self.tumble is None:
            return
        news, self.tumble = self.tumble.news, None
        update, before = news.message, self.shown
        assert isinstance(update, Update)
        self.shown = replace(news.after, away=still_away(before.away, update), watching=before.watching)
        rolling = self.shown.rolling is not None and self.shown.phase == "playing"
        self._rolling_since = (self._rolling_since if before.rolling else now) if rolling else None
        if "timer" in (update.patch.get("room") or {}):
            self._set_timer(self.shown.timer_ms, now)
        self.recap = self.recap.hear(update, before, self.shown)
        self._tell(update, before)
        self._pause_for(update, before, now)
        for said in self._said_meanwhile:
            self._hear_talk(said)
        self._said_meanwhile.clear()
        if self.shown.rolling is None:  # dice that are waited for end nobody's turn
            earlier, self._was_wanted = self._was_wanted, self.shown.wanted() is not None
            if self.display.bell and self._was_wanted and not earlier:
                self.rings = f"{table_name(self.shown.info)}: your turn"
        self._settle(None)
        if update.cause.kind == "move" and update.cause.by == "player" and update.cause.seat in self.shown.tokens:
            self._missed.unsure = False
        self._moved_on(update, now)

    def _pause_for(self, update: Update, before: Store, now: float) -> None:
        """Show what matters about an update for a moment, and remember where its dice lie."""
        view = view_of(self.shown.info.game)
        for event in update.events:
            if (thrown := view.thrown(event)) or event["kind"] == "game_started":
                self._lying, self.rolled_seq = thrown, update.seq
            if event["kind"] == "game_started":
                self.interlude.end()  # a moment of another game
        if self.lost_at is None and self.shown.game:
            told = worth_telling(update.events, view.thrown)
            found = view.moment(tuple(event for event in told if not of_room(event)), before, self.shown)
            if found:
                over = self.shown.phase == "over"
                self.interlude.show(replace(found, pauses=found.pauses or over), now)

    def end_moment(self, now: float | None = None) -> None:
        """The moment has been seen. What led to it is over: the game is shown as it is now."""
        if self.interlude.moment is not None:
            self.interlude.end(now)
            self.events, self._lying = (), ()

    def key_in_moment(self, now: float) -> bool:
        """A key is pressed. True: it was not meant for what comes next, because nobody can have seen that."""
        if not self.interlude.on(now):
            return False
        swallowed = self.interlude.press(now)
        if self.interlude.over(now):
            self.end_moment(now)
        return swallowed

    def _tell(self, update: Update, before: Store) -> None:
        told = tell(update, before, self.shown)
        of_game = tuple(event for event, _ in told if not of_room(event))
        if of_game or any(event["kind"] in ("game_started", "taken_back") for event, _ in told):
            self.events = of_game
        for event, texts in told:
            self.gaps.wanted |= event["kind"] == "game_over" and not self.recap.whole
            self.feed.add(*texts)
            if self.lost_at is not None:
                self._missed.add(event, texts)

    def take_past(self, past: Past) -> None:
        """Take what the log tells. It was read as far as what is shown."""
        assert past.seq == self.shown.seq
        self.recap = past.recap
        self.gaps.fill(self.feed, past)

    def failed(self, id: str, sentence: str, now: float) -> None:
        """A message could not be sent."""
        self.sent.forget(id)
        self.say(sentence, now, "bad")

    def _settle(self, message: object) -> None:
        """A move is settled when it was refused, or acknowledged and its update is shown."""
        self.sent.hear(message, self.shown.seq)
        if self.sent.answered and self.notice and self.notice.text == NOT_YET:
            self.notice = None
        self.sent.settle(self.shown.seq)

    # Time.

    def _set_timer(self, ms: int | None, now: float) -> None:
        self._deadline = None if ms is None else now + ms / 1000

    def timer_ms(self, now: float) -> int | None:
        return max(0, round((self._deadline - now) * 1000)) if self._deadline is not None else None

    def away_ms(self, now: float) -> dict[int, int]:
        return {seat: max(0, round((self._away_until.get(seat, now) - now) * 1000)) for seat in self.shown.away}

    def wire(self, now: float) -> ConnectionStatus:
        lost = now - self.lost_at if self.lost_at is not None else None
        held = round((self._hold_seconds() - (lost or 0)) * 1000)
        silent = max(now - self.asked_at if self.asked_at is not None else 0.0, self.sent.unanswered(now))
        return ConnectionStatus(self.latency_ms, silent, lost, held, self.ended.sentence if self.ended else "")

    def in_the_air(self, now: float) -> tuple[int, ...]:
        """Faces of the dice that tumble now, or that are waited for."""
        if self.interlude.moment:
            return ()
        if self.tumble:
            frame = int((now - self.tumble.since) / FRAME_SECONDS)
            return tumbling(self._to_roll(self.tumble.dice), self.tumble.dice, frame)
        rolling = self.shown.rolling
        if rolling is None or self._rolling_since is None or rolling.get("hidden") or not self.display.motion:
            return ()
        count = min(int(rolling["count"]), MOST_TUMBLING)
        return tumbling(self._to_roll(count), count, int((now - self._rolling_since) / FRAME_SECONDS))

    def _to_roll(self, count: int) -> tuple[int, ...]:
        """The dice that lie there and are rolled again."""
        lying = view_of(self.shown.info.game).lying(self.shown) or self._lying
        return lying[len(lying) - count :] if len(lying) > count else lying

    @property
    def coming(self) -> tuple[JsonObject, ...]:
        """The events of the update whose dice tumble."""
        message = self.tumble.news.message if self.tumble else None
        return tuple(message.events) if isinstance(message, Update) else ()

    def tick(self, now: float) -> None:
        """Time has passed: dice land, notices end, and a player who waits for an answer is told so."""
        if self.tumble and now - self.tumble.since >= TUMBLE_SECONDS:
            self.land(now)
        if self.interlude.over(now):
            self.end_moment(now)
        if self.notice and now >= self.notice.until:
            self.notice = None
        self.sent.tick(now)
        if self.notice is None and self.sent.unanswered(now) >= SLOW_ANSWER_SECONDS:
            self.say(NOT_YET, now)

    def pulse(self, now: float) -> float | None:
        """Seconds until the table changes by itself; None if it does not."""
        waits: list[float] = []
        if self.tumble:
            waits.append(min(FRAME_SECONDS, max(0.0, self.tumble.since + TUMBLE_SECONDS - now)))
        elif self._rolling_since is not None and self.display.motion:
            waits.append(FRAME_SECONDS)
        waits += self.interlude.waits(now)
        if self.notice:
            waits.append(max(0.0, self.notice.until - now))
        if self._deadline is not None and self._deadline > now and self.shown.phase == "playing":
            waits.append(0.25)
        if (self.lost_at is not None and self.ended is None) or self._away_until:
            waits.append(1.0)
        if self.sent and not self.sent.answered:
            waits.append(SLOW_ANSWER_SECONDS)
        if self.asked_at is not None:
            waits.append(max(1.0, self.asked_at + SILENCE_SECONDS - now))
        return min(waits, default=None)
