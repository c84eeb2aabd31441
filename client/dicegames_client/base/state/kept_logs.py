"""The logs of tables that were hosted on this machine. They are still there when the table is closed.

A file for each room, named after its code. Only the user can read it. The oldest files go when there are too many.
"""

import contextlib
import hashlib
from collections.abc import Sequence
from pathlib import Path

from dicegames_client.base.state.state_files import data_folder, write_private
from dicegames_protocol.system.private_files import private_folder

MOST_KEPT_LOGS = 50


def keep_log(code: str, lines: Sequence[bytes]) -> None:
    """Keep the log of a room, in the place of an older one of the same room. Raises OSError."""
    folder = _folder()
    private_folder(folder)
    which = hashlib.sha256(lines[0]).hexdigest()[:12]
    write_private(folder / f"{code}-{which}.jsonl", b"".join(line + b"\n" for line in lines))
    for path in _oldest_first(folder, "*.jsonl")[:-MOST_KEPT_LOGS]:
        with contextlib.suppress(OSError):
            path.unlink()


def kept_log(code: str) -> Path | None:
    """The newest log of a room with this code; None if there is none."""
    found = _oldest_first(_folder(), f"{code}-*.jsonl") if code.isascii() and code.isalnum() else []
    return found[-1] if found else None


def _folder() -> Path:
    return data_folder() / "games"


def _oldest_first(folder: Path, pattern: str) -> list[Path]:
    ages: list[tuple[int, Path]] = []
    for path in folder.glob(pattern):
        with contextlib.suppress(OSError):  # somebody has deleted it meanwhile
            ages.append((path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(ages)]
