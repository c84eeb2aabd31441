"""The table on the screen: waiting room, game, recap, for players and spectators.

Keys come in through `press`, typed lines through `submit`, the network through `hear`; what is to be sent goes out
through `send`. Nothing here waits, and nothing asks for the time: it is handed in.

A move names the state that is on the screen (`seq`). If dice are already in the air, the server refuses it as too late:
so no key is eaten, and nobody acts on what they have not seen.
"""

from collections.abc import Callable

from dicegames_client.base.display_options import Look
from dicegames_client.enter.invitation import Invitation
from dicegames_client.guest.events import NOT_YET, Happening, News
from dicegames_client.guest.store import Store
from dicegames_client.play.keys import offer_keys
from dicegames_client.play.parse_move import NotUnderstood
from dicegames_client.play.picking import key_of
from dicegames_client.play.room_wording import tell_table
from dicegames_client.play.scene import Scene
from dicegames_client.play.typed_commands import Unclear
from dicegames_client.play.wording import Story
from dicegames_client.screens.page_layout import small_page, too_small
from dicegames_client.screens.screen import Prompt, Screen, Size, Word, key_name
from dicegames_client.screens.table import paint as paint
from dicegames_client.screens.table.confirmation import YES_OR_NO, Answer, Question, why_stay
from dicegames_client.screens.table.outcome import Outcome
from dicegames_client.screens.table.overlay import ODDS, RULES, Pages
from dicegames_client.screens.table.phase_keys import Deed, after_the_game, in_the_waiting_room, room_after, why_no_seat
from dicegames_client.screens.table.selection import Hand, Wish, with_faces
from dicegames_client.screens.table.stage import Stage
from dicegames_client.screens.table.talk_line import completions, meaning
from dicegames_client.views import view_of
from dicegames_client.widgets.bar import seconds
from dicegames_client.widgets.lines import Line, line, shorten
from dicegames_protocol.messages.client import AskOdds, AskRules, ListRooms, MakeMove, Request, Sit
from dicegames_protocol.messages.server import Error, Odds, Rooms, RulesPage, Update
from dicegames_protocol.table import Move, Offer
from dicegames_protocol.text import TextError, check_name, strip


