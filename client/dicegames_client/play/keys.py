"""Which key takes which offer: a letter of its name that nothing else uses."""

from collections.abc import Mapping

from dicegames_protocol.table import Offer

RESERVED = "tqo"
"""Talk, quit and odds, whatever the game."""
FIXED = {"correct": "x"}
"""Offers that any game may have, always on the same key."""
ALL = "a"
"""Picks everything, where there is something to pick."""


def offer_keys(offers: Mapping[str, Offer]) -> dict[str, str]:
    """Key -> offer, in the order of the offers.

    What the game waits for has the first choice of letters, so that its keys stay the same while others come and go.
    """
    order = list(offers)
    used = {*RESERVED, *FIXED.values()}
    if any(offer.choices for offer in offers.values()):
        used.add(ALL)
    found = {FIXED[take]: take for take in offers if take in FIXED}
    for take in sorted(offers.keys() - FIXED.keys(), key=lambda take: (not offers[take].needed, take)):
        spelled = [letter for letter in take.lower() if letter.isascii() and letter.isalpha()]
        free = [letter for letter in [*spelled, *"abcdefghijklmnopqrstuvwxyz"] if letter not in used]
        if free:
            used.add(free[0])
            found[free[0]] = take
    return dict(sorted(found.items(), key=lambda item: order.index(item[1])))
