"""The key binding of each offer: a letter of its name that nothing else uses."""

from collections.abc import Mapping, Sequence

from dicegames_client.play.picking import pickable
from dicegames_protocol.table import CORRECT, UNDO, Offer

RESERVED = "tqo"
"""Keys for talk, quit and odds, in every game."""
FIXED = {CORRECT: "x", UNDO: "u"}
"""Offers that any game may have. Their key is always the same."""
PICK_ALL_KEY = "a"
"""Picks all dice that score, where there are dice to pick."""


def move_of(key: str, moves: Sequence[str]) -> str:
    """The word of the move that a key is for, among all moves of a game. Other keys stand for themselves."""
    return offer_keys({take: Offer(label=take, needed=True) for take in moves}).get(key, key)


def offer_keys(offers: Mapping[str, Offer]) -> dict[str, str]:
    """Key -> offer, in the order of the offers.

    Offers that the game waits for get their letters first. So their keys stay the same while others come and go.
    """
    order = list(offers)
    used = {*RESERVED, *FIXED.values()}
    if pickable(offers):
        used.add(PICK_ALL_KEY)
    found = {FIXED[take]: take for take in offers if take in FIXED}
    for take in sorted(offers.keys() - FIXED.keys(), key=lambda take: (not offers[take].needed, take)):
        spelled = [letter for letter in take.lower() if letter.isascii() and letter.isalpha()]
        free = [letter for letter in [*spelled, *"abcdefghijklmnopqrstuvwxyz"] if letter not in used]
        if free:
            used.add(free[0])
            found[free[0]] = take
    return dict(sorted(found.items(), key=lambda item: order.index(item[1])))
