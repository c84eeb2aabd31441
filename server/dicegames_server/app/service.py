"""A complete server: storage, rooms, sockets, the admin pages, and the announcement on the local network."""

import asyncio
import contextlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dicegames_protocol.codec import prepare
from dicegames_protocol.network.announcement import Announcement
from dicegames_protocol.network.interfaces import reachable
from dicegames_protocol.system.failures import reason
from dicegames_server.lobby.drain import Drain
from dicegames_server.lobby.lobby import Lobby
from dicegames_server.lobby.server_identity import load_identity
from dicegames_server.net.listener import Listener
from dicegames_server.net.tls.certificate import Certificate, CertificateWatch, certificate_for
from dicegames_server.net.web.http import serve_pages
from dicegames_server.ops.admin import Admin, write_token
from dicegames_server.ops.loop_lag import LoopLag
from dicegames_server.ops.status import Status
from dicegames_server.room.environment import Environment
from dicegames_server.settings import SettingsError, split_address
from dicegames_server.storage import data_folder, usual_folder
from dicegames_server.storage.base import RETRY, SharedStorage, StorageError, Unavailable, Unknown

if TYPE_CHECKING:
    from dicegames_server.lobby.nodes.cluster import Cluster
    from dicegames_server.net.ssh.ssh_door import GuestsFactory, SshDoor

log = logging.getLogger("dicegames")
STOP_SECONDS = 3.5
"""Seconds that rooms and connections have to end."""
FLUSH_SECONDS = 1.0
"""Seconds that storage then has to end. Whatever was acknowledged is stored already."""
MOVE_SECONDS = 2.5
"""Timeout in seconds for a stopping node to move its rooms to other nodes."""


