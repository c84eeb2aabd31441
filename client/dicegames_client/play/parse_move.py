"""From a typed line to an offered move. There are no rules here, only what the offers say.

An offer may ask for a choice: faces of dice ('keep 1 1', then 'roll'), a name ('score full-house') or a number ('bid
25'). With real dice, the rolled faces are typed after all that.
"""

from dataclasses import dataclass

from dicegames_client.play.picking import choices as face_choices
from dicegames_client.play.picking import pickable
from dicegames_client.play.wording import quoted
from dicegames_protocol.table import CORRECT, Choice, Move, Offer

KEEP_WORD, ALL_WORD = "keep", "all"
_SHOWN_CHOICES = 8


class NotUnderstood(Exception):
    """What was typed is not a move. str() is a sentence that says what can be typed."""


@dataclass(frozen=True, slots=True)
class Pick:
    """Dice that were picked to be kept. The move that keeps them is typed later."""

    choice: str
    worth: int
    sentence: str


def parse_move(typed: str, offers: dict[str, Offer], picked: str | None) -> Move | Pick:
    """The move that was typed, or a pick towards one. Raises NotUnderstood."""
    parts = typed.replace(",", " ").lower().split()
    if not parts:
        raise NotUnderstood(f"Type {quoted(words(offers))}.")
    take, rest = parts[0], parts[1:]
    if take in offers:
        return _fill_in(take, rest, offers, picked)
    if all(part.isdigit() for part in parts):
        return _bare_numbers(parts, offers, picked)
    if take == KEEP_WORD and pickable(offers):
        return _pick(rest, offers)
    named = [key for key, offer in offers.items() if offer.asks == "name" and _exact(parts, offer)]
    if len(named) == 1:
        return _fill_in(named[0], parts, offers, picked)
    raise NotUnderstood(f"'{typed.strip()[:40]}' is not a move. Type {quoted(words(offers))}.")


def words(offers: dict[str, Offer]) -> list[str]:
    """The words that may be typed."""
    return [*([KEEP_WORD] if pickable(offers) else []), *offers]


def _bare_numbers(numbers: list[str], offers: dict[str, Offer], picked: str | None) -> Move | Pick:
    """Numbers alone mean a roll of real dice, or a pick if there are dice to pick, or the number asked for."""
    rolls = [key for key, offer in offers.items() if offer.enter is not None and offer.needed]
    if rolls and (offers[rolls[0]].asks is None or picked):
        return _fill_in(rolls[0], numbers, offers, picked)
    if pickable(offers):
        return _pick(numbers, offers)
    asked = [key for key, offer in offers.items() if offer.asks == "number"]
    if len(asked) == 1:
        return _fill_in(asked[0], numbers, offers, picked)
    raise NotUnderstood(f"'{' '.join(numbers)[:40]}' is not a move. Type {quoted(words(offers))}.")


def _fill_in(take: str, rest: list[str], offers: dict[str, Offer], picked: str | None) -> Move:
    offer = offers[take]
    choice: str | None = None
    match offer.asks:
        case "name" if take == CORRECT and not (rest and rest[0].startswith("#")):
            choice = list(offer.choices or {})[-1]  # the last roll of the player
        case "faces":
            choice, rest = _faces_to_keep(take, offer, rest, picked)
        case "name" | "number":
            count = len(rest) if offer.enter is None else sum(not word.isdigit() for word in rest) or 1
            choice, rest = choice_from(" ".join(rest[:count]), take, offer), rest[count:]
    if offer.enter is None:
        if rest:
            raise NotUnderstood(f"Type just '{take}'.")
        return Move(take=take, choice=choice)
    count = dice_to_enter(offer, choice)
    return Move(take=take, choice=choice, faces=faces_of(rest, count, offer.sides or 6, f"{take} "))


def dice_to_enter(offer: Offer, choice: str | None) -> int:
    """How many faces of real dice must be typed."""
    listed = (offer.choices or {}).get(choice or "")
    return offer.enter or (listed.rolls if listed else None) or 0


