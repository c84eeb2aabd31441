"""Picking from the choices that the server offers: dice by their faces, or one of two or three names. No rules here.

A choice of dice is written as its faces in order ('115'). A pick grows face by face towards some choice. The offers say
whether it may already be taken. Two or three names are shown, pressed and said like moves of their own: so 'cash' and
'hold' have their keys whether they are two offers or the two choices of one.
"""

from collections import Counter
from collections.abc import Mapping

from dicegames_protocol.table import Choice, Move, Offer

Offers = Mapping[str, Offer]
MOST_NAMES = 3
"""Most names of a choice that are shown like moves."""


def pickable(offers: Offers) -> bool:
    """Whether there are dice to pick."""
    return any(offer.asks == "faces" for offer in offers.values())


def choices(offers: Offers) -> dict[str, Choice]:
    """All faces that can be picked.

    If several offers have the same faces, any of them will do: they are worth the same.
    """
    faces = [offer.choices or {} for offer in offers.values() if offer.asks == "faces"]
    return {key: choice for some in faces for key, choice in some.items()}


def can_add(offers: Offers, picked: str) -> set[str]:
    """The faces that can still be added to the pick."""
    have = Counter(picked)
    found: set[str] = set()
    for key in choices(offers):
        rest = Counter(key) - have
        if not have - Counter(key):
            found |= set(rest)
    return found


def add(offers: Offers, picked: str, face: str) -> str | None:
    """The pick with one more face, or None if no choice has it."""
    return picked + face if face in can_add(offers, picked) else None


def best(offers: Offers) -> str:
    """The choice that is worth most; among equals, the one with the most dice. Empty if there is none."""
    found = choices(offers)
    return max(found, key=lambda key: (found[key].worth, len(key)), default="")


def chosen(offers: Offers, picked: str) -> Choice | None:
    """The choice that is picked, or None if the pick is not a choice yet."""
    return choices(offers).get(key_of(picked))


def key_of(picked: str) -> str:
    return "".join(sorted(picked))


def also(offers: Offers, picked: str) -> list[tuple[str, int]]:
    """What else could be taken, as (faces, additional points).

    For each face, the fewest dice that score; and more dice if each of them is then worth more.
    """
    found = choices(offers)
    have = Counter(picked)
    now = found[key_of(picked)].worth if key_of(picked) in found else 0
    more: dict[str, int] = {}
    best: dict[str, float] = {}
    for key, choice in sorted(found.items(), key=lambda item: len(item[0])):
        rest = "".join(sorted((Counter(key) - have).elements()))
        gain = choice.worth - now
        if have - Counter(key) or len(set(rest)) != 1 or gain <= best.get(rest[0], 0.0) * len(rest):
            continue
        best[rest[0]] = gain / len(rest)
        more[rest] = gain
    return list(more.items())


def spelled_out(offers: Offers) -> dict[str, Offer]:
    """The offers, with the names of short choices in place of the offers that ask for them."""
    found: dict[str, Offer] = {}
    for take, offer in offers.items():
        found |= _named(offer) if _is_short(offer, offers) else {take: offer}
    return found


def meant(move: Move, offers: Offers) -> Move:
    """The move for what was taken: an offer, or a name of a short choice."""
    if move.take in offers or move.choice is not None:
        return move
    for take, offer in offers.items():
        if _is_short(offer, offers) and offer.admits(move.take):
            return move.but(take=take, choice=move.take)
    return move


def _is_short(offer: Offer, offers: Offers) -> bool:
    """Whether the names can stand for themselves: few words, open to the whole offer, and no names of other offers."""
    if offer.asks != "name" or offer.enter is not None or offer.loses:
        return False
    choices = offer.choices or {}
    words = all(name.isalpha() and choice.seat is None for name, choice in choices.items())
    return 1 < len(choices) <= MOST_NAMES and words and not choices.keys() & offers.keys()


def _named(offer: Offer) -> dict[str, Offer]:
    return {
        name: Offer(label=choice.label or f"{offer.label} {name} ({choice.worth:,})", needed=offer.needed)
        for name, choice in (offer.choices or {}).items()
    }
