"""What a player does in a game: picks dice, takes offers, types the faces of real dice, and puts typed rolls right."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from dicegames_client.guest.events import NOT_YET
from dicegames_client.guest.store import Store
from dicegames_client.play.keys import move_of
from dicegames_client.play.picking import meant, pickable
from dicegames_client.play.real_dice import NOT_CORRECTABLE, NOT_UNDOABLE, Correctable, correctable_rolls, undo_of
from dicegames_client.play.scene import Scene
from dicegames_client.play.typed_commands import Unclear
from dicegames_client.screens.screen import Prompt
from dicegames_client.screens.table.adviser import Adviser
from dicegames_client.screens.table.keys.confirmation import Confirmation
from dicegames_client.screens.table.keys.dice_entry import DiceEntry, by_keys
from dicegames_client.screens.table.keys.selection import Selection, why_idle
from dicegames_client.screens.table.pages.correction_page import CorrectionPage
from dicegames_client.screens.table.stage.stage import Stage
from dicegames_client.screens.table.typing.fill_in import FillIn
from dicegames_client.screens.table.typing.open_line import Purpose
from dicegames_client.views import view_of
from dicegames_protocol.messages.client import MakeMove, Request
from dicegames_protocol.messages.server import Error, Preview
from dicegames_protocol.table import UNDO, Move
from dicegames_protocol.text import strip

MOVED_ON = "The game has moved on; nothing was sent."


@dataclass(frozen=True, slots=True)
class Hands:
    """What the table screen does for a player."""

    send: Callable[[Request], None]
    say: Callable[[str, float], None]
    new_id: Callable[[], str]
    scene: Callable[[float], Scene]
    confirm: Callable[[Confirmation], None]
    type_line: Callable[[Prompt, Purpose, FillIn], None]


class GameKeys:
    def __init__(self, stage: Stage, adviser: Adviser, hands: Hands) -> None:
        self.selection = Selection()
        self._stage, self._adviser, self._hands = stage, adviser, hands
        self.entry: DiceEntry | None = None
        """Real dice that are being typed."""
        self._correction: CorrectionPage | None = None

    @property
    def _shown(self) -> Store:
        return self._stage.shown

    @property
    def seat(self) -> int | None:
        return self.selection.seat(self._shown)

    @property
    def page(self) -> CorrectionPage | None:
        """The page on which a roll is corrected, if it is open."""
        return self._correction if self._correction and not self._correction.quiet else None

    # What changes around it.

    def moved_on(self, *, offers: bool) -> bool:
        """The game has changed; `offers`: and what may be done. True: something that was begun is given up."""
        given_up = False
        if offers:
            self.selection.clear()
            entry = self.entry
            if entry and self._shown.offers(entry.seat).get(entry.move.take) != entry.offer:
                self.entry, given_up = None, True
        if self._correction and not self._correction.goes_on(self._shown):
            given_up = given_up or self.page is not None
            self._correction = None
        return given_up

    def give_up(self) -> None:
        """The connection is lost, or the table is."""
        self.entry = self._correction = None

    def hear(self, answer: Preview | Error, now: float) -> bool:
        """Take the answer to what a correction would change. False: it is for something else."""
        page = self._correction
        if page is None or not page.hear(answer, now):
            return False
        if page.closed:
            self._correction = None
            if page.said:
                self._hands.say(page.said, now)
        return True

    # Keys.

    def takes_face(self, key: str, now: float) -> bool:
        """Whether a key is a face of real dice that are to be typed now."""
        scene = self._hands.scene(now)
        return self.entry is not None or (len(key) == 1 and key.isdigit() and self._to_type(scene) is not None)

    def press_page(self, key: str, now: float) -> None:
        """A key on the page of a correction."""
        assert self._correction
        self._correction.press(key, now)
        if self._correction.closed:
            self._correction = None

    def type_face(self, key: str, now: float) -> None:
        """A key while real dice are typed."""
        assert self.entry
        after = self.entry.press(key)
        if isinstance(after, str):
            self._hands.say(after, now)
            return
        self.entry = after
        if after and after.done:
            self.entry = None
            self._make(after.seat, after.filled, "", now)

    def press(self, key: str, now: float) -> bool:
        """A key in the game. False: it does nothing here."""
        scene = self._hands.scene(now)
        if key in ("u", "x") and self.mend(key, now):
            return True
        if self.takes_face(key, now):
            self._begin_typing(scene, key, now)
            return True
        intent = self.selection.press(key, scene)
        if intent is None:
            view = view_of(self._shown.info.game)
            dead = view.dead(move_of(key, view.moves), scene) if scene.offers else ""
            why = dead or why_idle(key, scene)
            self._hands.say(why, now) if why else None
            return bool(why)
        if intent.say:
            self._hands.say(intent.say, now)
        elif intent.fill_in and scene.seat is not None:
            self._play(intent.fill_in, intent.confirm, scene.seat, now)
        return True

    def _to_type(self, scene: Scene) -> tuple[str, int] | None:
        """The offer whose dice a face key begins to type, and the seat. None: faces pick dice, or nothing."""
        if scene.seat is None or pickable(scene.offers):
            return None
        keyed = dict(scene.keys).values()
        ready = [take for take in keyed if (offer := scene.offers[take]).asks is None and by_keys(offer)]
        return (ready[0], scene.seat) if ready else None

    def _begin_typing(self, scene: Scene, key: str, now: float) -> None:
        """The first face of a roll. A number that is no face begins nothing."""
        if found := self._to_type(scene):
            take, seat = found
            begun = DiceEntry(Move(take=take), scene.offers[take], seat)
            if isinstance(why := begun.press(key), str):
                self._hands.say(why, now)
                return
            self.entry = begun
        self.type_face(key, now)

    def _play(self, fill_in: FillIn, confirm: str, seat: int, now: float) -> None:
        """Make a move: at once, or after a confirmation if it loses, or when what is missing has been typed."""
        if self._stage.sent:
            if self._stage.tumble is None:
                self._hands.say(NOT_YET, now)
        elif fill_in.done:
            self._make(seat, fill_in.move, confirm, now)
        elif fill_in.only_faces and by_keys(fill_in.offer):
            self.entry = DiceEntry(fill_in.move, fill_in.offer, seat)
        else:
            self._hands.type_line(fill_in.prompt(), lambda text, now: self._filled(fill_in, seat, text, now), fill_in)

    def _make(self, seat: int, move: Move, confirm: str, now: float) -> None:
        if self._stage.sent:
            self._hands.say(NOT_YET, now)
            return
        meaning = meant(move, self._shown.offers(seat))
        made = MakeMove(id=self._hands.new_id(), seq=self._shown.seq, seat=seat, move=meaning)
        scene, doubt = self._hands.scene(now), f"doubt-{move.take}"
        warning = view_of(self._shown.info.game).doubt(scene, move.take)
        if confirm:
            self._hands.confirm(Confirmation(confirm, now, lambda: self._hands.send(made)))
        elif warning and self._adviser.warns(scene, doubt):  # a newcomer hardly means this
            read = partial(self._adviser.answered, scene, doubt)
            self._hands.confirm(Confirmation(warning, now, lambda: self._hands.send(made), answered=read))
        else:
            self._hands.send(made)

    def _filled(self, fill_in: FillIn, seat: int, text: str, now: float) -> None:
        if fill_in.move.take not in self._shown.offers(seat):
            raise Unclear(MOVED_ON)
        self._play(fill_in.typed(text), "", seat, now)

    # Rolls that were typed wrong.

    def mend(self, key: str, now: float) -> bool:
        """U takes the last roll back, X corrects one. False: these keys mean nothing at this table."""
        if self._shown.info.options.get("dice") != "entered":
            return False
        if self._stage.sent:
            self._hands.say(NOT_YET, now)
        elif key == "u":
            self._undo(now)
        elif rolls := correctable_rolls(self._shown):
            self._correction = self._new_page(rolls)
            if len(rolls) == 1:
                self._correction.begin(rolls[0])
        else:
            self._hands.say(NOT_CORRECTABLE, now)
        return True

    def try_typed(self, seat: int, move: Move) -> None:
        """A correction that was typed as a command: show what would come of it."""
        rolls = correctable_rolls(self._shown, [seat])
        self._correction = self._new_page([roll for roll in rolls if roll.choice == move.choice] or rolls)
        self._correction.try_move(seat, move)

    def _undo(self, now: float) -> None:
        found = undo_of(self._shown)
        if found is None:
            self._hands.say(NOT_UNDOABLE, now)
        else:
            self.try_typed(found[0], Move(take=UNDO))

    def _new_page(self, rolls: list[Correctable]) -> CorrectionPage:
        return CorrectionPage(self._shown, rolls, self._hands.new_id, self._hands.send)

    # Painting.

    def told(self, width: int) -> str:
        """What is being typed, in so many columns; empty if nothing is."""
        if self.entry is None:
            return ""
        several = len(self._shown.seats) > 1
        whose = f"The roll of {self._shown.name(self.entry.seat)}" if several else "Your roll"
        return strip(self.entry.told(whose, width))
