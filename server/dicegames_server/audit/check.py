"""The result of one check of a log."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    ok: bool
    detail: str
    doubts: tuple[str, ...] = ()
    """Why this proves less than it could."""
