"""`dicegames-server` without a command: serve until a signal or a drain stops it."""

import asyncio
import errno
import gc
import importlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from dicegames_protocol.system.failures import reason
from dicegames_server.app.service import Service
from dicegames_server.app.wiring import assemble
from dicegames_server.core.system import HANG_UP, STOP_SIGNALS, allow_open_files, heed_closed_window
from dicegames_server.ops.logs import set_up
from dicegames_server.settings import Settings, SettingsError
from dicegames_server.storage.base import StorageError

if TYPE_CHECKING:
    from dicegames_server.net.ssh.ssh_door import GuestsFactory

log = logging.getLogger("dicegames")
EXIT_SECONDS = 5.0
"""Seconds after a signal to stop in which the process ends, whatever is under way."""


def serve(settings: Settings, unknown: Sequence[str] = ()) -> None:
    """Serve until a signal or a drain. Raises SettingsError or StorageError if the server can't start.

    `unknown`: a sentence for each environment variable that is no setting; they are logged as warnings.
    """
    set_up(settings.log)
    for sentence in unknown:
        log.warning("%s", sentence)
    allow_open_files()
    with asyncio.Runner(loop_factory=_loop_factory(settings)) as runner:
        runner.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    service = assemble(settings, guests=_guests() if settings.ssh else None)
    try:
        await service.start()
    except (StorageError, SettingsError):
        await service.stop()
        raise
    except OSError as error:
        await service.stop()
        raise SettingsError(cant_listen(settings, error)) from None
    _heed_signals(service)
    log.info("listening on %s port %d", settings.host or "all addresses", service.port)
    if service.certificate and service.certificate.fingerprint:
        log.info("the certificate's fingerprint is %s", service.certificate.fingerprint)
    if service.ssh_port:
        log.info("ssh on port %d; the host key's fingerprint is %s", service.ssh_port, service.ssh_fingerprint)
    if settings.admin:
        log.info("admin pages on %s:%d", settings.admin.rpartition(":")[0], service.admin_port)
    rest_from_collecting()
    await service.finished.wait()
    log.info("shutting down")
    await service.stop()


def _guests() -> "GuestsFactory":
    """Users over ssh get the screens and the line mode of the client, in this process."""
    try:
        from dicegames_client.base.command_line import ALL_IN_ONE, called_as
        from dicegames_client.cli.controller import for_visitors
        from dicegames_server.app.ssh_guests import SshGuests
    except ImportError:
        raise SettingsError("Players over ssh need one more package: pip install 'dicegames[ssh]'") from None
    called_as(ALL_IN_ONE)  # the command that players over ssh are told about
    return partial(SshGuests, for_visitors())


def _heed_signals(service: Service) -> None:
    """STOP_SIGNALS stop the server. SIGHUP reloads, or stops a server whose terminal window is closed.

    These are handlers of Python, not of the event loop: they run even while something holds the loop. If the server is
    then not done within EXIT_SECONDS, or a second signal comes, the process ends at once. That is safe: whatever was
    acknowledged is stored.
    """
    loop = asyncio.get_running_loop()

    def stop(number: int, frame: object) -> None:
        if service.finished.is_set():
            os._exit(1)
        loop.call_soon_threadsafe(service.finished.set)
        last = threading.Timer(EXIT_SECONDS, os._exit, (1,))
        last.daemon = True
        last.start()

    for number in STOP_SIGNALS:
        signal.signal(number, stop)
    heed_closed_window(stop)
    if HANG_UP is None:
        return
    if _on_terminal() and signal.getsignal(HANG_UP) is not signal.SIG_IGN:  # which nohup sets
        signal.signal(HANG_UP, stop)
    else:
        loop.add_signal_handler(HANG_UP, _reload, service)


def _on_terminal() -> bool:
    """Whether the server was started in a terminal window, and ends with it."""
    return any(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _reload(service: Service) -> None:
    """Read the certificate again after SIGHUP. Nothing else is reloaded."""
    if service.certificate:
        try:
            service.reload_certificate()
            log.info("the certificate was read again")
        except SettingsError as error:
            log.warning("the certificate stays as it was: %s", error)


def cant_listen(settings: Settings, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {settings.port} is already in use. Is a server running? Another one can be named with --port."
    if error.errno == errno.EACCES and settings.port < 1024:
        return f"Port {settings.port} may not be used without special rights. Take one above 1023."
    return f"Can't listen on {settings.host or 'all addresses'} port {settings.port}: {reason(error)}."


def rest_from_collecting() -> None:
    """Make the garbage collector run less often. It looks for cycles; moves, connections and rooms leave none.

    Objects that exist when the server has started stay alive, so they are not scanned again. The others are scanned in
    portions of at most 50,000 objects. A full collection is rare: with thousands of connections it stops everybody for
    400 ms. Visits over ssh do leave cycles; what is done about it stands in ssh_guests.py.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 5, 100)


def _loop_factory(settings: Settings) -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop if it is installed (extra `speed`). None: asyncio's own event loop, which ssh needs."""
    if settings.ssh:
        return None
    try:
        uvloop = importlib.import_module("uvloop")
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory
