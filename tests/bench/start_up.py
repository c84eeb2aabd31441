"""How long it takes from Enter to the table, what is loaded for it, and how large an install is.

    .venv/bin/python tests/bench/start_up.py

`join` is started in a real pty, again and again, against a server in another process; each time it is a player who was
never there before. The time runs from the start of the process to the first bytes of the first screen, and to those of
the waiting room. `--help` and a Python that does nothing are measured in turn with it, so that a busy machine slows all
of them down alike. What the
processes use of the processor is told as well: it depends less on who else is at work. Then one more run says how the
time of the imports is shared, and the package is installed into an empty folder and weighed. Nothing here passes or
fails.
"""

import argparse
import asyncio
import compileall
import contextlib
import os
import pty
import re
import resource
import select
import statistics
import subprocess
import sys
import tempfile
import termios
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.servers import Measured
from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Create
from dicegames_protocol.messages.server import Joined

ROOT = Path(__file__).parents[2]
FIRST = b"One moment"
"""Stands on the first screen: the program is there and takes keys, and loads the rest."""
TABLE = b"Waiting room"
"""Stands on the first screen of a table, and nowhere before it."""
PATIENCE_SECONDS = 20.0
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    "TERM": "xterm-256color",
    "LANG": "C.UTF-8",
}
"""Modules are kept compiled, as they are where somebody has installed them."""
LOADED = ("cli.dispatch", "screens.screen_app", "guest.web_socket", "guest.nearby", "views.farkle")
"""What loads, with all that it imports, nearly every module that a joiner ever needs."""
MB = 1_000_000
SHARES_SHOWN = 14
PACKAGES_SHOWN = 12


@contextlib.contextmanager
def in_a_terminal(command: list[str], state: Path, errors: Path | None = None) -> Iterator[Callable[[], bytes]]:
    """Start a command in a pty of 80×24. Gives what reads its output; empty when it ends or is silent for too long."""
    if sys.platform == "win32":
        raise NotImplementedError
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    environment = {**ENVIRONMENT, "XDG_STATE_HOME": str(state)}
    with (errors or Path(os.devnull)).open("wb") as said:
        process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=said if errors else theirs,
            env=environment,
            start_new_session=True,
        )
    os.close(theirs)

    def read() -> bytes:
        ready, _, _ = select.select([ours], [], [], PATIENCE_SECONDS)
        try:
            return os.read(ours, 65536) if ready else b""
        except OSError:  # it has ended
            return b""

    try:
        yield read
    finally:
        process.kill()
        process.wait()
        os.close(ours)


Took = tuple[float, float]
"""Seconds on the clock, and seconds of the processor."""


def to_screen(text: bytes, command: list[str], errors: Path | None = None) -> Took:
    """What it takes from the start of the process to the first bytes of the screen with this text."""
    before, began = of_children(), time.perf_counter()
    with tempfile.TemporaryDirectory() as state, in_a_terminal(command, Path(state), errors) as read:
        seen = b""
        while text not in seen:
            data = read()
            at = time.perf_counter()
            if not data:
                raise SystemExit(f"{text.decode()} never came: {seen[-500:]!r}")
            seen += data
    return at - began, of_children() - before


def to_the_end(command: list[str]) -> Took:
    before, began = of_children(), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT)
    return time.perf_counter() - began, of_children() - before


def of_children() -> float:
    """Seconds of the processor that processes have used which we started and which have ended."""
    if sys.platform == "win32":
        raise NotImplementedError
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def told(name: str, took: list[Took]) -> None:
    clock, processor = ([each[which] for each in took] for which in (0, 1))
    spread = statistics.quantiles(clock, n=4)
    print(
        f"{name:<18} median {statistics.median(clock):.3f} s ({statistics.median(processor):.3f} s of the processor)   "
        f"half of the runs {spread[0]:.3f} to {spread[2]:.3f}   fastest {min(clock):.3f}, slowest {max(clock):.3f}"
    )


async def new_room(port: int) -> tuple[Guest, str]:
    host = Guest(Address("127.0.0.1", port))
    await host.open()
    joined = await host.ask(Create(id="1", game="farkle", name="ana"))
    assert isinstance(joined, Joined)
    return host, joined.room


