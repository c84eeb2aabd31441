"""What the client remembers between two evenings: your name."""

import contextlib
from pathlib import Path

from platformdirs import user_state_path


def remembered_name() -> str | None:
    try:
        return _file().read_text(encoding="utf-8").strip()[:64] or None
    except (OSError, UnicodeDecodeError):
        return None


def remember_name(name: str) -> None:
    """As well as it goes: a full or read-only disk keeps nobody from playing."""
    with contextlib.suppress(OSError):
        _file().parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _file().write_text(name + "\n", encoding="utf-8")


def _file() -> Path:
    return user_state_path("dicegames") / "name"
