"""Our programs as processes of the Windows machine, driven like those of this one."""

import asyncio
import subprocess
from pathlib import Path

from support.process import Process
from support.pty import Pty
from windows.machine import Machine, there

CLIENT, SERVER = "dicegames_client", "dicegames_server"
WITH_PID = (
    "import os, sys; print('process', os.getpid(), flush=True); "
    "from dicegames_server.__main__ import main; sys.exit(main(sys.argv[1:]))"
)
LOOPBACK = {"DICEGAMES_INTERFACES": "127.0.0.1", "DICEGAMES_ADMIN": ""}


async def start(machine: Machine, *arguments: str, state: Path, **environment: str) -> Process:
    """A program with pipes. Its text has the line breaks of Windows."""
    started = Process(
        await asyncio.create_subprocess_exec(
            *machine.command(*arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**machine.environment(state), **LOOPBACK, **environment},
        )
    )
    Process.running.append(started)
    return started


async def start_server(machine: Machine, port: int, *arguments: str, state: Path) -> tuple[Process, int, int]:
    """A server on the Windows machine: the process, its number there, and its port."""
    where = ["--host", "127.0.0.1", "--port", str(port), "--data", there(state / "data")]
    limits = {"DICEGAMES_MESSAGES_PER_SECOND": "1000000", "DICEGAMES_MESSAGE_BURST": "1000000"}
    server = await start(machine, "-c", WITH_PID, *where, *arguments, state=state, **limits)
    await server.until("process ")
    number = int((await server.until("\n")).strip())
    await server.until("listening on 127.0.0.1 port ")
    port = int((await server.until("\n")).strip())
    server.read_on()
    return server, number, port


def terminate(machine: Machine, number: int) -> None:
    """End a process as Windows does by force (TerminateProcess): nothing of it runs any more."""
    subprocess.run(
        machine.command("-c", f"import os, signal; os.kill({number}, signal.SIGTERM)"),
        env=machine.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )


def at_console(machine: Machine, *arguments: str, state: Path, size: tuple[int, int] = (80, 24)) -> Pty:
    """A program in a console: wine draws it into the terminal that it was started in."""
    environment = {**machine.environment(state), **LOOPBACK}
    given = [f"{name}={value}" for name, value in environment.items()]
    command = [
        "env",
        "--ignore-environment",
        *given,
        "TERM=xterm-256color",
        "LANG=C.UTF-8",
        *machine.command(*arguments),
    ]
    return Pty(*command, state=state, size=size)