async def measure(runs: int, python: str) -> None:
    bare = [python, "-c", "pass"]
    client = [python, "-m", "dicegames_client"]
    server = await Measured.project(-1)
    try:
        times: dict[str, list[Took]] = {
            "Python alone": [],
            "--help": [],
            "join, first screen": [],
            "join, the table": [],
        }
        for run in range(runs + 1):
            host, room = await new_room(server.port)
            join = [*client, "join", f"127.0.0.1:{server.port}/{room}", "--name", "bo"]
            took = [
                await asyncio.to_thread(to_the_end, bare),
                await asyncio.to_thread(to_the_end, [*client, "--help"]),
                await asyncio.to_thread(to_screen, FIRST, join),
                await asyncio.to_thread(to_screen, TABLE, join),
            ]
            await host.close()
            if run:  # the first one only warms up
                for each, one in zip(times.values(), took, strict=True):
                    each.append(one)
        print(f"{runs} runs of each, warm:")
        for name, each in times.items():
            told(name, each)
        host, room = await new_room(server.port)
        with tempfile.TemporaryDirectory() as folder:
            listing = Path(folder) / "imports"
            join = [client[0], "-X", "importtime", *client[1:], "join", f"127.0.0.1:{server.port}/{room}"]
            await asyncio.to_thread(to_screen, TABLE, [*join, "--name", "bo"], listing)
            shares(listing.read_text(encoding="utf-8", errors="replace"))
        await host.close()
    finally:
        await server.stop()


def shares(listing: str) -> None:
    """Print what `-X importtime` says, summed up by package. Models are built in the modules that define them."""
    own: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for micros, name in re.findall(r"^import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)$", listing, re.MULTILINE):
        top = name.partition(".")[0]
        own[top] += int(micros)
        modules[top] += 1
    total = own.total()
    print(f"imports on the way to the table: {modules.total()} modules, {total / 1000:.0f} ms while being timed")
    for top, micros in own.most_common(SHARES_SHOWN):
        origin = " (Python's own)" if top in sys.stdlib_module_names else ""
        print(f"  {micros / total:6.1%}  {micros / 1000:6.1f} ms  {modules[top]:4d} modules  {top}{origin}")
    rest = own.most_common()[SHARES_SHOWN:]
    print(f"  {sum(m for _, m in rest) / total:6.1%}  {sum(m for _, m in rest) / 1000:6.1f} ms  {len(rest)} others")


def weigh() -> None:
    """Install the package for somebody who only joins, without any extra, and print what takes how much room.

    uv compiles a module when it is first loaded, pip compiles all of them at once.
    """
    with tempfile.TemporaryDirectory() as folder:
        wheels, target = Path(folder) / "wheel", Path(folder) / "installed"
        build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(wheels), str(ROOT)]
        subprocess.run(build, check=True, capture_output=True)
        (wheel,) = wheels.glob("*.whl")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
        subprocess.run([*pip, "--target", str(target), str(wheel)], check=True, capture_output=True)
        bare = sizes(target)
        load = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(f'dicegames_client.{name}')"
        environment = {**ENVIRONMENT, "PYTHONPATH": str(target)}
        subprocess.run([sys.executable, "-S", "-c", load, *LOADED], check=True, env=environment)
        used = sizes(target)
        compileall.compile_dir(target, quiet=2)
        compiled = sizes(target)
    print(
        f"installed: {bare.total() / MB:.1f} MB; {used.total() / MB:.1f} MB once it has run (uv); "
        f"{compiled.total() / MB:.1f} MB with every module compiled (pip). Largest, without and with:"
    )
    for name, size in compiled.most_common(PACKAGES_SHOWN):
        print(f"  {bare[name] / MB:5.1f}  {size / MB:5.1f}  {name}")


def sizes(folder: Path) -> Counter[str]:
    """Bytes of each package."""
    found: Counter[str] = Counter()
    for path in folder.rglob("*"):
        if path.is_file():
            found[path.relative_to(folder).parts[0]] += path.stat().st_size
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--python", default=sys.executable, help="another Python, with dicegames installed in it")
    parser.add_argument("--no-install", action="store_true", help="do not install and weigh the package")
    given = parser.parse_args()
    asyncio.run(measure(given.runs, given.python))
    if not given.no_install:
        weigh()
