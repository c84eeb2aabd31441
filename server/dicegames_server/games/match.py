"""A game that is being played. Pure, and the same for every game.

All moves are checked here. A move must be offered to its seat and be filled in as the offer asks. Otherwise it is
refused and changes nothing. A legal move goes to the rules together with the dice. Where people roll real dice and type
the faces, the offers `correct` and `undo` are added here (typed_rolls.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dicegames_protocol.base import Event
from dicegames_protocol.table import CORRECT, UNDO, Move, Offer, may_take, offers_to
from dicegames_protocol.text import strip
from dicegames_server.core.errors import Refused
from dicegames_server.core.value import Value
from dicegames_server.games import typed_rolls
from dicegames_server.games.base import TIME_UP, Act, By, Faces, GameState, Need, Rules, Step

TIMER_ACT = Act(None, Move(take=TIME_UP), by="clock")


@dataclass(frozen=True)
class Match(Value):
    rules: Rules[Any, Any]
    state: GameState
    offers: dict[str, Offer]
    secret: Faces = ()
    typed: typed_rolls.TypedRolls = ()
    """The typed rolls that can still be corrected."""
    corrections: int = 0
    """How many rolls were corrected or taken back."""
    only_last: bool = False
    """Only the last typed roll can be corrected: so it was when this room was opened, by an earlier version."""
    bests: dict[int, dict[str, int]] = field(default_factory=dict)
    """Seat -> what -> the largest value in this game (`Rules.notable`)."""

    @classmethod
    def start(
        cls,
        rules: Rules[Any, Any],
        seats: Sequence[int],
        starter: int | None,
        faces: Faces,
        *,
        only_last: bool = False,
    ) -> tuple["Match", tuple[Event, ...]]:
        """A new game. `faces`: the dice that `rules.opening(starter)` asked for."""
        need = rules.opening(starter)
        step = rules.start(seats, starter, faces)
        match = cls(rules, step.state, {}, secret=faces if need and need.hidden else (), only_last=only_last)
        return match.but(offers=match._offers(step.state, ())), step.events

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
        return self.but(state=state, offers=self._offers(state, self.typed), secret=())

    def may(self, seat: int) -> dict[str, Offer]:
        """What a seat may do now."""
        return offers_to(seat, self.offers, self._entry(seat))

    def _entry(self, seat: int) -> dict[str, Any] | None:
        entry = self.state.seats.get(str(seat))
        return None if entry is None else entry.__dict__

    def waits_for(self, seat: int) -> bool:
        """Whether the game can't go on without this seat."""
        return any(offer.needed for offer in self.may(seat).values())

    def check(self, seat: int, move: Move, by: By = "player") -> Act:
        """The move as an act, for `play`. Raises Refused. Only players type faces: the server rolls for all others."""
        known = self.offers.get(move.take)
        offer = known.for_seat(seat) if known and may_take(known, seat, self._entry(seat)) else None
        if offer is None:
            mine = self.may(seat)
            if known is None or mine:
                raise Refused("illegal_move", self._not_a_move(move.take, mine))
            raise Refused("not_your_turn", "It is not your turn.")
        self._check_choice(offer, move)
        act = Act(seat, move, by)
        if by == "player":
            self._check_faces(move, self.needs(act))
        return act

    def needs(self, act: Act) -> Need | None:
        """Dice that the caller must draw and pass to `play` with this act."""
        if act.move.take == CORRECT:
            return typed_rolls.meant(self, act).need
        return None if act.move.take == UNDO else self.rules.needs(self.state, act)

    def play(self, act: Act, faces: Faces) -> tuple["Match", tuple[Event, ...]]:
        """The match after an act that comes from `check`, and its events."""
        if act.move.take == CORRECT:
            return typed_rolls.corrected(self, act, faces)
        if act.move.take == UNDO:
            return typed_rolls.taken_back(self)
        step: Step[Any] = self.rules.play(self.state, act, faces, self.secret)
        typed = typed_rolls.after(self, act, faces) if self.rules.real_dice else ()
        after = self.but(
            state=step.state, typed=typed, offers=self._offers(step.state, typed), bests=self._bests(step.events)
        )
        return after, step.events

    def with_typed(self, typed: typed_rolls.TypedRolls) -> "Match":
        """The same match with these rolls that can be corrected."""
        return self.but(typed=typed, offers=self._offers(self.state, typed))

    def counted(self, corrections: int) -> "Match":
        """The same match after so many corrections."""
        again = self.but(corrections=corrections)
        return again.but(offers=again._offers(again.state, again.typed))

    def _bests(self, events: tuple[Event, ...]) -> dict[int, dict[str, int]]:
        """The records of this game, with these events added."""
        bests = self.bests
        for event in events:
            if noted := self.rules.notable(event):
                seat, what, value = noted
                mine = bests.get(seat, {})
                if value > mine.get(what, 0):
                    bests = {**bests, seat: {**mine, what: value}}
        return bests

    def _offers(self, state: GameState, typed: typed_rolls.TypedRolls) -> dict[str, Offer]:
        offers = self.rules.offers(state)
        if self.rules.real_dice:
            offers = {key: self._to_enter(state, key, offer) for key, offer in offers.items()}
            offers |= typed_rolls.offers(typed, corrections=self.corrections, only_last=self.only_last)
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
    choices = [
        f"{' '.join(key) if faces else key} ({f'{choice.worth:,}' if choice.seat is None else choice.label})"
        for key, choice in (offer.choices or {}).items()
    ]
    shown = ", ".join(choices[:8]) + (", …" if len(choices) > 8 else "")
    return f"You can choose: {shown}."
