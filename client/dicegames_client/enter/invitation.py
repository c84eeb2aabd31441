"""What friends type to join our table: the most likely line first, then other lines that lead here."""

from collections.abc import Sequence
from dataclasses import dataclass

from dicegames_client.base.address import Address
from dicegames_protocol.network.identity import short_id

COMMAND = "dicegames-client join"
MOST_OTHERS = 4
"""Most other lines that are shown."""


@dataclass(frozen=True, slots=True)
class Invitation:
    line: str = ""
    near: str = ""
    """A sentence with a shorter line, and for whom it is enough: those who find the server without its address."""
    others: tuple[str, ...] = ()
    """Lines for the same table with other addresses of this machine."""
    id: str = ""
    """The server's id, where friends may be asked to compare it: those who find it without its address."""
    only_here: bool = False
    """No other machine can reach the table."""

    def __bool__(self) -> bool:
        return bool(self.line)

    @property
    def heading(self) -> str:
        return f"Friends {'on this machine ' if self.only_here else ''}join with this line:"

    def told(self) -> list[str]:
        """The invitation, one sentence per line."""
        lines = [self.heading, f"  {self.line}"] if self.line else []
        if self.near:
            lines.append(self.near)
        if self.id:
            lines.append(self._compare)
        if self.others:
            lines += ["If that does not lead here:", *(f"  {other}" for other in self.others)]
        return lines

    @property
    def _compare(self) -> str:
        return f"If somebody is asked to compare the id, it is: {self.id}"

    def in_the_feed(self) -> list[str]:
        if not self.line:
            return []
        near = [self.near] if self.near else []
        compare = [self._compare] if self.id else []
        return [f"Friends join with: {self.line}", *near, *compare, *(f"Or: {other}" for other in self.others)]


def invitation(
    ways: Sequence[Address], *, locked: bool = False, announced: bool = False, server_id: str = ""
) -> Invitation:
    """`ways` are addresses of the room, the most likely first. `announced`: it is also found without an address."""
    flag = " --ask-password" if locked else ""
    lines = [f"{COMMAND} {way.shown}{flag}" for way in ways]
    near = ""
    if announced and ways[0].room:
        where = "Or just" if ways[0].on_this_machine else "Same network? Just"
        near = f"{where}:  {COMMAND} {ways[0].room}{flag}"
    id = short_id(server_id) if server_id and near and locked and not ways[0].secure else ""
    return Invitation(lines[0], near, tuple(lines[1 : 1 + MOST_OTHERS]), id, only_here=ways[0].on_this_machine)
