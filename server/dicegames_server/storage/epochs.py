"""How the number of a new epoch is drawn.

Each owner of a room writes in an epoch of its own, and a later epoch has a higher number. After a restore from a
backup the old numbers must not come again: a client that remembers one of them would take another history for its own.
So a number is drawn from the clock, and its last bits by chance: it is higher than all that were drawn before, also
than those that the backup does not know.
"""

import secrets
import time

RANDOM_BITS = 20
"""With the seconds since 1970 before them, numbers stay below 2**53, the largest integer that JSON keeps exactly."""
FIRST_EPOCH = 1
"""The epoch in which a room is opened."""


def next_epoch(before: int) -> int:
    """The epoch after `before`."""
    drawn = (int(time.time()) << RANDOM_BITS) | secrets.randbits(RANDOM_BITS)
    return max(before + 1, drawn)
