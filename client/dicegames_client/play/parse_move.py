"""From what somebody typed to an offered move. No rules: only what the offers say."""

from dataclasses import dataclass

from dicegames_client.play.wording import quoted
from dicegames_protocol.table import Choice, Move, Offer

KEEP, ALL = "keep", "all"


class NotUnderstood(Exception):
    """What was typed is no move; str() is a sentence that says what would be."""


@dataclass(frozen=True, slots=True)
class Pick:
    """Dice that were picked to be kept, until the move that keeps them is typed."""

    choice: str
    worth: int
    sentence: str


def read(typed: str, offers: dict[str, Offer], picked: str | None) -> Move | Pick:
    """The move that was typed, or a pick towards one; NotUnderstood otherwise."""
    parts = typed.replace(",", " ").lower().split()
    if not parts:
        raise NotUnderstood(f"Type {quoted(words(offers))}.")
    if all(part.isdigit() for part in parts):
        return _bare_numbers(parts, offers, picked)
    take, rest = parts[0], parts[1:]
    if take in offers:
        return _fill_in(take, rest, offers, picked)
    if take == KEEP and any(offer.choices for offer in offers.values()):
        return _pick(rest, offers)
    raise NotUnderstood(f"'{typed.strip()[:40]}' is not a move. Type {quoted(words(offers))}.")


def words(offers: dict[str, Offer]) -> list[str]:
    """What may be typed."""
    keep = [KEEP] if any(offer.choices for offer in offers.values()) else []
    return [*keep, *offers]


def _bare_numbers(numbers: list[str], offers: dict[str, Offer], picked: str | None) -> Move | Pick:
    """Faces alone mean a roll of real dice, or a pick where there is something to pick."""
    rolls = [key for key, offer in offers.items() if offer.enter is not None and offer.needed]
    if rolls and (offers[rolls[0]].choices is None or picked):
        return _fill_in(rolls[0], numbers, offers, picked)
    if any(offer.choices for offer in offers.values()):
        return _pick(numbers, offers)
    raise NotUnderstood(f"'{' '.join(numbers)[:40]}' is not a move. Type {quoted(words(offers))}.")


def _fill_in(take: str, rest: list[str], offers: dict[str, Offer], picked: str | None) -> Move:
    offer = offers[take]
    choice: str | None = None
    if offer.choices is not None:
        if offer.enter is None and rest:
            picked, rest = _choice(rest, offer.choices), []
        choice = picked or (next(iter(offer.choices)) if len(offer.choices) == 1 else None)
        if choice is None:
            raise NotUnderstood(f"Which dice? Type 'keep' and the dice first, or 'keep all', then '{take}'.")
        if choice not in offer.choices:
            raise NotUnderstood(f"{' '.join(choice)} is not enough for '{take}' yet.")
    if offer.enter is None:
        if rest:
            raise NotUnderstood(f"Type just '{take}'.")
        return Move(take=take, choice=choice)
    count = offer.enter or ((offer.choices or {})[choice].rolls if choice else None) or 0
    return Move(take=take, choice=choice, faces=faces_of(rest, count, offer.sides or 6, f"{take} "))


def _pick(words: list[str], offers: dict[str, Offer]) -> Pick:
    found = [(key, choice) for offer in offers.values() for key, choice in (offer.choices or {}).items()]
    choices = dict(found) | {key: choice for key, choice in found if choice.rolls}
    chosen = _choice(words, choices)
    if chosen not in choices:
        legal = ", ".join(f"{' '.join(key)} ({choice.worth})" for key, choice in list(choices.items())[:8])
        wrong = f"{' '.join(chosen)} can't be kept." if chosen else "Say which dice."
        raise NotUnderstood(f"{wrong} You can keep: {legal}.")
    able = [key for key, offer in offers.items() if offer.choices and chosen in offer.choices]
    worth, rolls = choices[chosen].worth, choices[chosen].rolls
    dice = f" A roll would be {rolls} {'dice' if rolls != 1 else 'die'}." if rolls else ""
    return Pick(chosen, worth, f"You pick {' '.join(chosen)}, worth {worth}.{dice} Type {quoted(able)}.")


def _choice(words: list[str], choices: dict[str, Choice]) -> str:
    if words == [ALL]:
        return max(choices, key=lambda key: (choices[key].worth, len(key)))
    return "".join(sorted("".join(words)))


def faces_of(words: list[str], count: int, sides: int, before: str = "") -> tuple[int, ...]:
    """The faces that were typed, apart ('5 2') or run together ('52'). `before` is what has to be typed before them."""
    digits = words if len(words) != 1 else list(words[0])
    faces = tuple(int(word) for word in digits if word.isascii() and word.isdigit() and len(word) < 4)
    if len(faces) != len(digits) or len(faces) != count:
        dice = f"{count} dice and type their faces" if count != 1 else "one die and type its face"
        raise NotUnderstood(f"Roll {dice}, such as '{before}{_example(count)}'.")
    wrong = [face for face in faces if not 1 <= face <= sides]
    if wrong:
        raise NotUnderstood(f"A die has the faces 1 to {sides}; {wrong[0]} is none of them.")
    return faces


def _example(count: int) -> str:
    return " ".join(str(face) for face in (5, 2, 6, 1, 3, 4)[:count])
