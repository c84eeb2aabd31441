"""From a typed line to an offered move. There are no rules here, only what the offers say.

An offer may ask for a choice: faces of dice ('keep 1 1', then 'roll'), a name ('score full-house') or a number ('bid
25'). With real dice, the rolled faces are typed after all that.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dicegames_client.play.picking import choices as face_choices
from dicegames_client.play.picking import pickable, spelled_out
from dicegames_client.play.room_wording import word
from dicegames_client.play.wording import dice, in_words, listed, quoted
from dicegames_protocol.table import CORRECT, Choice, Move, Offer
from dicegames_protocol.text import ungrouped

KEEP_WORD, ALL_WORD = "keep", "all"
_SHOWN_CHOICES = 8


Dead = Callable[[str, str], str]
"""Why a move can't be made now, from its word and the dice chosen for it, in the words of the game. Empty: unknown."""


def _unknown(take: str, chosen: str) -> str:
    return ""


class NotUnderstood(Exception):
    """What was typed is not a move. str() is a sentence that says what can be typed."""


@dataclass(frozen=True, slots=True)
class Pick:
    """Dice that were picked to be kept. The move that keeps them is typed later."""

    choice: str
    worth: int
    sentence: str


def parse_move(
    typed: str, offers: dict[str, Offer], picked: str | None, lying: Sequence[int] = (), dead: Dead = _unknown
) -> Move | Pick:
    """The move that was typed, or a pick towards one. Raises NotUnderstood.

    `lying`: the dice on the table, where the game has such, to say why some can't be kept. `dead`: why a move of the
    game can't be made now, with these dice.
    """
    parts = ungrouped(typed).replace(",", " ").lower().split()
    if not parts:
        raise NotUnderstood(f"Type {quoted(words(offers))}.")
    take, rest = parts[0], parts[1:]
    if take in offers:
        return _fill_in(take, rest, offers, picked, lying, dead)
    if all(part.isdigit() for part in parts):
        return _bare_numbers(parts, offers, picked, lying, dead)
    if take == KEEP_WORD and pickable(offers):
        return _pick(rest, offers, lying)
    named = [key for key, offer in offers.items() if offer.asks == "name" and _exact(parts, offer)]
    if len(named) == 1:
        return _fill_in(named[0], parts, offers, picked)
    raise NotUnderstood(_no_move(typed.strip(), take, rest, offers, picked, dead))


def _no_move(typed: str, take: str, rest: list[str], offers: dict[str, Offer], picked: str | None, dead: Dead) -> str:
    """Why something that was typed can't be done now: a move of this game, or nothing that is known."""
    chosen = _choice(rest, _keepable(offers)) if pickable(offers) and rest else picked
    why = dead(take, chosen or "")
    return (
        f"{why} Type {quoted(words(offers))}."
        if why
        else f"'{typed[:40]}' is not a move. Type {quoted(words(offers))}."
    )


def quoted_moves(offers: Mapping[str, Offer]) -> str:
    """The moves in quotes: 'roll' and the faces or 'bank'. Faces are typed where the dice are real."""
    faces = " and the faces"
    said = spelled_out(offers)
    return listed((f"'{key}'{'' if offer.enter is None else faces}" for key, offer in said.items()), last="or")


def words(offers: dict[str, Offer]) -> list[str]:
    """The words that may be typed."""
    return [*([KEEP_WORD] if pickable(offers) else []), *spelled_out(offers)]


def _bare_numbers(
    numbers: list[str], offers: dict[str, Offer], picked: str | None, lying: Sequence[int], dead: Dead
) -> Move | Pick:
    """Numbers alone mean a roll of real dice, or a pick if there are dice to pick, or the number asked for."""
    rolls = [key for key, offer in offers.items() if offer.enter is not None and offer.needed]
    if rolls and (offers[rolls[0]].asks is None or picked):
        return _fill_in(rolls[0], numbers, offers, picked)
    if pickable(offers):
        return _pick(numbers, offers, lying)
    asked = [key for key, offer in offers.items() if offer.asks == "number"]
    if len(asked) == 1:
        return _fill_in(asked[0], numbers, offers, picked)
    raise NotUnderstood(_no_move(" ".join(numbers), numbers[0], [], offers, picked, dead))


def _fill_in(
    take: str,
    rest: list[str],
    offers: dict[str, Offer],
    picked: str | None,
    lying: Sequence[int] = (),
    dead: Dead = _unknown,
) -> Move:
    offer = offers[take]
    choice: str | None = None
    match offer.asks:
        case "name" if take == CORRECT and not (rest and rest[0].startswith("#")):
            choice = list(offer.choices or {})[-1]  # the last roll of the player
        case "faces":
            choice, rest = _faces_to_keep(take, offers, rest, picked, lying, dead)
        case "name" | "number":
            count = len(rest) if offer.enter is None else sum(not word.isdigit() for word in rest) or 1
            choice, rest = choice_from(" ".join(rest[:count]), take, offer), rest[count:]
    if offer.enter is None:
        if rest:
            raise NotUnderstood(f"Type just '{take}'.")
        return Move(take=take, choice=choice)
    count = dice_to_enter(offer, choice)
    try:
        return Move(take=take, choice=choice, faces=faces_of(rest, count, offer.sides or 6, f"{take} "))
    except NotUnderstood as error:
        if take != CORRECT or len(rest) == count:
            raise
        numbered = f", or 'correct {choice} {_example(count)}' for the roll with this number" if choice else ""
        right = f"Type the right {'face' if count == 1 else f'{in_words(count)} faces'} of the roll"
        raise NotUnderstood(f"{right}, such as 'correct {_example(count)}'{numbered}.") from error


