"""The status of a server, for the admin pages and for the other nodes."""

from typing import TYPE_CHECKING, Any, Protocol

from dicegames_server.lobby.lobby import Lobby
from dicegames_server.net.tls.certificate import Certificate
from dicegames_server.room.environment import Environment

if TYPE_CHECKING:
    from dicegames_server.lobby.nodes.cluster import Cluster

SUMMED = ("connections", "rooms", "playing", "players", "bots", "spectators", "moves")
"""The metrics that are summed over all nodes."""


class Ssh(Protocol):
    """The door for users over ssh."""

    @property
    def sessions(self) -> int: ...

    @property
    def fingerprint(self) -> str: ...


class Status:
    def __init__(self, environment: Environment, lobby: Lobby, version: str) -> None:
        self._environment = environment
        self._lobby = lobby
        self._version = version
        self._began = environment.clock.now()
        self.cluster: Cluster | None = None
        self.certificate: Certificate | None = None
        self.ssh: Ssh | None = None

    @property
    def problem(self) -> str:
        """Why a load balancer should send nobody here. Empty: there is no problem."""
        if self.cluster and (problem := self.cluster.problem):
            return problem
        alone = self.cluster is not None and not self.cluster.elsewhere("")
        return "draining" if self._lobby.draining and not alone else ""  # the last node lets its own clients back in

    def of_node(self) -> dict[str, Any]:
        environment, lobby = self._environment, self._lobby
        rooms = lobby.rooms
        return {
            "version": self._version,
            "up_seconds": round(environment.clock.now() - self._began),
            "draining": lobby.draining,
            "connections": lobby.address_limits.inside,
            "rooms": len(rooms),
            "playing": sum(room.state.playing for room in rooms),
            "players": sum(len(room.state.seats.people) for room in rooms),
            "bots": sum(len(room.state.seats.bots) for room in rooms),
            "spectators": sum(room.watching for room in rooms),
            "moves": environment.metrics.moves,
            "cuts": dict(environment.metrics.cuts),
            "most_unsent": environment.metrics.most_unsent,
            "longest_pause": round(environment.metrics.longest_lag, 4),
            "stalls": environment.metrics.stalls,
            "id": lobby.identity.id,
            **({"ssh_sessions": self.ssh.sessions, "ssh_fingerprint": self.ssh.fingerprint} if self.ssh else {}),
            **({"certificate_ends": round(self.certificate.ends.timestamp())} if self.certificate else {}),
        }

    def told(self) -> dict[str, Any]:
        """The status of this node and, in a cluster, of the other nodes and the sums over all."""
        mine = self.of_node()
        if self.cluster is None:
            return mine
        others = () if self.cluster.cut_off else self.cluster.others  # else rooms that were taken over count twice
        return {
            **mine,
            "problem": self.problem,
            "url": self._environment.settings.node_url,
            "storage_up": self.cluster.storage_up,
            "redirects": self._environment.metrics.redirects,
            "rooms_lost": self.cluster.lost,
            "rooms_adopted": self.cluster.adopted,
            "rooms_rebalanced": self.cluster.rebalanced,
            "commits": self.cluster.commits,
            "committed": self.cluster.committed,
            "others": [
                {"url": other.url, "version": other.version, "draining": other.draining, **_figures(other.status)}
                for other in others
            ],
            "cluster": {
                "nodes": 1 + len(others),
                **{name: mine[name] + sum(_figures(other.status)[name] for other in others) for name in SUMMED},
            },
        }


def _figures(status: dict[str, float]) -> dict[str, int]:
    """The metrics to sum up, from the status of another node. One of another version may lack some; they are 0."""
    return {name: int(status.get(name, 0)) for name in SUMMED}
