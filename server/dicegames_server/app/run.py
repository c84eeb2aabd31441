"""`dicegames-server` without a command: serve until a signal or a drain stops it."""

import asyncio
import contextlib
import errno
import gc
import importlib
import logging
import os
import signal
from collections.abc import Callable, Sequence

from dicegames_server.app.service import Service
from dicegames_server.app.wiring import assemble
from dicegames_server.ops.logs import set_up
from dicegames_server.settings import Settings, SettingsError
from dicegames_server.storage.base import StorageError

log = logging.getLogger("dicegames")


def serve(settings: Settings, unknown: Sequence[str] = ()) -> str | None:
    """Serve until a signal or a drain. Returns a sentence if the server can't start.

    `unknown`: environment variables that are no setting; a warning is logged for each.
    """
    set_up(settings.log)
    for name in unknown:
        log.warning("%s is no setting and does nothing", name)
    allow_many_connections()
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(_serve(settings))


async def _serve(settings: Settings) -> str | None:
    try:
        service = assemble(settings)
    except StorageError as error:
        return str(error)
    try:
        await service.start()
    except (StorageError, SettingsError) as error:
        await service.stop()
        return str(error)
    except OSError as error:
        await service.stop()
        return cant_listen(settings, error)
    log.info("listening on %s port %d", settings.host or "all addresses", service.port)
    if service.certificate and service.certificate.fingerprint:
        log.info("the certificate's fingerprint is %s", service.certificate.fingerprint)
    if settings.admin:
        log.info("admin pages on %s:%d", settings.admin.rpartition(":")[0], service.admin_port)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, service.finished.set)
    loop.add_signal_handler(signal.SIGHUP, _reload, service)
    rest_from_collecting()
    await service.finished.wait()
    log.info("shutting down")
    await service.stop()
    return None


def _reload(service: Service) -> None:
    """Read the certificate again after SIGHUP. Nothing else is reloaded."""
    if service.certificate:
        try:
            service.certificate.reload()
            log.info("the certificate was read again")
        except SettingsError as error:
            log.warning("the certificate stays as it was: %s", error)


def cant_listen(settings: Settings, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {settings.port} is already in use. Is a server running? Another one can be named with --port."
    if error.errno == errno.EACCES:
        return f"Port {settings.port} may not be used without special rights. Take one above 1023."
    why = os.strerror(error.errno).lower() if error.errno and error.errno > 0 else str(error)
    return f"Can't listen on {settings.host or 'all addresses'} port {settings.port}: {why}."


def rest_from_collecting() -> None:
    """Make the garbage collector run less often. It looks for cycles; moves, connections and rooms leave none.

    Objects that exist when the server has started stay alive, so they are not scanned again. The others are scanned in
    portions of at most 50,000 objects. A full collection is rare: with thousands of connections it stops everybody for
    400 ms.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 5, 100)


def allow_many_connections() -> None:
    """Raise the limit of open files as far as allowed. Each connection is an open file; the usual limit is 1,024."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop if it is installed (extra `speed`). None: asyncio's own event loop."""
    try:
        uvloop = importlib.import_module("uvloop")
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory
