"""What became of each player's chance to win: what was lost, what others gave, and what was luck."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from dicegames_protocol.messages.review import AS_GOOD, BLUNDER, MISTAKE, SLIP, ReviewedPlayer
from dicegames_server.audit.review.judge import Chances, Decision

MOST_COSTLIEST = 3


@dataclass(slots=True)
class Account:
    """The account of one seat. start - lost - away + given + luck is its chance at every moment."""

    start: float
    lost: float = 0.0
    away: float = 0.0
    given: float = 0.0
    luck: float = 0.0
    spread: float = 0.0
    """How much depended on its own decisions."""
    costs: list[tuple[float, int]] = field(default_factory=list)
    """Cost and place of each of its own decisions."""

    def copy(self) -> "Account":
        return Account(self.start, self.lost, self.away, self.given, self.luck, self.spread, list(self.costs))


class Accounts:
    def __init__(self, chances: Chances) -> None:
        self._seats = {seat: Account(chance) for seat, chance in chances.items()}
        self._now = dict(chances)
        self._kept: list[tuple[dict[int, Account], dict[int, float]]] = []

    @property
    def now(self) -> Mapping[int, float]:
        """The chances to win after all that was told so far."""
        return self._now

    def decided(self, decision: Decision, place: int, *, own: bool) -> None:
        """A seat has decided. `own`: its player did. Else the server did, for somebody who was away or too late."""
        best, taken = decision.best.chances, decision.taken.chances
        for seat, account in self._seats.items():
            change = taken[seat] - best[seat]
            account.luck += best[seat] - self._now[seat]
            if seat != decision.seat:
                account.given += change
            elif own:
                account.lost -= change
                account.spread += decision.spread
                account.costs.append((-change, place))
            else:
                account.away -= change
        self._now = {seat: taken[seat] for seat in self._seats}

    def came(self, chances: Chances) -> None:
        """Dice fell, or something else happened that nobody decided."""
        for seat, account in self._seats.items():
            account.luck += chances[seat] - self._now[seat]
        self._now = {seat: chances[seat] for seat in self._seats}

    def keep(self) -> None:
        """Keep the accounts, because a typed roll follows that may be taken back."""
        self._kept.append(({seat: account.copy() for seat, account in self._seats.items()}, dict(self._now)))

    def take_back(self, rolls: int) -> None:
        """The accounts before so many of the last typed rolls, as far as they are known."""
        if 0 < rolls <= len(self._kept):
            self._seats, self._now = self._kept[-rolls]
            del self._kept[-rolls:]

    def of(self, seat: int) -> Account:
        return self._seats[seat]

    def player(self, seat: int, name: str, bot: str | None, places: Mapping[int, int]) -> ReviewedPlayer:
        """The account of a seat for people. `places`: the places of decisions -> their places in the review."""
        account = self._seats[seat]
        costs = [cost for cost, _ in account.costs]
        worst = sorted((pair for pair in account.costs if pair[0] > AS_GOOD), reverse=True)[:MOST_COSTLIEST]
        return ReviewedPlayer(
            seat=seat,
            name=name,
            bot=bot,
            start=account.start,
            end=self._now[seat],
            lost=account.lost,
            away=account.away,
            given=account.given,
            luck=account.luck,
            accuracy=max(0.0, 1 - math.fsum(costs) / account.spread) if account.spread > 0 else None,
            decisions=len(costs),
            slips=sum(SLIP <= cost < MISTAKE for cost in costs),
            mistakes=sum(MISTAKE <= cost < BLUNDER for cost in costs),
            blunders=sum(cost >= BLUNDER for cost in costs),
            costliest=tuple(places[place] for _, place in worst if place in places),
        )
