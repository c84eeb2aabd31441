"""Enters a room: takes back a held seat, or joins, watches or opens a table. It asks the user if it must."""

from dicegames_client.base import visit
from dicegames_client.base.address import Address, parse_address
from dicegames_client.base.command_line import CommandLine, program
from dicegames_client.base.errors import NETWORK, REFUSED, USAGE, ClientError
from dicegames_client.base.player_identity import own_identity
from dicegames_client.base.state.saved_state import (
    HeldSeat,
    Which,
    forget_seats,
    held_seats,
    hold_seat,
    remember_name,
)
from dicegames_client.base.state.witness_files import WitnessFile
from dicegames_client.enter.asking import wrong_code
from dicegames_client.enter.invitation import Invitation, invitation, ssh_line
from dicegames_client.enter.prompter import Prompter
from dicegames_client.enter.vouching import confirm_password
from dicegames_client.guest import known_servers
from dicegames_client.guest.guest import Guest
from dicegames_client.play.wording import listed
from dicegames_protocol.messages.client import Create, Join, Watch
from dicegames_protocol.messages.server import Error, Joined, ServerMessage
from dicegames_protocol.text import strip

CLIENT = "dicegames-client"
ELSEWHERE = "If another window is there now, it loses the seat."


def new_guest(address: Address) -> Guest:
    if visit.current():  # nothing that runs on the server can be a witness against it
        return Guest(address, client=CLIENT, player=own_identity(), over_ssh=True)
    return Guest(address, client=CLIENT, player=own_identity(), memory=WitnessFile())


def seats_at(address: Address, room: str | None) -> Which:
    """Selects our seats in a room of this server, however its address was spelled when we sat down."""
    here = known_servers.known(address.place)

    def which(seat: HeldSeat) -> bool:
        if seat.room != room:
            return False
        if visit.current():  # whatever is in that folder was left on this server
            return True
        if here and here.id and seat.id:
            return seat.id == here.id
        return known_servers.same_server(parse_address(seat.server), address)

    return which


def keep_seat(guest: Guest, joined: Joined) -> None:
    """Save a seat, so that the player can come back to it from another window."""
    if joined.seat is not None and joined.seat_token:
        name = guest.store.name(joined.seat)
        if guest.freed_seats:
            forget_seats(seats_at(guest.address, joined.room), guest.freed_seats)
        hold_seat(
            HeldSeat(
                server=guest.address.server,
                room=joined.room,
                seat=joined.seat,
                token=joined.seat_token,
                name=name,
                id=guest.link.server_id if guest.link else "",
            )
        )


def invited_to(address: Address, guest: Guest) -> Invitation:
    """How others come to the room at this address, where we are."""
    locked = guest.store.info.locked
    return invitation([known_servers.with_pin(address)], locked=locked, ssh_port=guest.ssh_port)


def way_back(address: Address, room: str | None) -> str:
    if here := visit.current():
        if not here.keeps:
            return ""
        return f"Your seat is held for you: {ssh_line(here.home.host, here.ssh_port, room or '')}"
    return f"Your seat is held for you: {program()} join {address.server}/{room}"


def unheard(guest: Guest) -> str:
    """What a player is told who leaves while there is no connection; empty for a spectator."""
    told = "There is no connection, so the table does not know that you have left."
    return f"{told} {way_back(guest.address, guest.store.room)}" if guest.store.seats else ""


def _no_code(typed: str) -> str | None:
    return wrong_code(typed) if typed.strip() else None