def _faces_to_keep(take: str, offer: Offer, rest: list[str], picked: str | None) -> tuple[str, list[str]]:
    """The dice that were picked before or are typed after the move, and the rest of the line."""
    legal = offer.choices or {}
    if offer.enter is None and rest:
        picked, rest = _choice(rest, legal), []
    choice = picked or (next(iter(legal)) if len(legal) == 1 else None)
    if choice is None:
        raise NotUnderstood(f"Which dice? Type 'keep' and the dice first, or 'keep all', then '{take}'.")
    if choice not in legal:
        raise NotUnderstood(f"{' '.join(choice)} is not enough for '{take}' yet.")
    return choice, rest


def choice_from(typed: str, take: str, offer: Offer) -> str:
    """The name or number that was typed for an offer. Raises NotUnderstood.

    A name may be shortened as long as it is clear.
    """
    if offer.asks == "number":
        number = typed.strip().lstrip("+")
        if not offer.admits(number):
            wrong = f"'{typed.strip()[:20]}' is not possible. " if typed.strip() else ""
            raise NotUnderstood(f"{wrong}Type '{take}' and a number from {offer.least} to {offer.most}.")
        return number
    if not typed.strip() and len(offer.choices or {}) == 1:
        return next(iter(offer.choices or {}))
    parts = typed.lower().split()
    found = _exact(parts, offer) or _beginning(parts, offer)
    if len(found) == 1:
        return found[0]
    wrong = "" if not parts else f"'{typed.strip()[:20]}' is {'not clear' if found else 'none of them'}. "
    raise NotUnderstood(f"{wrong}Type '{take}' and one of: {listed_choices(offer, found)}.")


def listed_choices(offer: Offer, some: list[str] | None = None) -> str:
    """The names that can be chosen, and what each is worth."""
    legal = {key: choice for key, choice in (offer.choices or {}).items() if not some or key in some}
    shown = [f"{key} ({_about(choice)})" for key, choice in legal.items()]
    more = f" and {len(shown) - 2 * _SHOWN_CHOICES} more" if len(shown) > 2 * _SHOWN_CHOICES else ""
    return ", ".join(shown[: 2 * _SHOWN_CHOICES]) + more


def _about(choice: Choice) -> str:
    """What a choice is worth, or which roll it is."""
    return f"{choice.worth:,}" if choice.seat is None else choice.label or ""


def _exact(parts: list[str], offer: Offer) -> list[str]:
    wanted = _plain(" ".join(parts))
    choices = offer.choices or {}
    return [key for key, choice in choices.items() if wanted in (_plain(key), _plain(choice.label or key))]


def _beginning(parts: list[str], offer: Offer) -> list[str]:
    wanted = _plain(" ".join(parts))
    return [key for key in offer.choices or {} if wanted and _plain(key).startswith(wanted)]


def _plain(name: str) -> str:
    """A name without what people leave out or add: case, blanks, hyphens."""
    return "".join(char for char in name.lower() if char.isalnum())


def _pick(words: list[str], offers: dict[str, Offer]) -> Pick:
    found = face_choices(offers)
    choices = found | {
        key: choice
        for offer in offers.values()
        if offer.asks == "faces"
        for key, choice in (offer.choices or {}).items()
        if choice.rolls
    }
    chosen = _choice(words, choices)
    if chosen not in choices:
        shown = list(choices.items())[:_SHOWN_CHOICES]
        legal = ", ".join(f"{' '.join(key)} ({choice.worth})" for key, choice in shown)
        wrong = f"{' '.join(chosen)} can't be kept." if chosen else "Say which dice."
        raise NotUnderstood(f"{wrong} You can keep: {legal}.")
    able = [key for key, offer in offers.items() if offer.asks == "faces" and offer.admits(chosen)]
    worth, rolls = choices[chosen].worth, choices[chosen].rolls
    dice = f" A roll would be {rolls} {'dice' if rolls != 1 else 'die'}." if rolls else ""
    return Pick(chosen, worth, f"You pick {' '.join(chosen)}, worth {worth}.{dice} Type {quoted(able)}.")


def _choice(words: list[str], choices: dict[str, Choice]) -> str:
    if words == [ALL_WORD]:
        return max(choices, key=lambda key: (choices[key].worth, len(key)))
    return "".join(sorted("".join(words)))


def faces_of(words: list[str], count: int, sides: int, before: str = "") -> tuple[int, ...]:
    """The faces that were typed, separate ('5 2') or together ('52'). Raises NotUnderstood.

    `before` is what has to be typed before them.
    """
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
