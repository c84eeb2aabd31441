"""The rules of Yacht, with eight categories."""

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import get_args

from dicegames_protocol.table import Choice, Move, Offer
from dicegames_server.games.base import Act, Faces, Need, Rules, Step, after, in_order, leaders
from throwaway.types.yacht import Category, Entered, Threw, YachtOptions, YachtSeat, YachtState

DICE, ROLLS = 5, 3
SINGLES = {"ones": 1, "twos": 2, "sixes": 6}


def worth(category: str, dice: Faces) -> int:
    counts = sorted(Counter(dice).values())
    if category in SINGLES:
        return dice.count(SINGLES[category]) * SINGLES[category]
    match category:
        case "full-house":
            return sum(dice) if counts == [2, 3] else 0
        case "four-of-a-kind":
            return sum(dice) if counts[-1] >= 4 else 0
        case "straight":
            return 30 if len(counts) == DICE and max(dice) - min(dice) == DICE - 1 else 0
        case "yacht":
            return 50 if counts == [DICE] else 0
    return sum(dice)


class Yacht(Rules[YachtOptions, YachtState]):
    key, title, version = "yacht", "Yacht", "yacht-1"
    rolls = ("roll", "reroll", "again")
    least = 1
    options_type = YachtOptions

    def summary(self) -> str:
        return f"{self.options.rounds} turns each"

    def start(self, seats: Sequence[int], starter: int | None, faces: Faces) -> Step[YachtState]:
        first = seats[0] if starter is None else starter
        order = [first, *after(seats, first)[:-1]]
        state = YachtState(turn=first, seats={str(seat): YachtSeat() for seat in order})
        return Step(state)

    def first(self, state: YachtState) -> int:
        return state.turn

    def offers(self, state: YachtState) -> dict[str, Offer]:
        if state.winners is not None:
            return {}
        if state.dice is None:
            return {"roll": Offer(label="Roll five dice", seat=state.turn, needed=True)}
        used = state.seats[str(state.turn)].used
        names = {name: Choice(worth=worth(name, state.dice)) for name in get_args(Category) if name not in used}
        score = Offer(label="Score", seat=state.turn, needed=True, choices=names, choice_kind="name")
        if state.roll >= ROLLS:
            return {"score": score}
        kept = {"".join(map(str, sorted(some))) for n in range(1, DICE) for some in combinations(state.dice, n)}
        keep = {key: Choice(worth=sum(map(int, key)), rolls=DICE - len(key)) for key in sorted(kept)}
        return {
            "reroll": Offer(label="Roll the others", seat=state.turn, needed=True, choices=keep, choice_kind="faces"),
            "again": Offer(label="Roll all five", seat=state.turn, needed=True),
            "score": score,
        }

    def needs(self, state: YachtState, act: Act) -> Need | None:
        match act.move.take:
            case "roll" | "again":
                return Need(DICE)
            case "reroll":
                return Need(DICE - len(act.move.choice or ""))
        return None

    def play(self, state: YachtState, act: Act, faces: Faces, secret: Faces) -> Step[YachtState]:
        assert act.seat is not None
        if act.move.take != "score":
            kept = tuple(map(int, act.move.choice or ""))
            dice, roll = tuple(sorted((*kept, *faces))), state.roll + 1
            threw = Threw(seat=act.seat, roll=roll, faces=faces, entered=act.move.faces is not None)
            return Step(state.but(dice=dice, roll=roll), (threw,))
        category, entry = act.move.choice or "", state.seats[str(act.seat)]
        points = worth(category, state.dice or ())
        entry = entry.but(score=entry.score + points, used={**entry.used, category: points})
        seats = {**state.seats, str(act.seat): entry}
        order = in_order(state)
        wrote = Entered(seat=act.seat, category=category, points=points, score=entry.score)
        over = all(len(seat.used) >= self.options.rounds for seat in seats.values())
        winners = leaders({int(seat): entry.score for seat, entry in seats.items()}) if over else None
        turn = after(order, act.seat)[0]
        return Step(state.but(turn=turn, roll=0, dice=None, seats=seats, winners=winners), (wrote,))

    def basis(self, state: YachtState) -> Hashable:
        return state.turn, state.roll, sum(len(entry.used) for entry in state.seats.values())

    def scores(self, state: YachtState) -> dict[int, int]:
        return {int(seat): entry.score for seat, entry in state.seats.items()}

    def mild(self, state: YachtState, seat: int) -> Move:
        choices = self.offers(state).get("score", Offer(label="")).choices
        if not choices:
            return Move(take="roll")
        return Move(take="score", choice=max(choices, key=lambda name: choices[name].worth))


RULES = Yacht