class Entering:
    def __init__(self, asked: CommandLine, prompter: Prompter) -> None:
        self._asked = asked
        self._prompter = prompter
        self._confirmed: tuple[str, str | None] = ("", None)
        """A server, and the password that may go there. Several people at one keyboard are asked once."""

    async def wants_back(self, address: Address, room: str) -> bool:
        """Whether we held seats here before and want them again.

        The user is asked before there is a connection, so that it can't be lost meanwhile.
        """
        held = held_seats(seats_at(address, room))
        wanted = self._asked.name
        several = self._asked.players
        if not held or several or (wanted is not None and wanted not in [seat.name for seat in held]):
            return False
        names = listed(seat.name for seat in held)
        return not self._prompter.present or await self._prompter.confirm(f"Resume {room} as {names}? {ELSEWHERE}")

    async def resume(self, guest: Guest, room: str) -> bool:
        """Take back the seats that we held here before.

        Returns False if they are no longer ours. Raises ClientError if the network fails.
        """
        id = guest.link.server_id if guest.link else ""
        held = [seat for seat in held_seats(seats_at(guest.address, room)) if seat.id in ("", id)]
        if not held:  # it has turned out to be another server than the one where we sat
            return False
        try:
            await guest.resume(room, {seat.seat: seat.token for seat in held})
        except ClientError as error:
            why = f"The seat of {listed(seat.name for seat in held)} can't be taken back: {error.sentence}"
            if error.code == NETWORK:
                await guest.close()
                raise ClientError(f"{why} {way_back(guest.address, room)}", NETWORK) from None
            forget_seats(seats_at(guest.address, room))
            self._prompter.tell(why)
            return False
        return True

    async def enter(self, guest: Guest, message: Create | Join | Watch) -> Joined:
        """Enter a room. Raises ClientError.

        If the room is full, the code is wrong, the name is taken or the password is missing, it asks the user what to
        do instead, if it can. Whoever watches instead of playing has no seat in the answer.
        """
        await self._check_password(guest, message)
        answer: ServerMessage = await guest.try_ask(message)
        while isinstance(answer, Error) and isinstance(message, Join | Watch):
            again = await self._put_right(answer, message, guest) if self._prompter.present else None
            if again is None:
                break
            message = again.but(id=guest.new_id())
            await self._check_password(guest, message)
            answer = await guest.try_ask(message)
        if not isinstance(answer, Joined):
            await guest.close()
            sentence = strip(answer.message) if isinstance(answer, Error) else "The server gave no answer that fits."
            mine = isinstance(answer, Error) and answer.code == "bad_message"
            if isinstance(answer, Error) and answer.code == "wrong_password" and not self._prompter.present:
                sentence += " Give it with --ask-password, --password-file or DICEGAMES_PASSWORD."
            raise ClientError(sentence, USAGE if mine else REFUSED)
        keep_seat(guest, answer)
        if guest.address.announced is None or self._confirmed[0] == guest.address.place:
            known_servers.mark_visited(guest.address.place)
        alone = self._asked.name is None and not self._asked.players
        if alone and answer.seat is not None:
            remember_name(guest.store.name(answer.seat))  # the name that was accepted, not the one that was tried
        return answer

    async def _check_password(self, guest: Guest, message: Create | Join | Watch) -> None:
        """Raise ClientError if the password in a message must not go to this server."""
        asked = (guest.address.place, message.password)
        if message.password and guest.link and asked != self._confirmed:
            try:
                await confirm_password(guest.link, self._prompter)
            except ClientError:
                await guest.close()
                raise
            self._confirmed = asked

    async def _put_right(self, error: Error, message: Join | Watch, guest: Guest) -> Join | Watch | None:
        """What to try instead, or None to give up."""
        said = strip(error.message)
        if error.code == "room_full" and isinstance(message, Join) and not guest.store.seats:
            if not await self._prompter.offer(said.removesuffix(" You can watch instead."), "W", "watch"):
                return None
            return Watch(id=message.id, room=message.room, name=message.name, password=message.password)
        if error.code == "name_taken" and error.hint and isinstance(message, Join):
            typed = await self._prompter.question(f"{said} Enter for yes, or another name: ")
            return message.but(name=(typed.strip() or error.hint)[:64])
        if error.code == "no_such_room":
            return await self._other_code(said, message)
        if error.code == "wrong_password":
            self._prompter.tell(said)
            return await self._with_password(message)
        return None

    async def _other_code(self, said: str, message: Join | Watch) -> Join | Watch | None:
        """The code may be wrong, or the password of a private room. The server does not say which."""
        self._prompter.tell(f"{said} Or is the password another one?" if message.password else said)
        self._prompter.tell("If the code is right, and the room has a password, type the same code again.")
        typed = await self._prompter.question("Code (Enter gives up): ", check=_no_code)
        code = typed.strip().upper()
        if code == message.room.upper():
            return await self._with_password(message)
        return message.but(room=code) if code else None

    async def _with_password(self, message: Join | Watch) -> Join | Watch | None:
        password = await self._prompter.secret("The password (Enter gives up): ")
        return message.but(password=password[:128]) if password else None
