"""The table on the screen: waiting room, game, recap, for players and spectators.

Keys come in through `press`, typed lines through `submit`, the network through `hear`. What is to be sent goes out
through `send`. Nothing here waits, and nothing reads the clock: the time is a parameter.

A move names the state that is on the screen (`seq`). If newer dice already tumble, the server refuses the move as too
late. So no key is lost, and nobody acts on something that they have not seen.
"""

from collections.abc import Callable

from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.enter.invitation import NO_LINE, Invitation
from dicegames_client.guest.events import NO_CONNECTION, NOT_YET, GuestEvent, News
from dicegames_client.guest.store import Store
from dicegames_client.play.picking import key_of
from dicegames_client.play.room_wording import tell_table
from dicegames_client.play.scene import Scene
from dicegames_client.play.typed_commands import Unclear
from dicegames_client.screens.invitation_page import COPY_KEY, INVITE_KEY, invitation_page
from dicegames_client.screens.page_layout import small_page, too_small
from dicegames_client.screens.screen import Prompt, Screen, Size, Word, key_name
from dicegames_client.screens.table.adviser import Adviser
from dicegames_client.screens.table.aside import Aside
from dicegames_client.screens.table.keys.confirmation import YES_OR_NO, Confirmation, why_stay
from dicegames_client.screens.table.keys.phase_keys import (
    Deed,
    after_the_game,
    in_the_waiting_room,
    room_after,
    why_no_seat,
)
from dicegames_client.screens.table.keys.selection import Selection, why_idle
from dicegames_client.screens.table.outcome import Outcome, left
from dicegames_client.screens.table.overlay import ODDS_KEY, RULES_KEY, Overlay, feed_page
from dicegames_client.screens.table.painting import paint
from dicegames_client.screens.table.painting.context import PaintContext
from dicegames_client.screens.table.painting.panels import is_large
from dicegames_client.screens.table.stage import Stage
from dicegames_client.screens.table.typing.fill_in import FillIn
from dicegames_client.screens.table.typing.open_line import OpenLine
from dicegames_client.screens.table.typing.talk_line import meaning
from dicegames_client.views import view_of
from dicegames_client.widgets.bar import seconds
from dicegames_client.widgets.lines import Line, line, shorten
from dicegames_protocol.messages.client import ListRooms, MakeMove, Request, Sit
from dicegames_protocol.messages.server import Error, Odds, Rooms, RulesPage, Update
from dicegames_protocol.text import check_name

