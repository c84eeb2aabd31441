"""What a game is.

A game is a value and some pure functions on it: no clock, no random numbers, no I/O, no asyncio. The state of a game is
frozen. A step gives a new state and the events that led to it. Dice are drawn outside: `needs` says how many a step
needs, the caller draws them and passes the faces to `play`. So anyone who has the faces can replay and check a game.

`offers` says what a player may do. `match.py` admits only what is offered, in the same way for all games. So `play` can
rely on a legal argument.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Generic, Literal, NamedTuple, Protocol, TypeVar

from dicegames_protocol.base import Event, Model
from dicegames_protocol.options import OptionError, Options
from dicegames_protocol.table import Move, Offer

Faces = tuple[int, ...]
By = Literal["player", "bot", "clock"]
TIME_UP = "time-up"
MOST_POINTS = 1_000_000_000
"""Most points in a pot or in one turn. What goes beyond is not counted. So no score ever reaches 2**53, above which
numbers in JSON are not exact.
"""


@dataclass(frozen=True, slots=True)
class Need:
    """Dice that a step needs.

    The faces of a `hidden` draw are told to nobody. The game shows what follows from them, or hides it in its state
    (`Rules.seen`). When the game is over, they can be worked out from the secret like all others.
    """

    count: int
    sides: int = 6
    hidden: bool = False


class Act(NamedTuple):
    """A move of a seat. Or the end of the game's own timer: then `seat` is None and the move is TIME_UP."""

    seat: int | None
    move: Move
    by: By = "player"


class GameState(Protocol):
    """The fields that match.py reads in the state of any game."""

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
    """Must change whenever the same moves and faces could lead to another state. Every room tells its version."""
    least: ClassVar[int] = 2
    most: ClassVar[int | None] = None
    doing: ClassVar[str] = "rolling"
    """What the player whose turn it is does, for messages: 'Not your turn: ana is rolling.'"""
    options_type: ClassVar[type[Options]]
    hides: bool = False
    """Whether parts of the state are for single seats only. Then `seen` says who sees what.

    A game that always hides something is not played with typed dice. Where it depends on options, and typed dice tell
    nothing that is hidden, a game sets this after `__init__`.
    """
    rolls: ClassVar[tuple[str, ...]] = ()
    """Keys of offers that always roll dice. With such a move a client may show its link at once."""
    no_odds: ClassVar[str] = "There are no odds to tell at the moment."
    """The answer where there are no odds."""

    def __init__(self, options: O_) -> None:
        self.options = options
        self.real_dice: bool = getattr(options, "dice", None) == "entered"
        """Whether players roll real dice and type the faces."""
        if self.hides and self.real_dice:
            raise OptionError(f"{self.title} can't be played with real dice: everybody would see what is typed.")

    @abstractmethod
    def summary(self) -> str:
        """The options in a few words, for lists: '10 rounds'."""

    def endless(self) -> str | None:
        """A sentence where games under these options would never end. None: they end.

        It may take long: call it in the worker. It is asked when a room is opened or its options are changed, not when
        a stored room is read.
        """
        return None

    def opening(self, starter: int | None) -> Need | None:
        """Dice for the start of a game. `starter`: the seat that begins a rematch, None in the first game of a room."""
        return None

    @abstractmethod
    def start(self, seats: Sequence[int], starter: int | None, faces: Faces) -> Step[S]:
        """A new game for these seats, in order of play. `faces`: the dice that `opening` asked for."""

    @abstractmethod
    def first(self, state: S) -> int | None:
        """Who begins a game that has just started. A rematch begins with the next seat. None: the dice decide."""

    @abstractmethod
    def offers(self, state: S) -> dict[str, Offer]:
        """The moves that are possible now, and for whom. Empty when the game is over."""

    def turn(self, state: S) -> int | None:
        """The one seat that the game waits for. None where it waits for several seats, or for nobody.

        Override this where `offers` names that seat by its status.
        """
        waited = {offer.seat for offer in self.offers(state).values() if offer.needed}
        return waited.pop() if len(waited) == 1 else None

    @abstractmethod
    def needs(self, state: S, act: Act) -> Need | None:
        """The dice for an offered act. Its seat is None where the offer is open to several seats."""

    @abstractmethod
    def play(self, state: S, act: Act, faces: Faces, secret: Faces) -> Step[S]:
        """The step for an offered act, with at least one event. `secret`: faces of the hidden draw of `opening`."""

    def seen(self, state: S, seat: int | None) -> S:
        """The state as a seat may see it. `seat` None: as everybody may see it. Hidden fields are set to None.

        `offers` is also called with this state, so that offers don't give hidden fields away to others.
        """
        return state

    def sees_anew(self, before: S, after: S) -> Collection[int] | None:
        """Seats for which what only they see may have changed with a step. None: any of them."""
        return None

    def opens(self, before: S, after: S) -> bool:
        """Whether all sealed moves so far are opened with this step. Those that are not are opened after the game."""
        return False

    def not_now(self, state: S, seat: int) -> str:
        """Why a seat can't do what others may do now. Empty: because it is not its turn."""
        return ""

    def timer(self, state: S) -> int | None:
        """Milliseconds after which the game plays TIME_UP by itself, counted from the last change of `basis`."""
        return None

    def span(self, state: S) -> Hashable:
        """What a round is, for typed dice: all rolls of a round can be corrected until the next one has a roll."""
        return None

    @abstractmethod
    def basis(self, state: S) -> Hashable:
        """What moves depend on. A move is stale if its player saw another basis. Other changes do not matter."""

    def too_late(self, state: S) -> str:
        """The message to a player whose move is stale."""
        return "Too late: the game has moved on."

    @abstractmethod
    def scores(self, state: S) -> dict[int, int]:
        """The score of each seat, for the history of games."""

    def points(self, state: S) -> dict[int, int]:
        """The points of each seat that count for the evening. Empty where the game is about winning alone."""
        return self.scores(state)

    def notable(self, event: Event) -> tuple[int, str, int] | None:
        """Something for the records: seat, what ('best pot') and how much. The largest of each game is kept."""
        return None

    def explain(self) -> tuple[str, ...]:
        """How to play under these options: a few paragraphs for people."""
        return ()

    def table(self) -> tuple[tuple[str, int], ...]:
        """What scores, and how many points. Empty where the game has no such table."""
        return ()

    @abstractmethod
    def mild(self, state: S, seat: int) -> Move:
        """The harmless move that the server makes for a player whose time is up."""


@lru_cache(maxsize=4096)
def turn_offer(label: str, seat: int, loses: bool = False) -> Offer:
    """An offer to the player whose turn it is. All tables need the same few offers, so they are cached."""
    return Offer(label=label, seat=seat, needed=True, loses=loses)


def in_order(state: GameState) -> list[int]:
    """The seats of a game, in order of play."""
    return [int(seat) for seat in state.seats]


def after(order: Sequence[int], seat: int) -> list[int]:
    """All seats in order, beginning with the one after `seat`. `seat` itself comes last."""
    at = order.index(seat)
    return [*order[at + 1 :], *order[: at + 1]]


def leaders(scores: Mapping[int, int]) -> tuple[int, ...]:
    """All seats that have the most points."""
    best = max(scores.values())
    return tuple(seat for seat, score in scores.items() if score == best)
