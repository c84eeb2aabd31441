"""What deploy/build has made, as people use it: uvx, pipx, the .pyz and the one-file program.

Each is installed into an empty home folder, serves a game on the loopback, joins it in line mode, makes a move and
leaves. It needs the package registry and a minute, so it runs only when `deploy/check` asks for it.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol import __version__
from dicegames_protocol.messages.client import Create, Ready
from dicegames_protocol.messages.server import Joined
from environments import surroundings, tools
from support.process import Process

FOLDER = os.environ.get("DICEGAMES_INSTALLING", "")
EXE = ".exe" if sys.platform == "win32" else ""
OF_WINDOWS = (
    "APPDATA",
    "COMSPEC",
    "LOCALAPPDATA",
    "PATHEXT",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERPROFILE",
)
MOST_INSTALL_SECONDS = 300.0

pytestmark = [
    pytest.mark.skipif(not FOLDER, reason="it needs the package registry and a minute: run deploy/check"),
    pytest.mark.timeout(400),
]


@dataclass(frozen=True)
class Installed:
    """A way to run dicegames on a machine that had nothing of it before."""

    command: tuple[str, ...]
    environment: dict[str, str]
    name: str
    """What it calls itself."""


@pytest.fixture(autouse=True)
async def end_processes() -> AsyncIterator[None]:
    """uvx and the one-file program start a process of their own, so the whole family is ended."""
    yield
    while Process.running:
        process = Process.running.pop()
        stop(process, forced=True)
        await process.kill()


def stop(process: Process, *, forced: bool = False) -> None:
    """End a process and those that it has started."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL if forced else signal.SIGTERM)


def built(name: str) -> Path:
    (file,) = Path(FOLDER).resolve().glob(name)
    return file


def bare(home: Path) -> dict[str, str]:
    """No variables but those that a system can't do without. Nothing is found on the PATH, and home is empty."""
    home.mkdir()
    kept = {name: os.environ[name] for name in OF_WINDOWS if name in os.environ}
    return {**kept, "HOME": str(home), "PATH": str(home / "nothing"), "DICEGAMES_INTERFACES": "127.0.0.1"}


def with_registry(home: Path) -> dict[str, str]:
    """The same, with the tools of the system, and what this machine says about the registry."""
    told = {key: value for key, value in surroundings().items() if key.startswith(("PIP_", "UV_", "SSL_"))}
    return {**bare(home), **told, "PATH": os.environ["PATH"]}


def uvx(home: Path) -> Installed:
    """`uvx --from WHEEL dicegames`: in the registry it is `uvx dicegames`."""
    run = [str(tools().script("uvx")), "--quiet", "--python", sys.executable, "--from", str(built("*.whl"))]
    return Installed((*run, "dicegames"), with_registry(home), "dicegames")


def pipx(home: Path) -> Installed:
    environment = {**with_registry(home), "PIPX_HOME": str(home / "pipx"), "PIPX_BIN_DIR": str(home / "bin")}
    command = [str(tools().script("pipx")), "install", "--python", sys.executable, str(built("*.whl"))]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        stdin=subprocess.DEVNULL,
        timeout=MOST_INSTALL_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    scripts = sorted(path.stem for path in (home / "bin").iterdir())
    assert scripts == ["dicegames", "dicegames-client", "dicegames-server"]
    return Installed((str(home / "bin" / f"dicegames{EXE}"),), environment, "dicegames")


def pyz(home: Path) -> Installed:
    """Under the Python that the environment of the tests was made with, which has none of its packages."""
    file = built("dicegames*.pyz")
    python: str = getattr(sys, "_base_executable", sys.executable)
    return Installed((python, str(file)), bare(home), file.name)


def program(home: Path) -> Installed:
    """The one-file program: no PATH on which a Python could be."""
    file = next(path for path in Path(FOLDER).resolve().glob(f"dicegames*{EXE}") if path.suffix == EXE)
    return Installed((str(file),), bare(home), file.name.removesuffix(".exe"))


async def start(installed: Installed, *arguments: str) -> Process:
    process = Process(
        await asyncio.create_subprocess_exec(
            *installed.command,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=installed.environment,
            start_new_session=True,
        )
    )
    Process.running.append(process)
    return process


def say_version(installed: Installed) -> float:
    """Seconds until it has said its version."""
    began = time.perf_counter()
    done = subprocess.run(
        [*installed.command, "--version"],
        capture_output=True,
        text=True,
        check=False,
        env=installed.environment,
        stdin=subprocess.DEVNULL,
        timeout=MOST_INSTALL_SECONDS,
    )
    assert (done.returncode, done.stdout) == (0, f"{installed.name} {__version__}\n"), done.stderr
    return time.perf_counter() - began


