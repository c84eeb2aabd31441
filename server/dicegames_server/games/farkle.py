"""Farkle: keep dice that score, then roll the rest or bank."""

from collections.abc import Sequence

from dicegames_protocol.base import Event
from dicegames_protocol.games.farkle import (
    KEY,
    TITLE,
    Banked,
    Farkled,
    FarkleOptions,
    FarkleSeat,
    FarkleState,
    Kept,
    LastTurns,
    Rolled,
    TurnBegan,
)
from dicegames_protocol.table import Choice, Move, Offer
from dicegames_server.games import farkle_length
from dicegames_server.games.base import (
    MOST_POINTS,
    Act,
    Faces,
    Need,
    Rules,
    Step,
    after,
    in_order,
    leaders,
    turn_offer,
)
from dicegames_server.games.farkle_scoring import Counts, Scoring, selections

DICE = 6
FARKLES_IN_A_ROW = 3
"""Farkles in a row that bring the penalty."""


class Farkle(Rules[FarkleOptions, FarkleState]):
    key, title, version = KEY, TITLE, "farkle-1"
    rolls = ("roll",)
    least = 1
    options_type = FarkleOptions

    def __init__(self, options: FarkleOptions) -> None:
        super().__init__(options)
        self.scoring = Scoring.of(options)

    def summary(self) -> str:
        preset = f", {self.options.preset}" if self.options.preset != "seed" else ""
        dice = ", real dice" if self.options.dice == "entered" else ""
        return f"to {self.options.target:,}, table {self.options.table}{preset}{dice}"

    def endless(self) -> str | None:
        return farkle_length.endless(self.options, self.scoring)

    def start(self, seats: Sequence[int], starter: int | None, faces: Faces) -> Step[FarkleState]:
        begins = seats[0] if starter is None else starter
        state = FarkleState(
            turn=begins,
            turn_no=1,
            roll=0,
            points=0,
            seats={str(seat): FarkleSeat() for seat in seats},
        )
        return Step(state, (TurnBegan(seat=begins),))

    def first(self, state: FarkleState) -> int:
        return state.turn

    def offers(self, state: FarkleState) -> dict[str, Offer]:
        if state.winners is not None:
            return {}
        if state.dice is None:
            return {"roll": turn_offer(f"Roll {DICE} dice", state.turn)}
        legal = selections(state.dice, self.scoring)
        many = len(state.dice)
        rolls = {key: Choice(worth=worth, rolls=many - len(key) or DICE) for key, worth in legal.items()}
        least = self._least_bank(state)
        banks = {key: Choice(worth=worth) for key, worth in legal.items() if state.points + worth >= least}
        label = "Keep and roll" if banks else f"Keep and roll; it takes {least} to bank"
        offers = {"roll": Offer(label=label, seat=state.turn, needed=True, choices=rolls)}
        if banks:
            offers["bank"] = Offer(label="Keep and bank", seat=state.turn, needed=True, choices=banks)
        return offers

    def turn(self, state: FarkleState) -> int | None:
        return state.turn if state.winners is None else None

    def _least_bank(self, state: FarkleState) -> int:
        opened = state.seats[str(state.turn)].opened
        return max(self.options.minimum, 0 if opened else self.options.opening)

    def needs(self, state: FarkleState, act: Act) -> Need | None:
        if act.move.take != "roll":
            return None
        kept = len(act.move.choice or "")
        return Need((len(state.dice) - kept or DICE) if state.dice else DICE)

    def play(self, state: FarkleState, act: Act, faces: Faces, secret: Faces) -> Step[FarkleState]:
        events: tuple[Event, ...] = ()
        if state.dice is not None:
            state, kept = self._keep(state, act.move.choice or "")
            events = (kept,)
        if act.move.take == "bank":
            return self._bank(state, events)
        return self._roll(state, faces, act.move.faces is not None, events)

    def _keep(self, state: FarkleState, choice: str) -> tuple[FarkleState, Kept]:
        assert state.dice is not None
        worth = selections(state.dice, self.scoring)[choice]
        points = min(state.points + worth, MOST_POINTS)
        kept = Kept(
            seat=state.turn,
            dice=tuple(int(face) for face in choice),
            worth=worth,
            points=points,
            hot=len(choice) == len(state.dice),
        )
        return state.but(points=points), kept

    def _roll(self, state: FarkleState, faces: Faces, entered: bool, events: tuple[Event, ...]) -> Step[FarkleState]:
        number = state.roll + 1
        events += (Rolled(seat=state.turn, roll=number, faces=faces, entered=entered),)
        state = state.but(roll=number, dice=faces, entered=entered)
        if selections(faces, self.scoring):
            return Step(state, events)
        return self._farkle(state, events)

    def _farkle(self, state: FarkleState, events: tuple[Event, ...]) -> Step[FarkleState]:
        mine = state.seats[str(state.turn)]
        farkles = mine.farkles + 1
        penalty = self.options.three_farkles if farkles == FARKLES_IN_A_ROW else 0
        mine = mine.but(score=mine.score - penalty, farkles=farkles % FARKLES_IN_A_ROW)
        events += (Farkled(seat=state.turn, lost=state.points, penalty=penalty, score=mine.score),)
        return self._next_turn(state.but(seats={**state.seats, str(state.turn): mine}), events)

    def _bank(self, state: FarkleState, events: tuple[Event, ...]) -> Step[FarkleState]:
        seat = state.turn
        score = state.seats[str(seat)].score + state.points
        mine = FarkleSeat(score=score, opened=True)
        events += (Banked(seat=seat, points=state.points, score=score),)
        state = state.but(seats={**state.seats, str(seat): mine})
        if score >= self.options.target and state.closer is None:
            state = state.but(closer=seat)
            if len(state.seats) > 1:
                events += (LastTurns(seat=seat, score=score),)
        return self._next_turn(state, events)

    def _next_turn(self, state: FarkleState, events: tuple[Event, ...]) -> Step[FarkleState]:
        following = after(in_order(state), state.turn)[0]
        if following == state.closer:
            return Step(state.but(winners=leaders(self.scores(state)), points=0, dice=None), events)
        state = state.but(turn=following, turn_no=state.turn_no + 1, roll=0, points=0, dice=None, entered=False)
        return Step(state, (*events, TurnBegan(seat=following)))

    def span(self, state: FarkleState) -> int:
        """Once around the table."""
        return (state.turn_no - 1) // len(state.seats)

    def basis(self, state: FarkleState) -> tuple[int, int]:
        return state.turn_no, state.roll

    def scores(self, state: FarkleState) -> dict[int, int]:
        return {int(seat): entry.score for seat, entry in state.seats.items()}

    def explain(self) -> tuple[str, ...]:
        options = self.options
        house_rules = [
            f"Your first bank takes at least {options.opening:,} points." if options.opening else "",
            f"Every bank takes at least {options.minimum:,} points." if options.minimum else "",
            f"Three farkles in a row cost {options.three_farkles:,} points." if options.three_farkles else "",
        ]
        return (
            "Roll six dice and keep at least one that scores; every die that you keep has to belong to something that "
            "scores. Then bank the points of the turn, or roll the other dice.",
            "A roll in which nothing scores is a farkle: the turn is over and its points are lost.",
            "When all six dice are kept they are hot: you may roll all six again, with everything still at risk. "
            f"A turn brings {MOST_POINTS:,} points at most.",
            "You may keep part of what scores. Nothing combines across rolls.",
            *(line for line in house_rules if line),
            f"Whoever banks {options.target:,} first brings one last turn for everybody else. The highest score wins.",
        )

    def table(self) -> tuple[tuple[str, int], ...]:
        """In the order of `Scoring`: face by face (single, then of a kind), then straights, then the other sets."""
        rows: dict[str, int] = {}
        for shape, points in self.scoring.combinations:
            rows.setdefault(_named(shape), points)
        return tuple(rows.items())

    def notable(self, event: Event) -> tuple[int, str, int] | None:
        match event:
            case Banked(seat=seat, points=points):
                return seat, "best bank", points
            case Farkled(seat=seat, lost=lost):
                return seat, "biggest farkle", lost
        return None

    def mild(self, state: FarkleState, seat: int) -> Move:
        """Bank as much as possible. Where nothing can be banked, keep the best selection and roll on."""
        if state.dice is None:
            return Move(take="roll")
        offers = self.offers(state)
        take = "bank" if "bank" in offers else "roll"
        choices = offers[take].choices or {}
        return Move(take=take, choice=max(choices, key=lambda key: (choices[key].worth, -len(key))))


def _named(shape: Counts) -> str:
    """The name of a combination, for people."""
    kinds = sorted(count for count in shape if count)
    if kinds == [2, 2, 2]:
        return "three pairs"
    if kinds == [2, 4]:
        return "four of a kind and a pair"
    if kinds == [3, 3]:
        return "two triplets"
    return " ".join(str(face) for face, count in enumerate(shape, start=1) for _ in range(count))


RULES = Farkle
