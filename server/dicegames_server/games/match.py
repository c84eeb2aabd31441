"""A game that is being played. Pure, and the same for every game.

All moves are checked here. A move must be offered to its seat and be filled in as the offer asks. Otherwise it is
refused and changes nothing. A legal move goes to the rules together with the dice. The offer `correct` is also made
here: where people roll real dice and type the faces, the last roll can be corrected until the next one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dicegames_protocol.base import Event
from dicegames_protocol.messages.room_events import Corrected
from dicegames_protocol.table import CORRECT, Move, Offer, may_take
from dicegames_protocol.text import strip
from dicegames_server.core.errors import Refused
from dicegames_server.core.value import Value
from dicegames_server.games.base import TIME_UP, Act, By, Faces, GameState, Need, Rules, Step

TIMER_ACT = Act(None, Move(take=TIME_UP), by="clock")


@dataclass(frozen=True, slots=True)
class Entered:
    """The last roll that was typed: the match before it, the act that rolled, its dice, and the acts since."""

    before: "Match"
    act: Act
    need: Need
    since: tuple[Act, ...] = ()


@dataclass(frozen=True)
class Match(Value):
    rules: Rules[Any, Any]
    state: GameState
    offers: dict[str, Offer]
    secret: Faces = ()
    entered: Entered | None = None
    corrections: int = 0

    @classmethod
    def start(
        cls, rules: Rules[Any, Any], seats: Sequence[int], starter: int | None, faces: Faces
    ) -> tuple["Match", tuple[Event, ...]]:
        """A new game. `faces`: the dice that `rules.opening(starter)` asked for."""
        need = rules.opening(starter)
        step = rules.start(seats, starter, faces)
        match = cls(rules, step.state, {}, secret=faces if need and need.hidden else ())
        return match.but(offers=match._offers(step.state, None)), step.events

    @property
    def winners(self) -> tuple[int, ...] | None:
        return self.state.winners

    @property
    def basis(self) -> tuple[int, Any]:
        return self.corrections, self.rules.basis(self.state)

    def seen_by(self, seat: int | None) -> "Match":
        """The match as a seat may see it. `seat` None: as everybody may. Where nothing is hidden, the match itself."""
        if not self.rules.hides:
            return self
        state = self.rules.seen(self.state, seat)
        return self.but(state=state, offers=self._offers(state, None), secret=())

    def may(self, seat: int) -> dict[str, Offer]:
        """What a seat may do now."""
        entry = self._entry(seat)
        return {key: offer for key, offer in self.offers.items() if may_take(offer, seat, entry)}

    def _entry(self, seat: int) -> dict[str, Any] | None:
        entry = self.state.seats.get(str(seat))
        return None if entry is None else entry.__dict__

    def waits_for(self, seat: int) -> bool:
        """Whether the game can't go on without this seat."""
        return any(offer.needed for offer in self.may(seat).values())

    def check(self, seat: int, move: Move, by: By = "player") -> Act:
        """The move as an act, for `play`. Raises Refused. Only players type faces: the server rolls for all others."""
        offer = self.offers.get(move.take)
        if offer is None or not may_take(offer, seat, self._entry(seat)):
            mine = self.may(seat)
            if offer is None or mine:
                raise Refused("illegal_move", self._not_a_move(move.take, mine))
            raise Refused("not_your_turn", "It is not your turn.")
        self._check_choice(offer, move)
        act = Act(seat, move, by)
        if by == "player":
            self._check_faces(move, self.needs(act))
        return act

    def needs(self, act: Act) -> Need | None:
        """Dice that the caller must draw and pass to `play` with this act."""
        if act.move.take == CORRECT and self.entered:
            return self.entered.need
        return self.rules.needs(self.state, act)

    def play(self, act: Act, faces: Faces) -> tuple["Match", tuple[Event, ...]]:
        """The match after an act that comes from `check`, and its events."""
        if act.move.take == CORRECT:
            return self._correct(faces)
        step: Step[Any] = self.rules.play(self.state, act, faces, self.secret)
        entered = self.entered
        if act.move.faces is not None and (need := self.needs(act)):
            entered = Entered(self.but(entered=None), act, need)
        elif faces:
            entered = None
        elif entered:
            entered = replace(entered, since=(*entered.since, act))
        return self.but(state=step.state, entered=entered, offers=self._offers(step.state, entered)), step.events

    def _correct(self, faces: Faces) -> tuple["Match", tuple[Event, ...]]:
        """Go back before the roll, play it again with other faces, and then repeat all acts since.

        An act that is not possible any more, or that would now roll, is undone.
        """
        assert self.entered and self.entered.act.seat is not None
        entered = self.entered
        act = entered.act._replace(move=entered.act.move.but(faces=faces))
        match, events = entered.before.play(act, faces)
        undone: list[int] = []
        for later in entered.since:
            try:
                again = later if later.seat is None else match.check(later.seat, later.move, later.by)
                if match.needs(again):
                    raise Refused("illegal_move", "It would roll.")
                match, more = match.play(again, ())
                events += more
            except Refused:
                undone += [later.seat] if later.seat is not None else []
        seat = self.entered.act.seat
        corrected = Corrected(seat=seat, faces=faces, undone=tuple(undone))
        return match.but(corrections=self.corrections + 1), (corrected, *events)

    def _offers(self, state: GameState, entered: Entered | None) -> dict[str, Offer]:
        offers = self.rules.offers(state)
        if self.rules.real_dice:
            offers = {key: self._to_enter(state, key, offer) for key, offer in offers.items()}
            if entered:
                need = entered.need
                offers[CORRECT] = Offer(
                    label="Correct",
                    seat=entered.act.seat,
                    enter=need.count,
                    sides=need.sides,
                )
        return offers

    def _to_enter(self, state: GameState, key: str, offer: Offer) -> Offer:
        """Add the number of faces to type to an offer that rolls. It is 0 where the number depends on the choice."""
        choice = str(offer.least) if offer.asks == "number" else next(iter(offer.choices)) if offer.choices else None
        need = self.rules.needs(state, Act(offer.seat, Move(take=key, choice=choice)))
        return offer.but(enter=need.count if choice is None else 0, sides=need.sides) if need else offer

    def _not_a_move(self, take: str, mine: dict[str, Offer]) -> str:
        if not mine:
            return f"'{take}' is not possible now."
        return f"'{take}' is not a move now. You can: {', '.join(mine)}."

    def _check_choice(self, offer: Offer, move: Move) -> None:
        if offer.admits(move.choice):
            return
        if offer.asks is None:
            raise Refused("illegal_move", f"There is nothing to choose with '{move.take}'.")
        if move.choice is None:
            raise Refused("illegal_move", f"Something is to be chosen with '{move.take}'. {_list_choices(offer)}")
        shown = strip(" ".join(move.choice) if offer.asks == "faces" else move.choice)
        raise Refused("illegal_move", f"'{shown}' can't be chosen. {_list_choices(offer)}")

    def _check_faces(self, move: Move, need: Need | None) -> None:
        if move.faces is None:
            if need and self.rules.real_dice:
                raise Refused("illegal_move", f"Type the faces of the {_dice(need.count)} that you rolled.")
            return
        if need is None or not self.rules.real_dice:
            raise Refused("illegal_move", "No faces are to be typed here: the server rolls.")
        if len(move.faces) != need.count:
            raise Refused("illegal_move", f"You typed {len(move.faces)} faces for {_dice(need.count)}.")
        wrong = [face for face in move.faces if not 1 <= face <= need.sides]
        if wrong:
            raise Refused("illegal_move", f"A die has the faces 1 to {need.sides}; {wrong[0]} is none of them.")


def _dice(count: int) -> str:
    return f"{count} {'dice' if count != 1 else 'die'}"


def _list_choices(offer: Offer) -> str:
    if offer.asks == "number":
        return f"You can choose a number from {offer.least:,} to {offer.most:,}."
    faces = offer.asks == "faces"  # '115' in the protocol, '1 1 5' for people
    choices = [f"{' '.join(key) if faces else key} ({choice.worth:,})" for key, choice in (offer.choices or {}).items()]
    shown = ", ".join(choices[:8]) + (", …" if len(choices) > 8 else "")
    return f"You can choose: {shown}."
