"""How a server is: for whoever asks on the admin pages, and for the other nodes."""

from typing import TYPE_CHECKING, Any

from dicegames_server.lobby.lobby import Lobby
from dicegames_server.room.environment import House

if TYPE_CHECKING:
    from dicegames_server.lobby.cluster import Cluster

SUMMED = ("connections", "rooms", "playing", "players", "bots", "spectators", "moves")
"""What makes sense added up over all nodes."""


class Status:
    def __init__(self, house: House, lobby: Lobby, version: str) -> None:
        self._house = house
        self._lobby = lobby
        self._version = version
        self._began = house.clock.now()
        self.cluster: Cluster | None = None

    @property
    def problem(self) -> str:
        """Why nobody should be sent here, if nobody should."""
        if self.cluster and self.cluster.cut_off:
            return "cut off from storage"
        alone = self.cluster is not None and not self.cluster.elsewhere("")
        return "draining" if self._lobby.draining and not alone else ""  # the last node lets its own people back in

    def of_node(self) -> dict[str, Any]:
        house, lobby = self._house, self._lobby
        rooms = lobby.rooms
        return {
            "version": self._version,
            "up_seconds": round(house.clock.now() - self._began),
            "draining": lobby.draining,
            "connections": lobby.doorman.inside,
            "rooms": len(rooms),
            "playing": sum(room.state.playing for room in rooms),
            "players": sum(len(room.state.seats.people) for room in rooms),
            "bots": sum(len(room.state.seats.bots) for room in rooms),
            "spectators": sum(room.audience.watching for room in rooms),
            "moves": house.meter.moves,
            "cuts": dict(house.meter.cuts),
            "most_unsent": house.meter.most_unsent,
            "longest_pause": round(house.meter.longest_lag, 4),
        }

    def told(self) -> dict[str, Any]:
        """This node, and where there are several, all of them together."""
        mine = self.of_node()
        if self.cluster is None:
            return mine
        others = () if self.cluster.cut_off else self.cluster.others  # else rooms that were taken over count twice
        return {
            **mine,
            "problem": self.problem,
            "url": self._house.settings.node_url,
            "storage_up": self.cluster.storage_up,
            "redirects": self._house.meter.redirects,
            "rooms_lost": self.cluster.lost,
            "rooms_adopted": self.cluster.adopted,
            "commits": self.cluster.commits,
            "committed": self.cluster.committed,
            "others": [{"url": other.url, "draining": other.draining, **_figures(other.status)} for other in others],
            "cluster": {
                "nodes": 1 + len(others),
                **{name: mine[name] + sum(_figures(other.status)[name] for other in others) for name in SUMMED},
            },
        }


def _figures(status: dict[str, float]) -> dict[str, int]:
    """Of what another node tells, which may be of another version."""
    return {name: int(status.get(name, 0)) for name in SUMMED}
