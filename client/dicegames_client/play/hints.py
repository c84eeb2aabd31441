"""A hint for somebody who plays a game for the first time. It is gone when it was understood. A value."""

from typing import NamedTuple


class Hint(NamedTuple):
    id: str
    """What it is about, in a word. A player who has moved twice with the same hint has understood it."""
    text: str
    """A sentence of at most MOST_HINTED: it has one line at 80 columns."""


MOST_HINTED = 73
ENOUGH_MOVES = 2
"""Moves with the same hint on the screen after which it is not shown again."""