EVERYWHERE_KEYS = ("t", "/", "?", "o", "up", "down", "pageup", "pagedown", "home", "end")
"""Keys that never act on a game. They do not end a moment either."""
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
        self._send_out, self._save = send, save
        self._new_id = new_id
        self._invited = invited or Invitation()
        self._hosting = hosting
        self._name = name
        self._sitting: str | None = None
        """The id of the request for a seat that is on its way."""
        self.stage.feed.add(*self._invited.in_the_feed())
        self.title = self.stage.title
        self._size, self._selection, self._overlay = Size(80, 24), Selection(), Overlay()
        self._aside, self._adviser = Aside(), adviser or Adviser()
        self._confirmation: Confirmation | None = None
        self._typing = OpenLine()
        self._scroll: int | None = None
        self._now = now

    @property
    def prompt(self) -> Prompt | None:  # type: ignore[override]
        return self._typing.prompt

    @property
    def shown(self) -> Store:
        return self.stage.shown

    @property
    def _seat(self) -> int | None:
        return self._selection.seat(self.shown)

    # The network.

    def hear(self, heard: GuestEvent, now: float) -> None:
        match heard:
            case News(message=RulesPage() | Odds() | Error() as answer) if self._aside.hear(answer):
                pass
            case News(message=RulesPage() | Odds() as answer):
                self._overlay.hear(answer, self._scene(now))
            case News(message=Rooms() as found):
                if following := room_after(self.shown.room, found.rooms):
                    self.result = Outcome(next_table=following)
                else:
                    self._say("There is no other table here.", now)
            case News(message=Error() as error) if error.id == self._sitting:
                self._not_seated(error, now)
            case _:
                self.stage.hear(heard, now)
        if self.stage.ended:
            self._confirmation = self._overlay.page = None
        elif self.stage.lost_at is not None and self._confirmation and not self._confirmation.leaves:
            self._confirmation = None
        self.rings, self.stage.rings = self.rings or self.stage.rings, False
        self.title = self.stage.title

    def _not_seated(self, error: Error, now: float) -> None:
        self._sitting = None
        self._name = error.hint or self._name
        self._say(why_no_seat(error), now, "bad")

    def _moved_on(self, update: Update, now: float) -> None:
        """The state on the screen has changed: discard what was picked, asked or said about the old one."""
        if "offers" in update.patch:
            self._selection.clear()
            self.stage.forget_hint()
        if any(event["kind"] == "game_over" for event in update.events):
            self._scroll = None
            if any(str(seat) in self.shown.game.get("seats", {}) for seat in self.shown.seats):
                self._adviser.played(self.shown.info.game)
        if self._confirmation and not self._confirmation.leaves:
            self._confirmation = None
            self._say("The game has moved on; nothing was sent.", now, "bad")

    # Keys.

    def press(self, key: str, now: float) -> None:
        in_the_air = self.stage.tumble
        self._now = now
        self._pressed(key, now)
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
        elif self._overlay.page and key != "ctrl-d":
            if key == COPY_KEY and self._overlay.page.kind == INVITE_KEY:
                self._invite(key, now)
            elif not self._overlay.press(key, self._size.rows - 5):
                self._say("Press Esc to go back to the table.", now)
        elif key in ("q", "ctrl-c", "ctrl-d"):
            self._ask_to_leave(now)
        elif not too_small(self._size) and not self._seen(key):  # a table that can't be seen takes no keys
            self._at_the_table(key, now)

    def _seen(self, key: str) -> bool:
        """A key ends a moment. True: it does nothing else, because it was not meant for what comes next."""
        moment = self.stage.moment
        if moment is None or key in EVERYWHERE_KEYS:
            return False
        self.stage.end_moment()
        return moment.pauses

    def _answer(self, question: Confirmation, key: str, now: float) -> None:
        answer = question.answer(key, now)
        if isinstance(answer, str):
            self._say(answer, now)
            return
        self._confirmation = None
        if answer:
            question.yes()

    def _at_the_table(self, key: str, now: float) -> None:
        if self._general(key, now):
            return
        if self.stage.lost_at is not None:
            self._say(NO_CONNECTION, now, "bad")
        elif not self.shown.seats:
            self._as_spectator(key, now)
        elif self.shown.phase == "waiting":
            self._around_the_game(in_the_waiting_room(key, self.shown, self._new_id), key, now)
        elif self.shown.phase == "dealing" or self.shown.rolling:
            self._say("The dice are rolling; one moment.", now)
        elif self.shown.phase == "playing":
            self._in_the_game(key, now)
        elif key == SAVE_KEY:
            self._save()
        else:
            self._around_the_game(after_the_game(key, self.shown, self._new_id), key, now)

    def _general(self, key: str, now: float) -> bool:
        """Keys that do the same in every phase. False if this is not one of them."""
        scroll = {"up": -1, "down": 1, "home": -(10**6), "end": 10**6}
        match key:
            case "t" | "/":
                talk = Prompt("Say: ", text=key.strip("t"), history="talk", slash="Command: ")
                self._typing.open(talk, self._said)
            case "ctrl-f":
                self._typing.open(Prompt("Find in the feed: ", history="find"), self._find, empty_too=True)
            case _ if self.stage.feed.press(key):
                pass
            case "pageup" | "pagedown":  # the window is too narrow for the feed
                self._find("", now)
            case "?" | "o" if self.stage.lost_at is not None:
                return False
            case "?":
                self._ask(RULES_KEY, now)
            case "g" if self.shown.phase == "waiting":
                self._ask(RULES_KEY, now)
            case "o":
                self._ask(ODDS_KEY, now)
            case _ if key in (INVITE_KEY, COPY_KEY) and self.shown.phase == "waiting":
                self._invite(key, now)
            case _ if key in scroll:
                last = len(self.shown.table.get("seats", {})) - 1
                self._scroll = max(0, min(last, (self._scroll or 0) + scroll[key]))
            case _:
                return False
        return True

    def _invite(self, key: str, now: float) -> None:
        """Show how friends join, or copy the line for them."""
        if not self._invited:
            self._say(NO_LINE, now)
        elif key == COPY_KEY:
            self.copies = self._invited.line
            self._say(f"Copied, if your terminal lets us: {self._invited.line}", now)
        else:
            self._overlay.page = invitation_page(self._invited, self._display.glyphs)

    def _unknown(self, key: str, now: float) -> None:
        if self.stage.tumble is None:
            self._say(f"{key_name(key)} does nothing here. Press ? for the rules and the keys.", now)

    def _as_spectator(self, key: str, now: float) -> None:
        match key:
            case "s":
                self._typing.open(Prompt("Your name at the table: ", text=self._name), self._sit)
            case "n":
                self._send(ListRooms(id=self._new_id()))
            case _:
                self._say("You are watching. Nothing you press can change the game.", now)

    def _around_the_game(self, deed: Deed, key: str, now: float) -> None:
        if deed is None:
            self._unknown(key, now)
        elif isinstance(deed, str):
            self._say(deed, now)
        else:
            for request in deed:
                self._send(request)

    def _in_the_game(self, key: str, now: float) -> None:
        scene = self._scene(now)
        intent = self._selection.press(key, scene)
        if intent is None:
            dead = view_of(self.shown.info.game).dead(key, scene) if scene.offers else ""
            why = dead or why_idle(key, scene)
            self._say(why, now) if why else self._unknown(key, now)
        elif intent.say:
            self._say(intent.say, now)
        elif intent.fill_in and scene.seat is not None:
            self._play(intent.fill_in, intent.confirm, scene.seat, now)

    def _play(self, fill_in: FillIn, confirm: str, seat: int, now: float) -> None:
        """Send a move: at once, or after a confirmation if it loses, or when what is missing has been typed."""
        if self.stage.sent:
            if self.stage.tumble is None:
                self._say(NOT_YET, now)
        elif not fill_in.done:
            self._typing.open(
                fill_in.prompt(), lambda text, now: self._filled(fill_in, seat, text, now), fill_in=fill_in
            )
        else:
            made = MakeMove(id=self._new_id(), seq=self.shown.seq, seat=seat, move=fill_in.move)
            confirm = confirm or self._doubt(fill_in.move.take, now)
            if confirm:
                self._confirmation = Confirmation(confirm, now, lambda: self._send(made))
            else:
                self._send(made)

    def _doubt(self, take: str, now: float) -> str:
        """A question before a move that a newcomer hardly means. It is asked once."""
        scene = self._scene(now)
        found = view_of(self.shown.info.game).doubt(scene, take)
        return found if found and self._adviser.once(scene, f"doubt-{take}") else ""

    def _filled(self, fill_in: FillIn, seat: int, text: str, now: float) -> None:
        self._check_connection()
        if fill_in.move.take not in self.shown.offers(seat):
            raise Unclear("The game has moved on; nothing was sent.")
        self._play(fill_in.typed(text), "", seat, now)

    # Asking, typing, leaving.

    def _ask(self, kind: str, now: float) -> None:
        if kind == ODDS_KEY and self.shown.phase in ("waiting", "dealing"):
            self._say("There are no odds before the game begins.", now)
        elif kind == ODDS_KEY and not view_of(self.shown.info.game).odds and self.shown.phase == "playing":
            self._say("Nothing is left to chance in this game, so there are no odds.", now)
        else:
            self._send(self._overlay.ask(kind, self._new_id(), self._seat))

    def submit(self, text: str, now: float) -> bool:
        """A line was typed. If it can't be done, the line stays, with a sentence that says why."""
        self._now = now
        return self._typing.submit(text, now)

    def edited(self, now: float) -> None:
        self._typing.edited()

    def cancel(self, now: float) -> None:
        self._typing.close()

    def _find(self, word: str, now: float) -> None:
        self._overlay.page = feed_page(self.stage.feed, word)

    def _said(self, text: str, now: float) -> None:
        parsed = meaning(text, self.shown, self._seat, key_of(self._selection.picked), self._new_id)
        if parsed.requests or parsed.local in ("odds", "rules", "help"):
            self._check_connection()
        if self.stage.sent and any(isinstance(request, MakeMove) for request in parsed.requests):
            raise Unclear(NOT_YET)
        if parsed.local == "quit":
            self._ask_to_leave(now)
        elif parsed.local == "who":
            self._overlay.tell("Who is here", [*tell_table(self.shown), "", *self._invited.told()])
        elif parsed.local == "invite":
            self._invite(INVITE_KEY, now)
        elif parsed.local == "save":
            self._save()
        elif parsed.local in ("find", "feed"):
            self._find(parsed.rest, now)
        elif parsed.local:
            self._ask(ODDS_KEY if parsed.local == "odds" else RULES_KEY, now)
        elif parsed.pick:
            self._selection.pick(parsed.pick[0], parsed.pick[1].choice)
        for request in parsed.requests:
            self._send(request)

    def _check_connection(self) -> None:
        if self.stage.lost_at is not None or self.stage.ended:
            raise Unclear(NO_CONNECTION)

    def _sit(self, text: str, now: float) -> None:
        self._check_connection()
        sit = Sit(id=self._new_id(), name=check_name(text))
        self._sitting = sit.id
        self._send(sit)

    def complete(self, text: str) -> list[Word]:
        return self._typing.complete(text, self.shown, self._seat)

    def pasted(self, now: float) -> None:
        self._say("Pasted text does nothing here. T opens a line to talk.", now)

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
        return Scene(
            store=self.shown,
            glyphs=self._display.glyphs,
            events=self.stage.events,
            seat=self._seat,
            picked=self._selection.picked,
            tumbling=self.stage.in_the_air(now),
            coming=self.stage.coming,
            story=self.stage.recap.story,
            timer_ms=self.stage.timer_ms(now),
            keys=self._selection.keys(self.shown) if self.stage.lost_at is None else (),
            live=self.stage.lost_at is None,
        )

    def _context(self, scene: Scene, now: float) -> PaintContext:
        return PaintContext(
            wire=self.stage.wire(now),
            invited=self._invited,
            recap=self.stage.recap,
            scroll=self._scroll,
            away_ms=self.stage.away_ms(now),
            hosting=self._hosting,
            moment=self.stage.moment,
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
        if self._overlay.page:
            left = self.stage.timer_ms(now) if self.shown.phase == "playing" else None
            return self._overlay.page.paint(
                size, self._display.glyphs, f"{seconds(left)} left" if left is not None else ""
            )
        scene = self._scene(now)
        context = self._context(scene, now)
        self._ask_aside(size)
        self.stage.feed.seen = None
        status = paint.status(scene, context, size.columns)
        actions = YES_OR_NO if self._confirmation else paint.actions(scene, context)
        return paint.table_page(scene, context, self.stage.feed, size, status=status, actions=actions)

    def _ask_aside(self, size: Size) -> None:
        """Ask for what the panels of a large window show."""
        if is_large(size) and self.stage.lost_at is None and not self.stage.ended and not self.shown.rolling:
            for question in self._aside.questions(self.shown, self._seat, self.stage.rolled_seq, self._new_id):
                self._send_out(question)

    def warning(self, size: Size, now: float) -> Line:
        if self._confirmation:
            hint = f"   {self.stage.message.text}" if self.stage.message else ""
            return [("question", f" {self._confirmation.text} "), ("notice", hint)]
        if told := self._typing.wrong or self.stage.message:
            text, style = (told, "bad") if isinstance(told, str) else (told.text, told.style)
            return line(f" {shorten(text, size.columns - 2, self._display.glyphs.ellipsis)}", style)
        return []

    def footer(self, size: Size, now: float) -> Line:
        if (urgent := self.warning(size, now)) or self._overlay.page or too_small(size):
            return urgent
        scene = self._scene(now)
        return paint.footer(scene, self._context(scene, now), self.stage.feed, size)

    def pulse(self, now: float) -> float | None:
        return self.stage.pulse(now)
