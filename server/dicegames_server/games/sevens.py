"""Sevens: roll up to three times. Pairs that make seven vanish. What is left at the end scores."""

from collections.abc import Sequence
from typing import Literal

from dicegames_protocol.base import Event
from dicegames_protocol.games.sevens import (
    KEY,
    TITLE,
    Rolled,
    RolledForStart,
    RoundBegan,
    Scored,
    SevensOptions,
    SevensSeat,
    SevensState,
    Starts,
    StartTied,
)
from dicegames_protocol.table import Move, Offer
from dicegames_server.games.base import Act, Faces, Need, Rules, Step, after, in_order, leaders

DICE = 6
ROLLS = 3
"""Most rolls in a turn."""
Why = Literal["kept", "third-roll", "nothing-left"]


def pairs_of_seven(faces: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Positions of pairs that make seven. Each die is used once; pairs are matched from the left."""
    pairs: list[tuple[int, int]] = []
    gone: set[int] = set()
    for one, face in enumerate(faces):
        if one in gone:
            continue
        for two in range(one + 1, len(faces)):
            if two not in gone and face + faces[two] == 7:
                pairs.append((one, two))
                gone |= {one, two}
                break
    return tuple(pairs)


class Sevens(Rules[SevensOptions, SevensState]):
    key, title, version = KEY, TITLE, "sevens-1"
    rolls = ("roll",)
    options_type = SevensOptions

    def summary(self) -> str:
        dice = ", real dice" if self.options.dice == "entered" else ""
        return f"{self.options.rounds} round{'s' if self.options.rounds > 1 else ''}{dice}"

    def start(self, seats: Sequence[int], starter: int | None, faces: Faces) -> Step[SevensState]:
        """A new game. The dice decide who begins, also in a rematch, so `starter` is ignored."""
        return Step(
            SevensState(
                stage="start",
                heat=1,
                round=0,
                rounds=self.options.rounds,
                seats={str(seat): SevensSeat(status="rolling") for seat in seats},
            )
        )

    def first(self, state: SevensState) -> None:
        return None

    def offers(self, state: SevensState) -> dict[str, Offer]:
        if state.winners is not None:
            return {}
        if state.stage == "start":
            return {"roll": Offer(label="Roll for the start", where={"status": "rolling"}, needed=True)}
        turn: dict[str, str | int] = {"status": "turn"}
        if not state.left:
            return {"roll": Offer(label=f"Roll {DICE} dice", where=turn, needed=True)}
        many, more = len(state.left), ROLLS - state.roll
        label = f"Roll {many} {'dice' if many > 1 else 'die'} ({more} roll{'s' if more > 1 else ''} left)"
        return {
            "roll": Offer(label=label, where=turn, needed=True),
            "keep": Offer(label=f"Keep {sum(state.left)}", where=turn, needed=True),
        }

    def turn(self, state: SevensState) -> int | None:
        return state.turn if state.stage == "play" else None

    def needs(self, state: SevensState, act: Act) -> Need | None:
        if act.move.take != "roll":
            return None
        return Need(len(state.left) if state.left else DICE)

    def play(self, state: SevensState, act: Act, faces: Faces, secret: Faces) -> Step[SevensState]:
        assert act.seat is not None
        if act.move.take == "keep":
            return self._score(state, act.seat, "kept", ())
        entered = act.move.faces is not None
        if state.stage == "start":
            return self._roll_for_start(state, act.seat, faces, entered)
        return self._roll(state, act.seat, faces, entered)

    def _roll_for_start(self, state: SevensState, seat: int, faces: Faces, entered: bool) -> Step[SevensState]:
        rolled = RolledForStart(seat=seat, faces=faces, sum=sum(faces), entered=entered)
        seats = {**state.seats, str(seat): SevensSeat(status="done", opening=sum(faces))}
        state = state.but(seats=seats, faces=faces)
        if any(entry.status == "rolling" for entry in seats.values()):
            return Step(state, (rolled,))
        best = leaders({int(s): e.opening or 0 for s, e in seats.items() if e.status == "done"})
        if len(best) > 1:
            again = {s: e.but(status="rolling" if int(s) in best else "waiting") for s, e in seats.items()}
            tied = StartTied(seats=best, sum=seats[str(best[0])].opening or 0)
            return Step(state.but(seats=again, heat=state.heat + 1), (rolled, tied))
        state = state.but(stage="play", starter=best[0])
        return self._begin_round(state, in_order(state), (rolled, Starts(seat=best[0])))

    def _begin_round(self, state: SevensState, playing: Sequence[int], events: tuple[Event, ...]) -> Step[SevensState]:
        assert state.starter is not None
        order = [state.starter, *after(in_order(state), state.starter)[:-1]]
        first = next(seat for seat in order if seat in playing)
        number = state.round + 1
        extra = number > state.rounds
        seats = {
            seat: SevensSeat(
                status="turn" if int(seat) == first else "waiting" if int(seat) in playing else "out",
                total=entry.total,
            )
            for seat, entry in state.seats.items()
        }
        began = RoundBegan(round=number, extra=extra, seats=tuple(playing) if extra else ())
        state = state.but(seats=seats, round=number, extra=extra)
        return Step(self._begin_turn(state, first), (*events, began))

    def _begin_turn(self, state: SevensState, seat: int) -> SevensState:
        """The dice of the turn before stay visible. `roll` 0 says that they are old."""
        return state.but(turn=seat, turn_no=state.turn_no + 1, roll=0, left=None)

    def _roll(self, state: SevensState, seat: int, faces: Faces, entered: bool) -> Step[SevensState]:
        pairs = pairs_of_seven(faces)
        gone = {position for pair in pairs for position in pair}
        left = tuple(face for position, face in enumerate(faces) if position not in gone)
        number = state.roll + 1
        rolled = Rolled(seat=seat, roll=number, faces=faces, pairs=pairs, left=left, worth=sum(left), entered=entered)
        state = state.but(roll=number, faces=faces, pairs=pairs, left=left, entered=entered)
        if not left:
            return self._score(state, seat, "nothing-left", (rolled,))
        if number == ROLLS:
            return self._score(state, seat, "third-roll", (rolled,))
        return Step(state, (rolled,))

    def _score(self, state: SevensState, seat: int, why: Why, events: tuple[Event, ...]) -> Step[SevensState]:
        points = sum(state.left or ())
        mine = state.seats[str(seat)]
        total = mine.total + points
        done = SevensSeat(status="done", total=total, round=points)
        state = state.but(seats={**state.seats, str(seat): done})
        events += (Scored(seat=seat, points=points, total=total, why=why),)
        waiting = [s for s in after(in_order(state), seat) if state.seats[str(s)].status == "waiting"]
        if waiting:
            following = waiting[0]
            seats = {**state.seats, str(following): state.seats[str(following)].but(status="turn")}
            return Step(self._begin_turn(state.but(seats=seats), following), events)
        return self._end_round(state, events)

    def _end_round(self, state: SevensState, events: tuple[Event, ...]) -> Step[SevensState]:
        """The leader after the last round wins. Leaders that are tied go on alone, in whole extra rounds."""
        if state.round < state.rounds:
            return self._begin_round(state, in_order(state), events)
        best = leaders({int(s): e.total for s, e in state.seats.items() if e.status == "done"})
        if len(best) > 1:
            return self._begin_round(state, best, events)
        return Step(state.but(winners=best, turn=None), events)

    def span(self, state: SevensState) -> tuple[str, int]:
        return state.stage, state.round

    def basis(self, state: SevensState) -> tuple[str, int, int]:
        """Rolls for the start do not depend on each other, so they have the same basis within one heat."""
        if state.stage == "start":
            return "start", state.heat, 0
        return "play", state.turn_no, state.roll

    def too_late(self, state: SevensState) -> str:
        if state.stage == "start":
            return "Somebody else was rolling in that moment. Roll again."
        return super().too_late(state)

    def scores(self, state: SevensState) -> dict[int, int]:
        return {int(seat): entry.total for seat, entry in state.seats.items()}

    def explain(self) -> tuple[str, ...]:
        return (
            "Everybody rolls six dice; the highest sum begins, and whoever ties rolls again.",
            "In your turn, roll all six. Every two dice that make seven vanish: 1-6, 2-5, 3-4, each die once. What is "
            "left is your score so far.",
            f"Keep it, or roll everything that is left again; {ROLLS} rolls at most. Only the dice at the end count. "
            "If no dice are left, the turn brings nothing.",
            f"The highest total after {self.options.rounds:,} round{'s' if self.options.rounds > 1 else ''} wins. "
            "Whoever ties for it plays whole extra rounds.",
        )

    def notable(self, event: Event) -> tuple[int, str, int] | None:
        return (event.seat, "best turn", event.points) if isinstance(event, Scored) else None

    def mild(self, state: SevensState, seat: int) -> Move:
        return Move(take="keep" if state.left else "roll")


RULES = Sevens
