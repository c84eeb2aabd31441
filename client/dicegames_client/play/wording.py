"""Sentences about what happens: who did it, and a verb that fits."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from dicegames_client.guest.store import Store

T = TypeVar("T")
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@dataclass(frozen=True, slots=True)
class Wording:
    """Tells about a table from the side of its player. "You" means a player with exactly one seat."""

    store: Store

    @property
    def me(self) -> int | None:
        return self.store.seats[0] if len(self.store.seats) == 1 else None

    def who(self, seat: int) -> str:
        """The subject of a sentence."""
        return "You" if seat == self.me else self.store.name(seat)

    def all_of(self, seats: Iterable[int], most: int = 1000) -> str:
        """Several as the subject of a sentence, you first: "You, bo and cy", or "You, bo and 7 more"."""
        order = sorted(seats, key=lambda seat: (seat != self.me, seat not in self.store.seats))
        more = len(order) - most
        named = [self.who(seat) for seat in (order if more < 2 else order[:most])]
        return listed([*named, f"{more:,} more"] if more > 1 else named)

    def whom(self, seat: int) -> str:
        return "you" if seat == self.me else self.store.name(seat)

    def does(self, seat: int, verb: str) -> str:
        """Subject and verb: `does(3, "roll")` is "You roll" or "bo rolls"."""
        if seat == self.me:
            return f"You {verb}"
        irregular = {"have": "has", "are": "is", "do": "does"}
        ending = "es" if verb.endswith(("s", "sh", "ch", "x", "o")) else "s"
        return f"{self.store.name(seat)} {irregular.get(verb, verb + ending)}"


def with_mine(order: Sequence[T], most: int, mine: Container[T]) -> list[T]:
    """The first `most` of an order. You belong to those who are shown, whatever your place."""
    if len(order) <= most:
        return list(order)
    own = [one for one in order if one in mine][:most]
    others = [one for one in order if one not in own][: most - len(own)]
    return [one for one in order if one in own or one in others]


def listed(items: Iterable[object], last: str = "and") -> str:
    """The items in one text: 1, 2 and 3."""
    words = [str(item) for item in items]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def quoted(words: Iterable[str]) -> str:
    """The words in quotes: 'add' or 'double'."""
    return listed([f"'{word}'" for word in words], last="or")


def in_words(number: int) -> str:
    """A small number as a word; a larger one in digits."""
    return _SMALL[number] if 0 <= number < len(_SMALL) else f"{number:,}"


def dice(faces: Iterable[int]) -> str:
    """The faces in one text: 1 1 5."""
    return " ".join(str(face) for face in faces)
