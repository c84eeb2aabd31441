"""The result of one check of a log."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    ok: bool
    detail: str
    doubts: tuple[str, ...] = ()
    """Why this proves less than it could."""


def counted(many: int, what: str) -> str:
    """A number with its noun: 1 draw, 2 draws."""
    return f"{many} {what}{'s' if many != 1 else ''}"
