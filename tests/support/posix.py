"""What tests and benchmarks ask of Linux and its relatives. What a system does not have does nothing there."""

import os
import signal
import sys
from pathlib import Path

KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)
STOP: int = getattr(signal, "SIGSTOP", 0)
CONTINUE: int = getattr(signal, "SIGCONT", 0)
HANG_UP: int = getattr(signal, "SIGHUP", 0)
"""Numbers of signals; 0 where there is none."""


def cores() -> list[int]:
    """The CPU cores that this process may use."""
    if sys.platform == "linux":
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def stay_on(pid: int, *cores: int) -> None:
    """Keep a process, and what it starts from now on, on these cores. 0 is this process."""
    if sys.platform == "linux":
        os.sched_setaffinity(pid, cores)


def memory(pid: int | str = "self") -> int:
    """Bytes of memory that a process uses."""
    if sys.platform == "win32":
        raise NotImplementedError
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(pid: int) -> float:
    """Seconds of CPU time that a process has used."""
    if sys.platform == "win32":
        raise NotImplementedError
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0
