"""Double or Nothing: add one or double. Whoever hits the target exactly wins; whoever goes over it loses."""

from collections.abc import Sequence
from functools import lru_cache

from dicegames_protocol.base import Event
from dicegames_protocol.games.double_or_nothing import (
    KEY,
    TITLE,
    Began,
    Chose,
    DoubleOrNothingOptions,
    DoubleOrNothingSeat,
    DoubleOrNothingState,
    Ended,
    Tossed,
    Won,
)
from dicegames_protocol.table import Move, Offer
from dicegames_server.games.base import Act, Faces, Need, Rules, Step, in_order, turn_offer
from dicegames_server.games.double_or_nothing_solution import slip


class DoubleOrNothing(Rules[DoubleOrNothingOptions, DoubleOrNothingState]):
    key, title, version = KEY, TITLE, "double-or-nothing-1"
    least = most = 2
    doing = "choosing"
    options_type = DoubleOrNothingOptions
    no_odds = "Nothing is left to chance in this game, so there are no odds."

    def summary(self) -> str:
        series = f", best of {self.options.best_of}" if self.options.best_of > 1 else ""
        start = f" from {self.options.start}" if self.options.start != 1 else ""
        return f"to {self.options.target}{start}{series}"

    def opening(self, starter: int | None) -> Need | None:
        tossed = starter is None and self.options.first == "toss"
        return Need(1, sides=2) if tossed else None

    def start(self, seats: Sequence[int], starter: int | None, faces: Faces) -> Step[DoubleOrNothingState]:
        events: list[Event] = []
        if faces:
            starter = seats[faces[0] - 1]
            events.append(Tossed(seat=starter))
        elif starter is None:
            starter = seats[int(self.options.first) - 1]
        events.append(Began(game=1, seat=starter, number=self.options.start))
        state = DoubleOrNothingState(
            number=self.options.start,
            target=self.options.target,
            start=self.options.start,
            turn=starter,
            starter=starter,
            game=1,
            best_of=self.options.best_of,
            moves=0,
            trail={},
            seats={str(seat): DoubleOrNothingSeat() for seat in seats},
        )
        return Step(state, tuple(events))

    def first(self, state: DoubleOrNothingState) -> int:
        return state.turn

    def offers(self, state: DoubleOrNothingState) -> dict[str, Offer]:
        if state.winners is not None:
            return {}
        add, double = state.number + 1, state.number * 2
        return {
            "add": turn_offer(f"Add one -> {add}", state.turn, add > state.target),
            "double": turn_offer(f"Double -> {double}", state.turn, double > state.target),
        }

    def needs(self, state: DoubleOrNothingState, act: Act) -> Need | None:
        return None

    def play(self, state: DoubleOrNothingState, act: Act, faces: Faces, secret: Faces) -> Step[DoubleOrNothingState]:
        mover = state.turn
        [other] = [seat for seat in in_order(state) if seat != mover]
        doubles = act.move.take == "double"
        number = state.number * 2 if doubles else state.number + 1
        chose = _chose(mover, doubles, number)
        moved = state.but(
            number=number,
            turn=other,
            moves=state.moves + 1,
            trail={**state.trail, str(number): mover},
        )
        if number < state.target:
            return Step(moved, (chose,))
        winner, loser = (mover, other) if number == state.target else (other, mover)
        won = Won(winner=winner, loser=loser, number=number, over=number > state.target, slip=slip(moved, loser))
        return self._next_game(moved, won, (chose, won))

    def _next_game(
        self, state: DoubleOrNothingState, won: Won, events: tuple[Event, ...]
    ) -> Step[DoubleOrNothingState]:
        """Ends the series if it is decided. If not, the next game starts, and the other player begins."""
        seat = str(won.winner)
        wins = state.seats[seat].wins + 1
        state = state.but(
            seats={**state.seats, seat: DoubleOrNothingSeat(wins=wins)},
            ended=Ended(number=won.number, winner=won.winner, loser=won.loser, over=won.over),
        )
        if wins * 2 > state.best_of:
            return Step(state.but(winners=(won.winner,)), events)
        starter = next(seat for seat in in_order(state) if seat != state.starter)
        began = Began(game=state.game + 1, seat=starter, number=state.start)
        state = state.but(number=state.start, turn=starter, starter=starter, game=state.game + 1, trail={})
        return Step(state, (*events, began))

    def explain(self) -> tuple[str, ...]:
        options = self.options
        series = (
            f"You play until one of you has won {options.best_of // 2 + 1} games; the other one begins each time."
            if options.best_of > 1
            else "In a rematch the other one begins."
        )
        return (
            f"One number, and it begins at {options.start}. In turn, each of you adds one to it or doubles it.",
            f"Whoever makes it exactly {options.target:,} wins. Whoever goes over {options.target:,} loses at once. "
            "Nobody may pass.",
            series,
            "The game has been solved. Nobody tells you how while you play; afterwards you see where it was lost.",
        )

    def basis(self, state: DoubleOrNothingState) -> int:
        return state.moves

    def scores(self, state: DoubleOrNothingState) -> dict[int, int]:
        return {int(seat): entry.wins for seat, entry in state.seats.items()}

    def points(self, state: DoubleOrNothingState) -> dict[int, int]:
        return {}

    def mild(self, state: DoubleOrNothingState, seat: int) -> Move:
        return Move(take="add")


@lru_cache(maxsize=4096)
def _chose(seat: int, doubles: bool, number: int) -> Chose:
    """An event that is cached: all tables need the same few."""
    return Chose(seat=seat, what="double" if doubles else "add", number=number)


RULES = DoubleOrNothing
