"""The rules of Sealed Bid: no dice at all, and moves that stay secret until all have made theirs."""

from collections.abc import Hashable, Sequence

from dicegames_protocol.base import Event
from dicegames_protocol.table import Move, Offer
from dicegames_server.games.base import Act, Faces, Need, Rules, Step, leaders
from throwaway.types.sealed_bid import Chosen, Opened, SealedBidOptions, SealedBidSeat, SealedBidState

LEAST, MOST = 1, 20
BID = Offer(
    label="Bid",
    where={"status": "choosing"},
    needed=True,
    choice_kind="number",
    least=LEAST,
    most=MOST,
    sealed=True,
)


class SealedBid(Rules[SealedBidOptions, SealedBidState]):
    key, title, version = "sealed-bid", "Sealed Bid", "sealed-bid-1"
    doing = "choosing"
    hides = True
    options_type = SealedBidOptions

    def summary(self) -> str:
        return f"{self.options.rounds} rounds"

    def start(self, seats: Sequence[int], starter: int | None, faces: Faces) -> Step[SealedBidState]:
        return Step(SealedBidState(seats={str(seat): SealedBidSeat() for seat in seats}))

    def first(self, state: SealedBidState) -> int | None:
        return None

    def seen(self, state: SealedBidState, seat: int | None) -> SealedBidState:
        seats = {key: entry if key == str(seat) else entry.but(bid=None) for key, entry in state.seats.items()}
        return state.but(seats=seats)

    def offers(self, state: SealedBidState) -> dict[str, Offer]:
        return {"bid": BID} if state.winners is None else {}

    def needs(self, state: SealedBidState, act: Act) -> Need | None:
        return None

    def play(self, state: SealedBidState, act: Act, faces: Faces, secret: Faces) -> Step[SealedBidState]:
        assert act.seat is not None
        mine = state.seats[str(act.seat)].but(status="chosen", bid=int(act.move.choice or "0"))
        seats = {**state.seats, str(act.seat): mine}
        events: tuple[Event, ...] = (Chosen(seat=act.seat),)
        if any(entry.status == "choosing" for entry in seats.values()):
            return Step(state.but(seats=seats), events)
        bids = {seat: entry.bid or 0 for seat, entry in seats.items()}
        alone = {seat: bid for seat, bid in bids.items() if list(bids.values()).count(bid) == 1}
        best = max(alone, key=lambda seat: alone[seat], default=None)
        fresh = {
            seat: SealedBidSeat(score=entry.score + (bids[seat] if seat == best else 0))
            for seat, entry in seats.items()
        }
        over = state.round >= self.options.rounds
        winners = leaders({int(seat): entry.score for seat, entry in fresh.items()}) if over else None
        opened = Opened(bids=bids, seat=int(best) if best is not None else None)
        return Step(state.but(seats=fresh, round=state.round + 1, winners=winners), (*events, opened))

    def basis(self, state: SealedBidState) -> Hashable:
        return state.round

    def scores(self, state: SealedBidState) -> dict[int, int]:
        return {int(seat): entry.score for seat, entry in state.seats.items()}

    def mild(self, state: SealedBidState, seat: int) -> Move:
        return Move(take="bid", choice=str(LEAST))


RULES = SealedBid
