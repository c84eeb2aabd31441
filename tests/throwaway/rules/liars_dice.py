"""The rules of Liar's Dice: a bid of '3x5' says that there are at least three fives under all cups."""

from collections.abc import Hashable, Sequence

from dicegames_protocol.table import Choice, Move, Offer
from dicegames_server.games.base import Act, Faces, Need, Rules, Step, after, in_order
from throwaway.types.liars_dice import Bade, Doubted, LiarsDiceOptions, LiarsDiceSeat, LiarsDiceState, Shook

SIDES = 6


def parts(bid: str) -> tuple[int, int]:
    count, _, face = bid.partition("x")
    return int(count), int(face)


def with_hands(state: LiarsDiceState, faces: Faces) -> LiarsDiceState:
    """New dice under every cup, in order of the seats."""
    seats, at = {}, 0
    for seat, entry in state.seats.items():
        seats[seat] = entry.but(hand=faces[at : at + entry.left])
        at += entry.left
    return state.but(seats=seats)


class LiarsDice(Rules[LiarsDiceOptions, LiarsDiceState]):
    key, title, version = "liars-dice", "Liar's Dice", "liars-dice-1"
    rolls = ("shake",)
    doing = "bidding"
    hides = True
    most = 4
    options_type = LiarsDiceOptions

    def summary(self) -> str:
        return f"{self.options.cup} dice each"

    def start(self, seats: Sequence[int], starter: int | None, faces: Faces) -> Step[LiarsDiceState]:
        first = seats[0] if starter is None else starter
        entry = LiarsDiceSeat(left=self.options.cup)
        return Step(LiarsDiceState(turn=first, seats={str(seat): entry for seat in seats}))

    def first(self, state: LiarsDiceState) -> int:
        return state.turn

    def seen(self, state: LiarsDiceState, seat: int | None) -> LiarsDiceState:
        seats = {key: entry if key == str(seat) else entry.but(hand=None) for key, entry in state.seats.items()}
        return state.but(seats=seats)

    def offers(self, state: LiarsDiceState) -> dict[str, Offer]:
        if state.winners is not None:
            return {}
        if not state.shaken:
            return {"shake": Offer(label="Shake the cups", seat=state.turn, needed=True)}
        total = sum(entry.left for entry in state.seats.values())
        count, face = parts(state.bid) if state.bid else (1, 0)
        bids = [(c, f) for c in range(count, total + 1) for f in range(1, SIDES + 1) if (c, f) > (count, face)]
        offers = {}
        if bids:
            names = {f"{c}x{f}": Choice(worth=c) for c, f in bids}
            offers["bid"] = Offer(label="Bid", seat=state.turn, needed=True, choices=names, choice_kind="name")
        if state.bid:
            offers["doubt"] = Offer(label="Doubt it", seat=state.turn, needed=True)
        return offers

    def needs(self, state: LiarsDiceState, act: Act) -> Need | None:
        total = sum(entry.left for entry in state.seats.values())
        return Need(total, hidden=True) if act.move.take == "shake" else None

    def play(self, state: LiarsDiceState, act: Act, faces: Faces, secret: Faces) -> Step[LiarsDiceState]:
        assert act.seat is not None
        order = [seat for seat in in_order(state) if state.seats[str(seat)].left]
        if act.move.take == "shake":
            return Step(with_hands(state, faces).but(shaken=True), (Shook(seat=act.seat),))
        if act.move.take == "bid":
            bid = act.move.choice or ""
            after_bid = state.but(bid=bid, bidder=act.seat, turn=after(order, act.seat)[0])
            return Step(after_bid, (Bade(seat=act.seat, bid=bid),))
        assert state.bid and state.bidder is not None
        count, face = parts(state.bid)
        there = sum((entry.hand or ()).count(face) for entry in state.seats.values())
        loser = act.seat if there >= count else state.bidder
        hands = {seat: entry.hand for seat, entry in state.seats.items() if entry.hand}
        doubted = Doubted(seat=act.seat, hands=hands, there=there, loser=loser)
        entry = state.seats[str(loser)]
        seats = {seat: cup.but(hand=None) for seat, cup in state.seats.items()}
        seats[str(loser)] = LiarsDiceSeat(left=entry.left - 1)
        alive = [int(seat) for seat, entry in seats.items() if entry.left]
        next_turn = loser if seats[str(loser)].left else after(order, loser)[0]
        fresh = state.but(seats=seats, round=state.round + 1, shaken=False, bid=None, bidder=None, turn=next_turn)
        return Step(fresh.but(winners=tuple(alive)) if len(alive) == 1 else fresh, (doubted,))

    def basis(self, state: LiarsDiceState) -> Hashable:
        return state.round, state.shaken, state.bid, state.turn

    def too_late(self, state: LiarsDiceState) -> str:
        known = [face for entry in state.seats.values() for face in entry.hand or ()]
        return f"Too late: another bid was made. You know of {len(known)} dice: {known}."

    def scores(self, state: LiarsDiceState) -> dict[int, int]:
        return {int(seat): entry.left for seat, entry in state.seats.items()}

    def mild(self, state: LiarsDiceState, seat: int) -> Move:
        offers = self.offers(state)
        for take in ("shake", "doubt"):
            if take in offers:
                return Move(take=take)
        return Move(take="bid", choice=next(iter(offers["bid"].choices or {})))


RULES = LiarsDice