@pytest.mark.parametrize("way", [uvx, pipx, pyz, program])
async def test_it_serves_and_joins_a_game(way: Callable[[Path], Installed], tmp_path: Path) -> None:
    began = time.perf_counter()
    installed = way(tmp_path / "home")
    say_version(installed)
    ready = time.perf_counter() - began
    again = say_version(installed)

    memory = ["--host", "127.0.0.1", "--port", "0", "--data", "memory", "--admin", ""]
    server = await start(installed, "server", *memory)
    await server.until("listening on 127.0.0.1 port ")
    address = Address("127.0.0.1", int((await server.until("\n")).strip()))
    ana = Guest(address)
    await ana.open()
    made = await ana.ask(Create(id="1", game="double-or-nothing", name="ana", options={"first": "2"}))
    assert isinstance(made, Joined)

    began = time.perf_counter()
    bo = await start(installed, "join", f"{address.shown}/{made.room}", "--name", "bo")
    await bo.until("'help' lists all commands.")
    joined = time.perf_counter() - began
    await ana.ask(Ready(id="2"))
    await bo.type("ready")
    await bo.until("bo, choose 'add' to add one or 'double' to double it:\n")
    await bo.type("add")
    await bo.until("You chose to add one. New number is 2.\n")
    await bo.type("quit")
    await bo.until("Type 'quit' again to leave")
    await bo.type("quit")
    assert await bo.ended() == 0
    await ana.close()
    stop(server)
    await server.ended()
    assert "Traceback" not in bo.text + server.text
    print(f"  {way.__name__}: ready in {ready:.1f} s, --version {again:.2f} s, join {joined:.2f} s")


@pytest.mark.parametrize("way", [pyz, program])
async def test_what_it_does_not_carry_gets_a_sentence(way: Callable[[Path], Installed], tmp_path: Path) -> None:
    installed = way(tmp_path / "home")
    server = await start(
        installed, "server", "--data", "postgresql://127.0.0.1:1/x", "--host", "127.0.0.1", "--port", "0"
    )
    server.end_input()
    assert await server.ended() == 2
    assert "PostgreSQL needs one more package" in server.text
    assert "Traceback" not in server.text


@pytest.mark.parametrize("way", [pyz, program])
async def test_it_carries_games_bots_and_their_tables(way: Callable[[Path], Installed], tmp_path: Path) -> None:
    """They are found by their names, which whoever packs a program does not see."""
    installed = way(tmp_path / "home")
    for game in ("doubles", "sevens", "farkle", "double-or-nothing"):
        arena = await start(installed, "server", "arena", game, "--games", "4", "--jobs", "2")
        arena.end_input()
        assert await arena.ended() == 0, arena.text
        assert "4 games" in arena.text


def other_pythons() -> list[str]:
    """Pythons on this machine that we do not support, where people usually have some."""
    named = [shutil.which(f"python{version}") for version in ("2.7", "3.6", "3.7", "3.8", "3.9", "3.10")]
    found: list[str | Path] = [*filter(None, named), *(Path.home() / ".pyenv" / "versions").glob("*/bin/python")]
    return [str(path) for path in found if 0 < _minor(path) < 11]


def _minor(python: str | Path) -> int:
    """Its version behind the point; 0 if it does not run."""
    ask = [str(python), "-c", "import sys; sys.stdout.write(str(sys.version_info[1]))"]
    done = subprocess.run(ask, capture_output=True, text=True, check=False)
    return int(done.stdout) if done.returncode == 0 else 0


def test_another_python_is_told_which_one_the_pyz_wants(tmp_path: Path) -> None:
    installed = pyz(tmp_path / "home")
    pythons = other_pythons()
    for python in pythons:
        done = subprocess.run(
            [python, *installed.command[1:], "--version"],
            capture_output=True,
            text=True,
            check=False,
            env=installed.environment,
        )
        assert done.returncode == 5
        assert " wants Python 3.11, 3.12, 3.13 or 3.14, and this is Python " in done.stderr
        assert done.stderr.count("\n") == 1
    if not pythons:
        pytest.skip("there is no older Python here")
    print(f"  {len(pythons)} older Pythons were told which ones the .pyz wants")


def test_a_home_that_can_not_be_written_gets_a_sentence(tmp_path: Path) -> None:
    installed = pyz(tmp_path / "home")
    (tmp_path / "home" / "file").touch()
    done = subprocess.run(
        [*installed.command, "--version"],
        capture_output=True,
        text=True,
        check=False,
        env={**installed.environment, "SHIV_ROOT": str(tmp_path / "home" / "file")},
    )
    assert done.returncode == 1
    assert done.stderr.startswith("dicegames unpacks itself once")
    assert done.stderr.count("\n") == 1
