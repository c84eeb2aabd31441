"""What this node knows about the other nodes, as of the last heartbeat."""

import hashlib
import logging
from collections.abc import Container, Iterable
from dataclasses import dataclass

from pydantic import ValidationError

from dicegames_protocol.codec import parse_object
from dicegames_protocol.table import RoomEntry
from dicegames_server.storage.base import Node

log = logging.getLogger("dicegames.cluster")
SETTLED_SECONDS = 5
"""Seconds that a load balancer may need to notice a new node."""


@dataclass(frozen=True, slots=True)
class Other:
    """Another node."""

    id: str
    url: str
    draining: bool
    """Whether it takes no rooms: it stops soon, or another node has its address."""
    status: dict[str, float]
    """Its metrics, by name."""
    rooms: tuple[RoomEntry, ...]
    version: str = ""
    older: bool = False
    """Whether it was there before this node."""
    silent_seconds: float = 0.0
    """Seconds since its last heartbeat."""

    @property
    def settled(self) -> bool:
        return self.status.get("up_seconds", 0) >= SETTLED_SECONDS


def read_node(node: Node) -> Other:
    """Decode what a node tells about itself. A node of another version may tell something that can't be read; then its
    status and rooms are empty.
    """
    try:
        told = parse_object(node.told.decode())
        rooms = tuple(RoomEntry.model_validate(entry) for entry in told.get("rooms", ()))
        figures = dict(told.get("status", {}))
        status = {name: value for name, value in figures.items() if isinstance(value, int | float)}
        version = str(figures.get("version", ""))[:40]
        return Other(node.id, node.url, bool(told.get("draining")), status, rooms, version, node.older, node.silent)
    except (ValueError, TypeError, ValidationError):
        log.warning("what node %s tells can't be read", node.id)
        return Other(node.id, node.url, False, {}, (), "", node.older, node.silent)


def able(others: Iterable[Other], mine: str) -> list[Other]:
    """The nodes that take rooms, and to which clients can be redirected: those that balancers know, if there are any.

    `mine` is the address of this node: nobody is redirected from here to here.
    """
    found = [other for other in others if other.url and other.url != mine and not other.draining]
    return [other for other in found if other.settled] or found


def chosen(others: Iterable[Other], key: str, among: Container[str] | None = None) -> str:
    """The address of one of these nodes, or "" if there is none. The same key gives the same one, as long as the same
    nodes are there. `among`: only these addresses.
    """
    found = [other for other in others if among is None or other.url in among]
    return max(found, key=lambda other: hashlib.sha256(f"{other.id}/{key}".encode()).digest()).url if found else ""
