"""What a judge of a game is. A judge knows the chance to win of every seat, and what each decision does to it.

All seats are thought to play as well as they can from here on. A judge sees what the players saw: a public state. What
was hidden from them is hidden from the judge.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from dicegames_protocol.table import Move
from dicegames_server.games.base import Act

Chances = Mapping[int, float]
"""Seat -> its chance to win. A shared win of n seats counts as 1/n for each, so that they add up to 1."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """Something that a seat could do."""

    move: Move
    """Without typed faces."""
    chances: Chances
    """The chances when it is chosen, before dice fall for it."""
    words: str
    """As a part of a sentence: 'banking 450', 'rolling 2 dice with 450 at risk'."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a seat decided, by a move or by doing nothing in time."""

    seat: int
    taken: Alternative
    others: tuple[Alternative, ...] = ()
    """All that it could do instead."""
    about: str = ""
    """What there was to decide about, as the beginning of a sentence: 'with 2 dice and 450 at risk'."""

    @property
    def best(self) -> Alternative:
        """What gives the seat the best chance. Of equals it is what was taken."""
        return max((self.taken, *self.others), key=lambda found: found.chances[self.seat])

    @property
    def cost(self) -> float:
        """The chance to win that the decision gave away."""
        return self.best.chances[self.seat] - self.taken.chances[self.seat]

    @property
    def spread(self) -> float:
        """How much depended on the decision: the best chance less the worst one."""
        return self.best.chances[self.seat] - min(found.chances[self.seat] for found in (self.taken, *self.others))


class Judge(Protocol):
    """Judges the games under some rules. It may keep what it has worked out."""

    @property
    def exact(self) -> bool:
        """Whether the chances are exact for this number of seats and these options. Else they are close."""

    def chances(self, state: Any) -> Chances:
        """The chances before anything is decided in this state. At the end of a game: 1, shared by its winners."""

    def decisions(self, state: Any, act: Act) -> tuple[Decision, ...]:
        """What an act in this state decides, and for whom, one after the other.

        Empty where there was no choice. The best alternative of the first decision has the chances of `chances(state)`;
        the best one of each other decision has those of what was taken before it.
        """

    def why(self, decision: Decision) -> str:
        """One sentence about a decision that cost something: what would have been better, and by how much."""