class Table(Screen):
    def __init__(
        self,
        store: Store,
        *,
        send: Callable[[Request], None],
        new_id: Callable[[], str],
        now: float,
        look: Look | None = None,
        invited: Invitation | None = None,
        hosting: bool = False,
        hold_seconds: float = 900,
        name: str = "",
    ) -> None:
        self._look = look or Look()
        self.stage = Stage(store, self._look, now, hosting=hosting, hold_seconds=hold_seconds, moved_on=self._moved_on)
        self._send_out = send
        self._new_id = new_id
        self._invited = invited or Invitation()
        self._hosting = hosting
        self._name = name
        self._sitting: str | None = None
        """The request for a seat that is on its way."""
        self._size = Size(80, 24)
        self._hand = Hand()
        self.stage.feed.add(*self._invited.in_the_feed())
        self._question: Question | None = None
        self._pages = Pages()
        self._purpose: Callable[[str, float], None] | None = None
        self._scroll: int | None = None

    @property
    def shown(self) -> Store:
        return self.stage.shown

    @property
    def _seat(self) -> int | None:
        return self._hand.seat(self.shown)

    # The network.

    def hear(self, happening: Happening, now: float) -> None:
        match happening:
            case News(message=RulesPage() | Odds() as answer):
                self._pages.hear(answer, self._scene(now))
            case News(message=Rooms() as found):
                self._next_table(found, now)
            case News(message=Error() as error) if error.id == self._sitting:
                self._not_seated(error, now)
            case _:
                self.stage.hear(happening, now)
        if self.stage.ended:
            self._question = self._pages.page = None
        elif self.stage.lost_at is not None and self._question and not self._question.leaves:
            self._question = None
        self.rings, self.stage.rings = self.rings or self.stage.rings, False

    def _next_table(self, found: Rooms, now: float) -> None:
        """The list of rooms is here: go to the one after this, if there is another."""
        following = room_after(self.shown.room, found.rooms)
        if following:
            self.result = Outcome(next_table=following)
        else:
            self._say("There is no other table here.", now)

    def _not_seated(self, error: Error, now: float) -> None:
        self._sitting = None
        self._name = error.hint or self._name
        self._say(why_no_seat(error), now, "bad")

    def _moved_on(self, update: Update, now: float) -> None:
        """Something else is on the screen: what was picked, asked or said about the old state is void."""
        if "offers" in update.patch:
            self._hand.clear()
            self.stage.forget_hint()
        if any(event["kind"] == "game_over" for event in update.events):
            self._scroll = None
        if self._question and not self._question.leaves:
            self._question = None
            self._say("The game has moved on; nothing was sent.", now, "bad")

    # Keys.

    def press(self, key: str, now: float) -> None:
        in_the_air = self.stage.tumble
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
        elif self._question:
            self._answer(self._question, key, now)
        elif self._pages.page and key != "ctrl-d":
            if not self._pages.press(key, self._size.rows - 5):
                self._say("Press Esc to go back to the table.", now)
        elif key in ("q", "ctrl-c", "ctrl-d"):
            self._ask_to_leave(now)
        elif not too_small(self._size):  # nobody acts on what can't be seen
            self._at_the_table(key, now)

    def _answer(self, question: Question, key: str, now: float) -> None:
        answer = question.answer(key, now)
        if answer is Answer.WHAT:
            self._say("Press y or n.", now)
        elif answer is Answer.TOO_SOON:
            self._say("Not so fast: y once more.", now)
        else:
            self._question = None
            if answer is Answer.YES:
                question.yes()

    def _at_the_table(self, key: str, now: float) -> None:
        if self._general(key, now):
            return
        if self.stage.lost_at is not None:
            self._say("There is no connection at the moment; nothing was sent.", now, "bad")
        elif not self.shown.seats:
            self._as_spectator(key, now)
        elif self.shown.phase == "waiting":
            self._around_the_game(in_the_waiting_room(key, self.shown, self._new_id), key, now)
        elif self.shown.phase == "dealing":
            self._say("The dice are being dealt; one moment.", now)
        elif self.shown.phase == "playing":
            self._in_the_game(key, now)
        else:
            self._around_the_game(after_the_game(key, self.shown, self._new_id), key, now)

    def _general(self, key: str, now: float) -> bool:
        """Keys that do the same in every phase."""
        scroll = {"up": -1, "down": 1, "pageup": -5, "pagedown": 5, "home": -(10**6), "end": 10**6}
        match key:
            case "t":
                self._open(Prompt("Say: ", history="talk"), self._said)
            case "/":
                self._open(Prompt("Say: ", text="/", history="talk"), self._said)
            case "?" | "o" if self.stage.lost_at is not None:
                return False
            case "?":
                self._ask_rules()
            case "g" if self.shown.phase == "waiting":
                self._ask_rules()
            case "o":
                self._ask_odds(now)
            case _ if key in scroll:
                last = len(self.shown.table.get("seats", {})) - 1
                self._scroll = max(0, min(last, (self._scroll or 0) + scroll[key]))
            case _:
                return False
        return True

    def _unknown(self, key: str, now: float) -> None:
        if self.stage.tumble is None:
            self._say(f"{key_name(key)} does nothing here. Press ? for the rules and the keys.", now)

    def _as_spectator(self, key: str, now: float) -> None:
        match key:
            case "s":
                self._open(Prompt("Your name at the table: ", text=self._name), self._sit)
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
        wish = self._hand.press(key, scene)
        if wish is None:
            self._idle(key, scene, now)
        elif wish.say:
            self._say(wish.say, now)
        elif wish.move and scene.seat is not None:
            self._play(wish, wish.move, scene.seat, now)

    def _idle(self, key: str, scene: Scene, now: float) -> None:
        """A key that means nothing now: say why, or that it never does."""
        known = key in offer_keys({take: Offer.model_validate(o) for take, o in self.shown.table["offers"].items()})
        if scene.seat is None or len(key) > 1 or not key.isalnum() or (scene.offers and not known):
            self._unknown(key, now)
        elif str(scene.seat) in self.shown.game.get("seats", {}):
            self._say(strip(view_of(self.shown.info.game).idle(Story(self.shown), scene.seat)), now)
        else:
            self._say("You play from the next game on.", now)

    def _play(self, wish: Wish, move: Move, seat: int, now: float) -> None:
        """A move goes out: at once, after a question where it loses, or with the faces of real dice."""
        if self.stage.waiting:
            if self.stage.tumble is None:
                self._say(NOT_YET, now)
        elif wish.enter is not None:
            whose = f"{self.shown.name(seat)}, " if len(self.shown.seats) > 1 else ""
            what = "the last roll, put right" if move.take == "correct" else "the faces you rolled"
            self._open(Prompt(f"{whose}{what}: "), lambda text, now: self._faces(move, seat, text))
        else:
            made = MakeMove(id=self._new_id(), seq=self.shown.seq, seat=seat, move=move)
            if wish.confirm:
                self._question = Question(wish.confirm, now, lambda: self._send(made))
            else:
                self._send(made)

    def _faces(self, move: Move, seat: int, text: str) -> None:
        filled = with_faces(move, self.shown.offers(seat), text)
        self._send(MakeMove(id=self._new_id(), seq=self.shown.seq, seat=seat, move=filled))

    # Asking, typing, leaving.

    def _ask_rules(self) -> None:
        self._pages.ask(RULES)
        self._send(AskRules(id=self._new_id()))

    def _ask_odds(self, now: float) -> None:
        if self.shown.phase in ("waiting", "dealing"):
            self._say("There are no odds before the game begins.", now)
            return
        self._pages.ask(ODDS)
        self._send(AskOdds(id=self._new_id(), seat=self._seat))

    def _open(self, prompt: Prompt, purpose: Callable[[str, float], None]) -> None:
        self.prompt, self._purpose = prompt, purpose

    def submit(self, text: str, now: float) -> bool:
        """A line was typed. Where it can't be done it stays, with a sentence that says why."""
        if not text.strip() or self._purpose is None:
            self.cancel(now)
            return True
        if self.stage.lost_at is not None or self.stage.ended:
            self._say("There is no connection at the moment; nothing was sent.", now, "bad")
            return False
        try:
            self._purpose(text.strip(), now)
        except (NotUnderstood, Unclear, TextError) as error:
            self._say(strip(str(error)), now, "bad")
            return False
        self.cancel(now)
        return True

    def cancel(self, now: float) -> None:
        self.prompt = self._purpose = None

    def _said(self, text: str, now: float) -> None:
        meant = meaning(text, self.shown, self._seat, key_of(self._hand.picked), self._new_id)
        if self.stage.waiting and any(isinstance(request, MakeMove) for request in meant.requests):
            raise Unclear(NOT_YET)
        if meant.local == "quit":
            self._ask_to_leave(now)
        elif meant.local == "who":
            self._pages.tell("Who is here", [*tell_table(self.shown), "", *self._invited.told()])
        elif meant.local:
            self._ask_rules()
        elif meant.pick:
            self._hand.pick(meant.pick[0], meant.pick[1].choice)
        for request in meant.requests:
            self._send(request)

    def _sit(self, text: str, now: float) -> None:
        sit = Sit(id=self._new_id(), name=check_name(text))
        self._sitting = sit.id
        self._send(sit)

    def complete(self, text: str) -> list[Word]:
        return completions(text, self.shown, self._seat)

    def pasted(self, now: float) -> None:
        self._say("Pasted text does nothing here. T opens a line to talk.", now)

    def _ask_to_leave(self, now: float) -> None:
        missed = why_stay(self.shown, self._hosting)
        if missed:
            self._question = Question(f"Leave? {missed}. y/n", now, self._leave, leaves=True)
        else:
            self._leave()

    def _leave(self) -> None:
        ended = self.stage.ended
        if ended:
            self.result = Outcome(ended.code, strip(ended.sentence), gave_up=self.stage.gave_up)
        else:
            self.result = Outcome(sentence=f"You have {'closed' if self._hosting else 'left'} the table.")

    def _send(self, request: Request) -> None:
        """Out it goes. A move blocks the next one until it is settled."""
        if isinstance(request, MakeMove):
            self.stage.sent(request.id)
        self._send_out(request)

    def _say(self, text: str, now: float, style: str = "notice") -> None:
        self.stage.say(text, now, style)

    # Painting.

    def _scene(self, now: float) -> Scene:
        return Scene(
            store=self.shown,
            glyphs=self._look.glyphs,
            events=self.stage.events,
            seat=self._seat,
            picked=self._hand.picked,
            tumbling=self.stage.in_the_air(now),
            timer_ms=self.stage.timer_ms(now),
            keys=self._hand.keys(self.shown) if self.stage.lost_at is None else (),
            live=self.stage.lost_at is None,
        )

    def _around(self, now: float) -> paint.Around:
        return paint.Around(
            wire=self.stage.wire(now),
            invited=self._invited,
            recap=self.stage.recap,
            scroll=self._scroll,
            away_ms=self.stage.away_ms(now),
            hosting=self._hosting,
        )

    def paint(self, size: Size, now: float) -> list[Line]:
        self._size = size
        self.stage.tick(now)
        if too_small(size):
            return small_page(size)
        if self._pages.page:
            left = self.stage.timer_ms(now) if self.shown.phase == "playing" else None
            return self._pages.page.paint(size, self._look.glyphs, f"{seconds(left)} left" if left is not None else "")
        scene, around = self._scene(now), self._around(now)
        status = paint.status(scene, around, size.columns)
        actions = YES_OR_NO if self._question else paint.actions(scene, around)
        return paint.table_page(scene, around, self.stage.feed, size, status=status, actions=actions)

    def warning(self, size: Size, now: float) -> Line:
        if self._question:
            hint = f"   {self.stage.notice.text}" if self.stage.notice else ""
            return [("question", f" {self._question.text} "), ("notice", hint)]
        if self.stage.notice:
            text = shorten(self.stage.notice.text, size.columns - 2, self._look.glyphs.ellipsis)
            return line(f" {text}", self.stage.notice.style)
        return []

    def footer(self, size: Size, now: float) -> Line:
        if (urgent := self.warning(size, now)) or self._pages.page or too_small(size):
            return urgent
        return paint.footer(self._scene(now), self._around(now), self.stage.feed, size)

    def pulse(self, now: float) -> float | None:
        return self.stage.pulse(now)
