"""A visit: one user who plays over ssh, inside the process of a server.

Everything that a client keeps or reaches follows from it: the folder of its files, and the one server that it may speak
to. It is a context variable, so that it holds for all that is done for this user, and for nothing else. Without a visit
the client is an ordinary one, on the user's own machine.
"""

from collections.abc import Awaitable, Callable
from contextvars import Context, ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dicegames_client.base.address import Address
from dicegames_client.base.wire import Wire


@dataclass(frozen=True, slots=True)
class Visit:
    home: Address
    """The server that the user has come to, as others reach it."""
    connect: Callable[[str], Awaitable[Wire]]
    """Opens a connection to that server, inside this process. It takes the code of a room, as a hint, or nothing."""
    folder: Path
    """Where this user's name, seats and identity are kept."""
    caller: str
    """The network address of the user. Other nodes of the server are told."""
    ssh_port: int = 0
    keeps: bool = True
    """Whether the user can come back to a seat: there is a key to know them by, and rooms outlive the server."""
    user: str = ""
    """The name that was given to ssh, if it can be a player's name."""


VISIT: ContextVar[Visit | None] = ContextVar("visit", default=None)


def current() -> Visit | None:
    return VISIT.get()


def visit_of(told: dict[str, Any]) -> Visit | None:
    """The visit in which something went wrong. `told` is what asyncio tells its exception handler.

    None: it was in no visit, or that can't be known. (Tasks tell their context from Python 3.12 on.)
    """
    for name in ("task", "future", "handle"):
        source = told.get(name)
        get = getattr(source, "get_context", None)
        context = get() if get else getattr(source, "_context", None)
        if isinstance(context, Context):
            return context.get(VISIT)
    return None
