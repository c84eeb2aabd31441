"""What the painter of a table needs besides the scene. Plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dicegames_client.enter.invitation import Invitation
from dicegames_client.play.moment import Moment
from dicegames_client.screens.table.painting.recap import Recap
from dicegames_protocol.messages.review import GameReview
from dicegames_protocol.messages.server import Odds, RulesPage

SILENCE_SECONDS = 2.0
"""Seconds without an answer before 'NO ANSWER' is shown."""


@dataclass(frozen=True, slots=True)
class ConnectionStatus:
    """The state of the connection."""

    latency_ms: int | None = None
    silent_s: float = 0.0
    """Seconds for which an answer of the server has been missing."""
    lost_s: float | None = None
    """Seconds since the connection was lost; None while it is up."""
    held_ms: int = 0
    """Milliseconds for which the seat is still held."""
    ended: str = ""
    """Why it ended for good; empty if it has not."""


@dataclass(frozen=True, slots=True)
class PaintContext:
    """What the painter needs besides the scene."""

    wire: ConnectionStatus = field(default_factory=ConnectionStatus)
    invited: Invitation = field(default_factory=Invitation)
    recap: Recap = field(default_factory=Recap)
    scroll: int | None = None
    away_ms: Mapping[int, int] = field(default_factory=dict)
    hosting: bool = False
    moment: Moment | None = None
    """What is shown on the stage for a moment instead of the game."""
    odds: Odds | None = None
    """The odds for the panel of a large window. None: they are not known."""
    rules: RulesPage | None = None
    """The rules of the room, for the panel of a large window."""
    review: GameReview | None = None
    """How well everybody played the game that is over."""
    no_review: str = ""
    """Why that is not known, or not yet."""
    advice: str = ""
    """A sentence for somebody who plays the game for the first time."""

    lesson: str = ""
    """What to do, in practice."""
