"""The size of a file, and how long it takes to say its version."""

import statistics
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

RUNS = 5
MEGABYTE = 1_000_000


def told(file: Path, command: Sequence[str] = (), note: str = "") -> str:
    """A line about a file: name, size, and the start-up time of the command that comes with it."""
    parts = [f"{file.stat().st_size / MEGABYTE:.1f} MB"]
    if command:
        first, warm = start_up(command)
        parts.append(f"--version {warm:.2f} s (the first time {first:.2f} s)")
    return f"{file.name}: {', '.join(parts)}{f'; {note}' if note else ''}"


def start_up(command: Sequence[str]) -> tuple[float, float]:
    """Seconds until a command has said its version: the first time, and the median of those that follow."""
    seconds = [_once(command) for _ in range(1 + RUNS)]
    return seconds[0], statistics.median(seconds[1:])


def _once(command: Sequence[str]) -> float:
    began = time.perf_counter()
    subprocess.run([*command, "--version"], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began