def dice_to_enter(offer: Offer, choice: str | None) -> int:
    """How many faces of real dice must be typed."""
    listed = (offer.choices or {}).get(choice or "")
    return offer.enter or (listed.rolls if listed else None) or 0


def _faces_to_keep(
    take: str, offers: dict[str, Offer], rest: list[str], picked: str | None, lying: Sequence[int], dead: Dead
) -> tuple[str, list[str]]:
    """The dice that were picked before or are typed after the move, and the rest of the line."""
    legal = offers[take].choices or {}
    if offers[take].enter is None and rest:
        picked, typed, rest = _choice(rest, legal), rest, []
        if picked not in legal and picked not in _keepable(offers):
            raise NotUnderstood(_not_these(typed, _keepable(offers), lying))
    choice = picked or (next(iter(legal)) if len(legal) == 1 else None)
    if choice is None:
        raise NotUnderstood(f"Which dice? Type 'keep' and the dice first, or 'keep all', then '{take}'.")
    if choice not in legal:
        raise NotUnderstood(dead(take, choice) or f"{' '.join(choice)} is not enough for '{take}' yet.")
    return choice, rest


def choice_from(typed: str, take: str, offer: Offer) -> str:
    """The name or number that was typed for an offer. Raises NotUnderstood.

    A name may be shortened as long as it is clear.
    """
    if offer.asks == "number":
        number = ungrouped(typed.strip().lstrip("+"))
        if not offer.admits(number):
            wrong = f"'{typed.strip()[:20]}' is not possible. " if typed.strip() else ""
            raise NotUnderstood(f"{wrong}Type '{take}' and a number from {word(offer.least)} to {word(offer.most)}.")
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


def _pick(typed: list[str], offers: dict[str, Offer], lying: Sequence[int]) -> Pick:
    choices = _keepable(offers)
    chosen = _choice(typed, choices)
    if chosen not in choices:
        raise NotUnderstood(_not_these(typed, choices, lying))
    able = {key: offer for key, offer in offers.items() if offer.asks == "faces" and offer.admits(chosen)}
    worth, rolls = choices[chosen].worth, choices[chosen].rolls
    many = f" A roll would be {rolls} {'dice' if rolls != 1 else 'die'}." if rolls else ""
    return Pick(chosen, worth, f"You pick {' '.join(chosen)}, worth {worth:,}.{many} Type {quoted_moves(able)}.")


def _keepable(offers: dict[str, Offer]) -> dict[str, Choice]:
    """All faces that can be kept. Where two offers have the same, the one that rolls says how many dice that is."""
    rolling = {
        key: choice
        for offer in offers.values()
        if offer.asks == "faces"
        for key, choice in (offer.choices or {}).items()
        if choice.rolls
    }
    return face_choices(offers) | rolling


def _not_these(typed: list[str], choices: dict[str, Choice], lying: Sequence[int]) -> str:
    """Why the dice that were typed can't be kept, and which can."""
    shown = [f"{' '.join(key)} ({choice.worth:,})" for key, choice in choices.items()]
    more = f" and {len(shown) - _SHOWN_CHOICES} more" if len(shown) > _SHOWN_CHOICES else ""
    return f"{_wrong_dice(typed, choices, lying)} You can keep: {', '.join(shown[:_SHOWN_CHOICES])}{more}."


def _wrong_dice(typed: list[str], choices: dict[str, Choice], lying: Sequence[int]) -> str:
    chosen = "".join(sorted("".join(typed)))
    if not chosen:
        return "Say which dice."
    if not (chosen.isascii() and chosen.isdigit()):
        return f"'{' '.join(typed)[:40]}' is not what dice show."
    there = Counter(str(face) for face in lying)
    if there and (missing := Counter(chosen) - there):
        face = next(iter(missing))
        if face not in there:
            return f"There is no {face} among the dice {dice(sorted(lying))}."
        only = f"is only one {face}" if there[face] == 1 else f"are only {in_words(there[face])} {face}s"
        return f"There {only}: {dice(sorted(lying))}."
    if not all(choice.worth for choice in choices.values()):
        return f"{' '.join(chosen)} can't be kept."
    kept = max((key for key in choices if not Counter(key) - Counter(chosen)), key=len, default="")
    idle = sorted((Counter(chosen) - Counter(kept)).elements())
    so = " like that" if set(idle) & set("".join(choices)) else ""
    return f"{' '.join(idle)} {'does' if len(idle) == 1 else 'do'} not score{so}."


def _choice(typed: list[str], choices: dict[str, Choice]) -> str:
    if typed == [ALL_WORD]:
        return max(choices, key=lambda key: (choices[key].worth, len(key)))
    return "".join(sorted("".join(typed)))


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
