"""What friends type to join our table: the most likely line first, then other lines that lead here."""

from collections.abc import Sequence
from dataclasses import dataclass

from dicegames_client.base.address import HARMLESS, Address, looks_like_code
from dicegames_client.base.command_line import for_others
from dicegames_client.base.system import firewall_prone
from dicegames_protocol.network.identity import short_id

NO_LINE = "There is no line with which others could join this table."
USUAL_SSH_PORT = 22
"""The port of ssh where none is named."""
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
    ssh: str = ""
    """The line for those who have nothing installed. Empty: the server takes no ssh."""
    page: str = ""
    """The page of the room on the same server, for a browser. Empty: no browser takes this address."""
    open_ports: tuple[int, ...] = ()
    """The ports that a firewall of this machine must let through. Empty: none is likely to be in the way."""
    ssh_key: str = ""
    """Fingerprint of the key that ssh shows at the first visit, where this machine knows it."""

    def __bool__(self) -> bool:
        return bool(self.line)

    @property
    def heading(self) -> str:
        return f"Friends {'on this machine ' if self.only_here else ''}join with this line:"

    @property
    def firewall(self) -> str:
        """What to look at if nobody gets in; empty if that can't be this machine's firewall."""
        ports = " and ".join(str(port) for port in self.open_ports)
        must = f"ports {ports} (TCP) have" if len(self.open_ports) > 1 else f"port {ports} (TCP) has"
        return f"If friends can't get in: {must} to be open in this machine's firewall." if ports else ""

    def told(self) -> list[str]:
        """The invitation, one sentence per line."""
        lines = [self.heading, f"  {self.line}"] if self.line else []
        if self.near:
            lines.append(self.near)
        lines += [self.by_browser] if self.page else []
        lines += self._ssh_lines
        if self.id:
            lines.append(self._compare)
        if self.others:
            lines += ["If that does not lead here:", *(f"  {other}" for other in self.others)]
        if self.firewall:
            lines.append(self.firewall)
        return lines

    @property
    def _compare(self) -> str:
        return f"If somebody is asked to compare the id, it is: {self.id}"

    @property
    def by_ssh(self) -> str:
        """A sentence with the line for those who have nothing installed. Empty: the server takes no ssh."""
        return f"Nothing installed?  {self.ssh}" if self.ssh else ""

    @property
    def by_browser(self) -> str:
        """A sentence with the address for those who have a phone, or nothing but a browser. Empty: there is none."""
        where = "In a browser" if self.only_here else "On a phone"
        return f"{where}: {self.page}" if self.page else ""

    @property
    def _ssh_lines(self) -> list[str]:
        key = [f"ssh shows this key first: {self.ssh_key}"] if self.ssh_key else []
        return [self.by_ssh, *key] if self.ssh else []

    def in_the_feed(self) -> list[str]:
        if not self.line:
            return []
        near = [self.near] if self.near else []
        compare = [self._compare] if self.id else []
        return [
            f"Friends join with: {self.line}",
            *near,
            *([self.by_browser] if self.page else []),
            *self._ssh_lines,
            *compare,
            *(f"Or: {other}" for other in self.others),
        ]


def invitation(
    ways: Sequence[Address],
    *,
    locked: bool = False,
    announced: bool = False,
    server_id: str = "",
    ssh_port: int = 0,
    hosted_here: bool = False,
    ssh_key: str = "",
) -> Invitation:
    """`ways` are addresses of the room, the most likely first. `announced`: it is also found without an address.

    `ssh_port`: where the server takes ssh; 0 is nowhere. `hosted_here`: the server runs on this machine.
    `ssh_key`: fingerprint of its key for ssh.

    A server can answer anything for a code. Friends are not given a line that their shell would not leave alone.
    """
    ways = [way for way in ways if HARMLESS.fullmatch(way.shown) and (not way.room or looks_like_code(way.room))]
    if not ways:
        return Invitation()
    flag = " --ask-password" if locked else ""
    command = f"{for_others()} join"
    lines = [f"{command} {way.shown}{flag}" for way in ways]
    near = ""
    if announced and ways[0].room:
        where = "Or just" if ways[0].on_this_machine else "Same network? Just"
        near = f"{where}:  {command} {ways[0].room}{flag}"
    id = short_id(server_id) if server_id and near and locked and not ways[0].secure else ""
    ssh = ssh_line(ways[0].host, ssh_port, ways[0].room or "") if ssh_port else ""
    only_here = ways[0].on_this_machine
    firewalled = hosted_here and not only_here and firewall_prone()
    ports = tuple(port for port in (ways[0].port, ssh_port) if port) if firewalled else ()
    others = tuple(lines[1 : 1 + MOST_OTHERS])
    return Invitation(lines[0], near, others, id, only_here, ssh, ways[0].page, ports, ssh_key)


def ssh_line(host: str, port: int, room: str) -> str:
    """What to type where nothing but ssh is installed."""
    flag = "" if port == USUAL_SSH_PORT else f"-p {port} "
    return f"ssh {flag}{room}@{host}" if room else f"ssh {flag}{host}"