class Service:
    def __init__(
        self,
        environment: Environment,
        lobby: Lobby,
        version: str,
        name: str = "",
        guests: "GuestsFactory | None" = None,
    ) -> None:
        """`name`: whose server it is, for clients that find it on the local network. `guests`: who plays over ssh."""
        self._guests = guests
        self.environment = environment
        self.lobby = lobby
        self.finished = asyncio.Event()
        """Set when the server has to stop: it was drained, or a signal came."""
        self.certificate: Certificate | None = None
        self._certificate_watch: CertificateWatch | None = None
        self._name = name
        self._version = version
        self._status = Status(environment, lobby, version)
        self._sockets = Listener(environment, lobby, version, lambda: self._status.problem)
        self._ssh: SshDoor | None = None
        self._loop_lag = LoopLag(environment.clock, environment.metrics)
        self._drain = Drain(lobby, environment.clock, self.finished.set)
        self.cluster: Cluster | None = None
        self._pages: Any = None
        self._announcer: Any = None
        self._announcing: asyncio.Future[None]

    @property
    def port(self) -> int:
        return self._sockets.port

    @property
    def ssh_port(self) -> int:
        """The port for ssh; 0 if there is none."""
        return self._ssh.port if self._ssh else 0

    @property
    def ssh_fingerprint(self) -> str:
        return self._ssh.fingerprint if self._ssh else ""

    @property
    def admin_port(self) -> int:
        port: int = next(iter(self._pages.sockets)).getsockname()[1]
        return port

    async def start(self) -> None:
        """Restore the rooms and listen. Raises SettingsError, StorageError, or OSError if the address can't be used."""
        settings = self.environment.settings
        prepare()
        folder = data_folder(settings)
        self.certificate = certificate_for(settings, folder or usual_folder())
        await self.environment.storage.start()
        self.lobby.know_itself(await load_identity(self.environment.storage, folder or usual_folder()))
        if self.environment.storage.shared:
            await self._join_others()
        if not self.lobby.registry.refusing:
            await self._open_rooms()
        await self._sockets.listen(self.certificate)
        if settings.ssh:
            await self._open_ssh(folder or usual_folder())
        if self.certificate:
            self._status.certificate = self.certificate
            self._certificate_watch = CertificateWatch(self.environment.clock, self.certificate)
            self._certificate_watch.start()
        if where := split_address(settings.admin):
            admin = Admin(self.environment.metrics, self._status, write_token(folder), self._drain.begin)
            try:
                self._pages = await serve_pages(*where, admin.answer)
            except OSError as error:
                raise SettingsError(
                    f"The admin address {settings.admin} can't be had: {reason(error)}. Name another with --admin."
                ) from None
        if settings.announce:
            self._announce()
        self._loop_lag.start()

    async def _open_ssh(self, folder: Path) -> None:
        try:
            from dicegames_server.net.ssh.ssh_door import SshDoor
        except ImportError:
            raise SettingsError("Players over ssh need one more package: pip install 'dicegames[ssh]'") from None
        if self._guests is None:
            raise SettingsError("This server has no clients for players over ssh.")
        self._ssh = SshDoor(self.environment, self.lobby, self._version, self._sockets.gate, folder, self._guests)
        try:
            await self._ssh.open(self._sockets.port, self.certificate)
        except OSError as error:
            port = self.environment.settings.ssh
            raise SettingsError(f"The port {port} for ssh can't be had: {reason(error)}.") from None
        self._status.ssh = self._ssh
        self._sockets.ssh_port = self._ssh.port

    async def _open_rooms(self) -> None:
        """Open the rooms that nobody owns: those of the process before this one."""
        try:
            rooms = await self.lobby.registry.adopt()
        except Unavailable as error:
            raise StorageError(f"The rooms can't be read ({error}). Restore a backup, or move the data away.") from None
        if rooms:
            log.info("%d %s open again", rooms, "room is" if rooms == 1 else "rooms are")

    async def _join_others(self) -> None:
        from dicegames_server.lobby.nodes.cluster import Cluster
        from dicegames_server.ops.node_probe import is_ready

        storage = cast(SharedStorage, self.environment.storage)
        self.cluster = Cluster(self.environment, self.lobby, storage, self._status.of_node, is_ready)
        self._status.cluster = self.cluster
        self._drain.move_all = self.cluster.move_all
        try:
            await self.cluster.start()
        except (Unavailable, Unknown) as error:
            raise StorageError(f"PostgreSQL is away again ({error}).", RETRY) from None

    def _announce(self) -> None:
        from dicegames_server.net.announce import Announcer

        settings = self.environment.settings
        everywhere = reachable(settings.host) or ["127.0.0.1"]
        on = [address for address in everywhere if address in (settings.interfaces or (address,))]
        if on:
            self._announcer = Announcer(self.environment.clock, self.port, on, self._announcement)
            self._announcing = asyncio.ensure_future(self._announcer.start())  # takes a second; do not wait

    def _announcement(self) -> Announcement:
        rooms = self.lobby.public_rooms()
        one = rooms[0] if len(rooms) == 1 else None
        return Announcement(
            name=self._name,
            game=one.title if one else "",
            seats=f"{one.seated}/{one.capacity}" if one else "",
            rooms=len(rooms),
            tls=self.certificate is not None,
        )

    def reload_certificate(self) -> None:
        """Read the certificate again. Raises SettingsError if it can't be used; then the old one stays."""
        if self.certificate and self._certificate_watch:
            self.certificate.reload()
            self._certificate_watch.look()

    def drain(self, within: float) -> None:
        self._drain.begin(within)

    async def stop(self, why: str = "The server is shutting down.") -> None:
        """Take no more rooms, close all connections, and flush storage, within STOP_SECONDS + FLUSH_SECONDS.

        Bots and timers stop first: nothing new is begun by the server itself.
        With durable storage the rooms are suspended, for the next process. Else they are closed, and players are told.
        """
        self._loop_lag.stop()
        if self._certificate_watch:
            self._certificate_watch.stop()
        self.lobby.take_no_more()
        self.lobby.quieten()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self._wind_up(why)
        except TimeoutError:
            log.warning("not everything was ended in time; what was acknowledged is kept")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_SECONDS):
                await self.environment.storage.stop()

    async def _wind_up(self, why: str) -> None:
        durable = self.environment.storage.durable
        if self._ssh:
            await self._ssh.close(why)
        if not durable:
            await self.lobby.close_all(why)
        if self.cluster:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(MOVE_SECONDS):
                    await self.cluster.move_all()
            await self.cluster.stop()
            for room in self.lobby.rooms:
                if room.recovering:  # it would wait for storage and keep us from stopping
                    room.suspend()
        self._sockets.stop_listening()
        if self._announcer:
            self._announcing.cancel()
            await self._announcer.stop()
        if self._pages:
            self._pages.close()
            with contextlib.suppress(asyncio.CancelledError):
                await self._pages.wait_closed()
        await self._sockets.wait_closed()
        if durable:
            self.lobby.suspend()
