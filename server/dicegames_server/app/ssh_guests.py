"""Users over ssh: each gets a client of their own, in this process.

The client is the same as everybody's: same screens, same line mode. It has a terminal that is at the other end of the
ssh connection, a folder of its own for what it remembers, and one way out: to this server, by the same protocol.
"""

import asyncio
import contextlib
import gc
import logging
import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dicegames_client.base.address import Address, looks_like_code
from dicegames_client.base.command_line import CommandLine
from dicegames_client.base.errors import NETWORK, REFUSED, ClientError
from dicegames_client.base.state.saved_state import SEATS_FILE
from dicegames_client.base.state.state_files import forget_troubles
from dicegames_client.base.terminal.printing import fit
from dicegames_client.base.terminal.remote import RemoteTerminal
from dicegames_client.base.visit import VISIT, Visit, visit_of
from dicegames_client.base.wire import Closed, Wire
from dicegames_protocol.messages.server import CloseCode
from dicegames_protocol.network.interfaces import reachable
from dicegames_protocol.system.private_files import private_folder
from dicegames_protocol.text import TextError, check_name
from dicegames_server.core.errors import Ended
from dicegames_server.core.room_codes import ALPHABET, tidy
from dicegames_server.net.ssh.in_process import InProcess, InProcessLink
from dicegames_server.net.ssh.ssh_channel import SshChannel
from dicegames_server.settings import Settings
from dicegames_server.storage import MEMORY

if TYPE_CHECKING:
    from dicegames_server.net.tls.certificate import Certificate

log = logging.getLogger("dicegames.ssh")
Run = Callable[[CommandLine, RemoteTerminal], Awaitable[int]]
"""A client on a terminal, from its command line to its exit code."""
WATCH = "watch-"
"""Before a room's code in the name that is given to ssh: to watch instead of to play."""
MOST_FOLDERS = 20_000
"""Most users whose name and seats are kept. The one who has not been here for longest is forgotten first."""
VISITS_PER_TIDYING = 100
VISITS_PER_COLLECTION = 500
"""An ended visit leaves 40 to 50 KB in cycles. The garbage collector looks for them now and then. That stops everybody:
for 0.17 s with 100 players over ssh, for 1 s with 500. So it is not done more often."""
END_SECONDS = 1.5
"""Seconds that a visit has to end by itself when the server ends it."""
IDLE = "You have typed nothing for a long time."


class ProcessWire:
    """The client's end of a connection inside this process."""

    binding: str
    certificate = b""

    def __init__(self, link: InProcessLink) -> None:
        self._link = link
        self.binding = link.peer.binding

    async def send(self, text: str) -> None:
        try:
            await self._link.send(text)
        except Ended as ended:
            raise Closed(ended.code, ended.reason) from None

    async def receive(self) -> bytes:
        try:
            return await self._link.receive()
        except Ended as ended:
            raise Closed(ended.code, ended.reason) from None

    async def close(self, code: int) -> bool:
        return await self._link.close(code)

    def abort(self) -> None:
        self._link.abort()


class _Way:
    """The connections of one visit. They end with it, so that nobody stays at a table as a ghost."""

    def __init__(self, links: InProcess, address: str) -> None:
        self._links = links
        self._address = address
        self._open: set[InProcessLink] = set()
        self._over = False

    async def open(self, room: str) -> Wire:
        if self._over:
            raise ClientError("The visit is over.", REFUSED)
        try:
            link = self._links.open(self._address, room)
        except Ended as ended:
            code = NETWORK if ended.code == CloseCode.RESTARTING else REFUSED
            raise ClientError(ended.reason, code) from None
        self._open.add(link)
        link.over.add_done_callback(lambda _: self._open.discard(link))
        return ProcessWire(link)

    def close(self) -> None:
        self._over = True
        for link in list(self._open):
            link.abort()


class SshGuests:
    """`visit` is called with each channel on which somebody wants to play."""

    def __init__(self, run: Run, settings: Settings, links: InProcess, folder: Path) -> None:
        """`run` is the client. `folder`: where the names and seats of users with a key are kept."""
        self._durable = settings.data != MEMORY
        self._run = run
        self._settings = settings
        self._links = links
        self._folder = folder
        self._home = Address("127.0.0.1", 0)
        self._ssh_port = 0
        self._came = 0
        self._visits: dict[asyncio.Task[int], RemoteTerminal] = {}
        self._terminals: dict[int, RemoteTerminal] = {}
        """id of a visit -> its terminal."""

    def open(self, port: int, ssh_port: int, certificate: "Certificate | None") -> None:
        """The server listens on these ports now."""
        settings = self._settings
        host = settings.public_name or next(iter(reachable(settings.host)), "") or "127.0.0.1"
        pin = certificate.fingerprint if certificate else None
        self._home = Address(host, port, secure=certificate is not None, pin=pin)
        self._ssh_port = ssh_port
        if not self._durable:
            _forget_seats(self._folder)
        self._hear_mishaps()

    def _hear_mishaps(self) -> None:
        """An error in a task of a visit is told to its user, not to the operator alone."""
        loop = asyncio.get_running_loop()
        before = loop.get_exception_handler()

        def heard(loop: asyncio.AbstractEventLoop, told: dict[str, Any]) -> None:
            visit = visit_of(told)
            terminal = self._terminals.get(id(visit)) if visit else None
            if terminal and terminal.reports:
                log.error("a mishap in a visit", exc_info=told.get("exception"))
                terminal.reports[-1](told)
            elif before:
                before(loop, told)
            else:
                loop.default_exception_handler(told)

        loop.set_exception_handler(heard)

    def visit(self, channel: SshChannel) -> None:
        caller = channel.caller
        encoding = "ascii" if caller.lang in ("C", "POSIX") else "utf-8"
        terminal = RemoteTerminal(
            lambda text: channel.write(text.encode(encoding, "replace")),
            environment={"TERM": caller.term, "LANG": caller.lang},
            size=caller.size,
            give_up=lambda: _cancel(task),
        )
        task = asyncio.ensure_future(self._visit(channel, terminal))
        channel.on_text = terminal.received
        channel.on_resize = terminal.resized
        channel.on_end_of_input = terminal.finished
        channel.on_lost = terminal.lost
        channel.on_idle = lambda: terminal.end(IDLE)
        self._visits[task] = terminal
        task.add_done_callback(lambda task: self._visits.pop(task, None))
        task.add_done_callback(lambda task: channel.exit(_code_of(task)))

    async def _visit(self, channel: SshChannel, terminal: RemoteTerminal) -> int:
        """The visit, from its first picture to its exit code. It may be cancelled any time, even before it begins."""
        code = 1
        way = _Way(self._links, channel.caller.address)
        self._came += 1
        if self._came % VISITS_PER_TIDYING == 0:
            await asyncio.to_thread(_forget_oldest, self._folder)
        if self._came % VISITS_PER_COLLECTION == 0:
            gc.collect()
        with self._state_folder(channel.caller.key) as folder:
            visit = Visit(
                home=self._home,
                connect=way.open,
                folder=folder,
                caller=channel.caller.address,
                ssh_port=self._ssh_port,
                keeps=self._durable and bool(channel.caller.key),
                user=_as_name(channel.caller.user),
            )
            VISIT.set(visit)
            self._terminals[id(visit)] = terminal
            try:
                code = await self._run(_asked(channel.caller.user), terminal)
            except ClientError as error:
                code = error.code
                print(fit(error.sentence, terminal.err), file=terminal.err)
            except asyncio.CancelledError:
                pass
            except Exception:
                log.exception("a visit over ssh went wrong")
                print("Something went wrong here. The table goes on; come back with the same line.", file=terminal.err)
            finally:
                del self._terminals[id(visit)]
                way.close()
                forget_troubles()
                if terminal.last_words:
                    print(terminal.last_words, file=terminal.err)
        return code

    @contextlib.contextmanager
    def _state_folder(self, key: str) -> Iterator[Path]:
        """The folder of the user with this key. Without a key it is gone after the visit."""
        if not key:
            with tempfile.TemporaryDirectory(prefix="dicegames-", ignore_cleanup_errors=True) as folder:
                yield Path(folder)
            return
        folder_of_key = self._folder / key
        with contextlib.suppress(OSError):
            private_folder(self._folder)
            os.utime(folder_of_key)  # if there is one: this user was here today
        yield folder_of_key

    async def stop(self, why: str) -> None:
        """End all visits: everybody is told why, screens are put in order, seats are held."""
        for terminal in list(self._visits.values()):
            terminal.end(why)
        tasks = list(self._visits)
        if tasks:
            await asyncio.wait(tasks, timeout=END_SECONDS)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=END_SECONDS)


def _asked(user: str) -> CommandLine:
    """What the name that was given to ssh means: a room, a room to watch, or nothing."""
    watch = user.lower().startswith(WATCH)
    code = user[len(WATCH) :] if watch else user
    possible = looks_like_code(code) and set(tidy(code).replace("-", "")) <= set(ALPHABET)
    if possible and (watch or code.isupper() or any(letter.isdigit() for letter in code)):
        return CommandLine(command="watch" if watch else "join", address=tidy(code))
    return CommandLine()


def _as_name(user: str) -> str:
    """The name that was given to ssh, where it can be a player's name. Empty: it can't."""
    if _asked(user).address or user in ("root", "git", "admin"):
        return ""
    try:
        return check_name(user[:64])
    except TextError:
        return ""


def _forget_seats(folder: Path) -> None:
    """The rooms of the process before this one were in memory: nobody can come back to them."""
    with contextlib.suppress(OSError):
        for seats in folder.glob(f"*/{SEATS_FILE}"):
            seats.unlink()


def _forget_oldest(folder: Path) -> None:
    """Runs beside the event loop: there may be many folders."""
    with contextlib.suppress(OSError):
        kept = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
        for old in kept[: max(0, len(kept) - MOST_FOLDERS)]:
            shutil.rmtree(old, ignore_errors=True)


def _code_of(visit: asyncio.Task[int]) -> int:
    """The exit code of a visit that is over."""
    if visit.cancelled():
        return 1
    if error := visit.exception():
        log.error("a visit over ssh could not begin", exc_info=error)
        return 1
    return visit.result()


def _cancel(task: asyncio.Task[int]) -> None:
    task.cancel()
