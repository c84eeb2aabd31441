"""What a game is.

A game is a value and a handful of pure functions on it: no clock, no random numbers, no I/O, no asyncio. The state of
a game is frozen; a step gives a new one and the facts that happened on the way. Chance is its own step: a rule that
needs dice says how many (`needs`), the caller draws them and hands the faces in (`play`). So a game can be replayed
and checked by anyone who has the faces.

What a player may do is said by `offers`. `match.py` admits only what is offered, for all games alike; `play` may
therefore rely on its argument being legal.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Generic, Literal, NamedTuple, Protocol, TypeVar

from dicegames_protocol.base import Event, Model
from dicegames_protocol.messages.server import ErrorCode
from dicegames_protocol.options import Options
from dicegames_protocol.table import Move, Offer

Faces = tuple[int, ...]
By = Literal["player", "bot", "clock"]
TIME_UP = "time-up"


class Refused(Exception):
    """A command that is not carried out, with the code and the sentence for whoever sent it."""

    def __init__(self, code: ErrorCode, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Need:
    """Dice that a step needs. A hidden draw stays with the server until the game shows what came of it."""

    count: int
    sides: int = 6
    hidden: bool = False


class Act(NamedTuple):
    """Somebody's move, or the game's own timer running out (no seat, TIME_UP)."""

    seat: int | None
    move: Move
    by: By = "player"


class GameState(Protocol):
    """What match.py reads of any game's state."""

    @property
    def seats(self) -> Mapping[str, Model]: ...

    @property
    def winners(self) -> tuple[int, ...] | None: ...


O_ = TypeVar("O_", bound=Options)
S = TypeVar("S", bound=GameState)


class Step(NamedTuple, Generic[S]):
    state: S
    events: tuple[Event, ...] = ()


class Rules(ABC, Generic[O_, S]):
    """The rules of one game under given options."""

    key: ClassVar[str]
    title: ClassVar[str]
    version: ClassVar[str]
    """Changes whenever the same moves and faces could lead to another state; every room names it."""
    least: ClassVar[int] = 2
    most: ClassVar[int | None] = None
    doing: ClassVar[str] = "rolling"
    """What the one whose turn it is does: 'Not your turn: ana is rolling.'"""
    options_type: ClassVar[type[Options]]
    no_odds: ClassVar[str] = "There are no odds to tell at the moment."
    """What to say where there are no chances to tell."""

    def __init__(self, options: O_) -> None:
        self.options = options
        self.real_dice: bool = getattr(options, "dice", None) == "entered"
        """Whether people roll on their own table and type the faces."""

    @abstractmethod
    def summary(self) -> str:
        """The options in a few words, for lists: '10 rounds'."""

    def opening(self, starter: int | None) -> Need | None:
        """Dice for the very start. `starter` is None in the first game of a room, else the rotated seat."""
        return None

    @abstractmethod
    def start(self, seats: Sequence[int], starter: int | None, faces: Faces) -> Step[S]:
        """A new game for these seats, in order."""

    @abstractmethod
    def first(self, state: S) -> int | None:
        """Who begins a game that has just started, so that a rematch can begin with the next; None: the dice say."""

    @abstractmethod
    def offers(self, state: S) -> dict[str, Offer]:
        """What may be done now, and by whom. Empty when the game is over."""

    @abstractmethod
    def needs(self, state: S, act: Act) -> Need | None:
        """The dice for an offered act. Asked with no seat for an offer that many may take."""

    @abstractmethod
    def play(self, state: S, act: Act, faces: Faces, secret: Faces) -> Step[S]:
        """The step for an offered act, with at least one event. `secret`: the hidden draw of `opening`, if any."""

    def timer(self, state: S) -> int | None:
        """Milliseconds after which the game plays TIME_UP by itself, counted from when `basis` last changed."""
        return None

    @abstractmethod
    def basis(self, state: S) -> Hashable:
        """What moves depend on. A move made in sight of another basis is stale; other changes do not matter to it."""

    def too_late(self, state: S) -> str:
        """What to tell somebody whose move was overtaken."""
        return "Too late: the game has moved on."

    @abstractmethod
    def scores(self, state: S) -> dict[int, int]:
        """What each seat has reached, for the history of games."""

    def notable(self, event: Event) -> tuple[int, str, int] | None:
        """Something for the record books: seat, what ('best pot') and how much. The largest of a game is kept."""
        return None

    def explain(self) -> tuple[str, ...]:
        """How to play under these options: a few paragraphs, for people."""
        return ()

    def table(self) -> tuple[tuple[str, int], ...]:
        """What brings how many points, where the game has such a table."""
        return ()

    @abstractmethod
    def mild(self, state: S, seat: int) -> Move:
        """The harmless move that is played for somebody whose time is up."""


@lru_cache(maxsize=4096)
def turn_offer(label: str, seat: int, loses: bool = False) -> Offer:
    """What the one whose turn it is may do. The same few are made again and again at all tables, so they are kept."""
    return Offer(label=label, seat=seat, needed=True, loses=loses)


def in_order(state: GameState) -> list[int]:
    """The seats of a game, in order of play."""
    return [int(seat) for seat in state.seats]


def after(order: Sequence[int], seat: int) -> list[int]:
    """The other seats, beginning with the one after `seat`; `seat` itself comes last."""
    at = order.index(seat)
    return [*order[at + 1 :], *order[: at + 1]]


def leaders(scores: Mapping[int, int]) -> tuple[int, ...]:
    """Everyone who has the most points."""
    best = max(scores.values())
    return tuple(seat for seat, score in scores.items() if score == best)
