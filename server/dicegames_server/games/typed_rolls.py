"""Rolls of real dice that players have typed, and what becomes of a game when one of them was wrong. Pure.

The typed rolls of a round stay correctable until the next round has its first roll. To correct one, the game goes back
to where it was before that roll, takes the right faces, and plays everything since then again. What no longer fits is
taken back. Dice that the server has drawn are never drawn again, so they end what can be corrected.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, TypeVar

from dicegames_protocol.base import Event
from dicegames_protocol.messages.room_events import Corrected, TakenBack
from dicegames_protocol.table import CORRECT, UNDO, Choice, Move, Offer
from dicegames_server.core.errors import Refused
from dicegames_server.games.base import Act, By, Faces, Need, Rules

MOST_ROLLS = 60
"""Most rolls that can be corrected, where a round has more of them."""
MOST_ACTS = 200
"""Most acts that a correction plays again: a room does nothing else meanwhile. Before them nothing can be corrected."""
MOST_CORRECTIONS = 200
"""Most corrections in a game. After a restart all of them are played again."""


@dataclass(frozen=True, slots=True)
class TypedRoll:
    """The match before a roll, the act that rolled, its dice, and the acts since that did not roll."""

    before: Any
    act: Act
    need: Need
    since: tuple[Act, ...] = ()

    @property
    def faces(self) -> Faces:
        return self.act.move.faces or ()


TypedRolls = tuple[TypedRoll, ...]


class Played(Protocol):
    """What is needed of a match (match.py)."""

    @property
    def rules(self) -> Rules[Any, Any]: ...

    @property
    def state(self) -> Any: ...

    @property
    def typed(self) -> TypedRolls: ...

    @property
    def corrections(self) -> int: ...

    @property
    def only_last(self) -> bool: ...

    def but(self, **changes: Any) -> Self: ...

    def counted(self, corrections: int) -> Self: ...

    def check(self, seat: int, move: Move, by: By = "player") -> Act: ...

    def needs(self, act: Act) -> Need | None: ...

    def play(self, act: Act, faces: Faces) -> tuple[Self, tuple[Event, ...]]: ...


M = TypeVar("M", bound=Played)


def after(match: Played, act: Act, faces: Faces) -> TypedRolls:
    """The rolls that can be corrected after an act."""
    rolls = match.typed
    if act.move.faces is not None and (need := match.rules.needs(match.state, act)):
        same = bool(rolls) and match.rules.span(rolls[-1].before.state) == match.rules.span(match.state)
        kept = rolls if same and not match.only_last else ()
        before = match.but(typed=()) if match.only_last else match
        return _few((*kept, TypedRoll(before, act, need)))
    if faces:
        return ()
    return _few((*rolls[:-1], replace(rolls[-1], since=(*rolls[-1].since, act)))) if rolls else ()


def _few(rolls: TypedRolls) -> TypedRolls:
    """The last rolls, as far as all that was done since can be played again."""
    acts, first = 0, len(rolls)
    while first and len(rolls) - first < MOST_ROLLS:
        acts += 1 + len(rolls[first - 1].since)
        if acts > MOST_ACTS:
            break
        first -= 1
    return rolls[first:]


def offers(rolls: TypedRolls, *, corrections: int, only_last: bool) -> dict[str, Offer]:
    """The offers to correct a roll and to take the last one back, each for the player who typed it."""
    if not rolls or corrections >= MOST_CORRECTIONS:
        return {}
    last = rolls[-1]
    if only_last:
        return {CORRECT: Offer(label="Correct", seat=last.act.seat, enter=last.need.count, sides=last.need.sides)}
    choices = {
        f"#{number}": Choice(worth=0, rolls=roll.need.count, label=_shown(roll.faces), seat=roll.act.seat)
        for number, roll in enumerate(rolls, start=1)
    }
    correct = Offer(label="Correct", choices=choices, choice_kind="name", enter=0, sides=last.need.sides)
    return {CORRECT: correct, UNDO: Offer(label=f"Take back {_shown(last.faces)}", seat=last.act.seat)}


def meant(match: Played, act: Act) -> TypedRoll:
    """The roll that an act corrects."""
    return match.typed[_place(match, act)]


def corrected(match: M, act: Act, faces: Faces) -> tuple[M, tuple[Event, ...]]:
    """The match with other faces for one of its rolls, and everything since then played again.

    An act that is not possible any more, or that would now roll by itself, is taken back. So is everything after the
    end of the round, if it ends earlier now.
    """
    place = _place(match, act)
    roll = match.typed[place]
    assert roll.act.seat is not None
    later = [*roll.since, *(one for next_ in match.typed[place + 1 :] for one in (next_.act, *next_.since))]
    began: M = roll.before
    again, events = began.play(roll.act._replace(move=roll.act.move.but(faces=faces)), faces)
    undone: list[int] = []
    for act in later:
        try:
            again, more = _repeated(again, act, began)
            events += more
        except Refused:
            undone += [act.seat] if act.seat is not None else []
    told = Corrected(seat=roll.act.seat, faces=faces, undone=tuple(undone))
    if not match.only_last:
        told = told.but(was=roll.faces, back=len(match.typed) - place)
    return again.counted(match.corrections + 1), (told, *events)


def _repeated(match: M, act: Act, began: M) -> tuple[M, tuple[Event, ...]]:
    """An act that is played again. Raises Refused where it does not fit."""
    if not match.only_last and match.rules.span(match.state) != match.rules.span(began.state):
        raise Refused("illegal_move", "The round is over by then.")
    again = act if act.seat is None else match.check(act.seat, act.move, act.by)
    faces = act.move.faces or ()
    if match.needs(again) and not faces:
        raise Refused("illegal_move", "It would roll.")
    return match.play(again, faces)


def taken_back(match: M) -> tuple[M, tuple[Event, ...]]:
    """The match before the last roll, and without all that was done since."""
    roll = match.typed[-1]
    assert roll.act.seat is not None
    before: M = roll.before
    told = TakenBack(seat=roll.act.seat, faces=roll.faces, undone=_seats(roll.since))
    return before.counted(match.corrections + 1), (told,)


def _seats(acts: Iterable[Act]) -> tuple[int, ...]:
    return tuple(act.seat for act in acts if act.seat is not None)


def _place(match: Played, act: Act) -> int:
    """Which of the rolls is meant. Rooms of an earlier version name none: it is the last one."""
    return int(act.move.choice[1:]) - 1 if act.move.choice else len(match.typed) - 1


def _shown(faces: Faces) -> str:
    return " ".join(str(face) for face in faces)
