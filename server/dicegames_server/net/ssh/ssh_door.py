"""Everything that a server needs for users over ssh, put together: the listener, the visits, the way in."""

from pathlib import Path
from typing import Protocol

from dicegames_server.lobby.lobby import Lobby
from dicegames_server.net.gate import Gate
from dicegames_server.net.ssh.in_process import InProcess
from dicegames_server.net.ssh.ssh_channel import SshChannel
from dicegames_server.net.ssh.ssh_listener import SshListener
from dicegames_server.net.tls.certificate import Certificate
from dicegames_server.room.environment import Environment
from dicegames_server.settings import Settings

GUESTS_FOLDER = "ssh_guests"


class Guests(Protocol):
    """Those who come over ssh, each with a client of their own."""

    def open(self, port: int, ssh_port: int, certificate: Certificate | None) -> None:
        """The server listens on these ports now, for websockets and for ssh."""

    def visit(self, channel: SshChannel) -> None:
        """Somebody has come."""

    async def stop(self, why: str) -> None:
        """End all visits, and say why. Seats are held."""


class GuestsFactory(Protocol):
    def __call__(self, settings: Settings, links: InProcess, folder: Path) -> Guests: ...


class SshDoor:
    def __init__(
        self, environment: Environment, lobby: Lobby, version: str, gate: Gate, folder: Path, guests: GuestsFactory
    ) -> None:
        """`folder`: for the host key, and for what users with a key left here. Raises SettingsError."""
        self._links = InProcess(environment, lobby, version)
        self._guests = guests(environment.settings, self._links, folder / GUESTS_FOLDER)
        self._listener = SshListener(
            environment.clock, environment.settings, gate, lobby.address_limits, folder, self._guests.visit
        )

    @property
    def port(self) -> int:
        return self._listener.port

    @property
    def fingerprint(self) -> str:
        """Of the host key, as ssh clients show it."""
        return self._listener.fingerprint

    @property
    def sessions(self) -> int:
        return len(self._listener.channels)

    async def open(self, port: int, certificate: Certificate | None) -> None:
        """Listen. `port` is the one for websockets. Raises OSError if the address can't be used."""
        await self._listener.listen()
        self._guests.open(port, self._listener.port, certificate)

    async def close(self, why: str) -> None:
        """End all visits, and say why. Seats are held."""
        await self._guests.stop(why)
        await self._listener.stop()
        await self._links.stop()
