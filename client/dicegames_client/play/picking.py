"""Picking dice by their faces, out of the choices that the server offers. No rules: only what the choices say.

A choice is written as its faces in order ('115'). A pick grows face by face towards some choice; whether it may be
taken already is for the offers to say.
"""

from collections import Counter
from collections.abc import Mapping

from dicegames_protocol.table import Choice, Offer

Offers = Mapping[str, Offer]


def choices(offers: Offers) -> dict[str, Choice]:
    """All choices of all offers; where several have the same one, any will do, for they are worth the same."""
    return {key: choice for offer in offers.values() for key, choice in (offer.choices or {}).items()}


def can_add(offers: Offers, picked: str) -> set[str]:
    """Faces that may still be picked."""
    have = Counter(picked)
    found: set[str] = set()
    for key in choices(offers):
        rest = Counter(key) - have
        if not have - Counter(key):
            found |= set(rest)
    return found


def add(offers: Offers, picked: str, face: str) -> str | None:
    """The pick with one more face, or None where no choice has it."""
    return picked + face if face in can_add(offers, picked) else None


def best(offers: Offers) -> str:
    """The choice that is worth most, with the most dice among equals; nothing where there is none."""
    found = choices(offers)
    return max(found, key=lambda key: (found[key].worth, len(key)), default="")


def chosen(offers: Offers, picked: str) -> Choice | None:
    """What is picked, as a choice, if it is one already."""
    return choices(offers).get(key_of(picked))


def key_of(picked: str) -> str:
    return "".join(sorted(picked))


def also(offers: Offers, picked: str) -> list[tuple[str, int]]:
    """What could be taken besides, as (faces, points more): of each face as few as score, and more where it pays."""
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
