"""Who sits where, as a frozen value. Every change gives a new value, or raises Refused with a sentence."""

import hashlib
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from dicegames_protocol.table import Player
from dicegames_protocol.text import NAME_COLUMNS, TextError, check_name, columns, skeleton
from dicegames_server.core.errors import Refused

Fate = Literal["removed", "bot", "kept"]


@dataclass(frozen=True, slots=True)
class Seats:
    capacity: int
    players: dict[str, Player] = field(default_factory=dict)
    host: int | None = None
    tokens: dict[str, int] = field(default_factory=dict)
    """Hash of a seat's token -> seat. The token itself is known to its player only."""
    keys: dict[int, str] = field(default_factory=dict)
    """Seat -> hash of the player's key, for the history of games."""
    places: dict[int, str] = field(default_factory=dict)
    """Seat -> hash of the address that the player came from. Games of one address do not count for the leaderboard."""
    quitters: dict[int, str] = field(default_factory=dict)
    """Seat -> hash of the key of the player who gave the running game up: it counts as lost, whatever the bot does."""

    def __getitem__(self, seat: int) -> Player:
        return self.players[str(seat)]

    def get(self, seat: int) -> Player | None:
        return self.players.get(str(seat))

    @property
    def present(self) -> list[int]:
        """Seats that take part in the next game."""
        return sorted(int(seat) for seat, player in self.players.items() if not player.left)

    @property
    def people(self) -> list[int]:
        return [seat for seat in self.present if self[seat].bot is None]

    @property
    def bots(self) -> list[int]:
        return [seat for seat in self.present if self[seat].bot is not None]

    def sit(self, raw_name: str, code: str, bot: str | None = None) -> tuple["Seats", int]:
        """Add one player, on the lowest free seat. The first person is the host. Raises Refused."""
        if len(self.present) >= self.capacity:
            full = f"{len(self.present)} of {self.capacity}"
            raise Refused("room_full", f"Room {code} is full ({full}).")
        try:
            name = check_name(raw_name)
        except TextError as error:
            raise Refused("bad_message", str(error)) from None
        if self._taken(name):
            free = self._free_name(name)
            raise Refused("name_taken", f'"{name}" is already at this table. Join as "{free}"?', hint=free)
        seat = next(number for number in range(len(self.players) + 1) if str(number) not in self.players)
        players = {**self.players, str(seat): Player(name=name, bot=bot, ready=bot is not None)}
        host = seat if self.host is None and bot is None else self.host
        return replace(self, players=players, host=host), seat

    def add_bots(self, count: int, level: str, code: str) -> tuple["Seats", list[int]]:
        """Add `count` bots at once, all or none (Refused). They get the lowest free names: `bot-1`, `bot-2` …"""
        if len(self.present) + count > self.capacity:
            raise Refused("room_full", f"Room {code} is full ({len(self.present)} of {self.capacity}).")
        taken = {skeleton(player.name) for player in self.players.values()}
        names = (name for number in itertools.count(1) if skeleton(name := f"bot-{number}") not in taken)
        free = (seat for seat in itertools.count() if str(seat) not in self.players)
        seats = list(itertools.islice(free, count))
        new = {str(seat): Player(name=next(names), bot=level, ready=True) for seat in seats}
        return replace(self, players={**self.players, **new}), seats

    def with_token(self, seat: int, token_hash: str) -> "Seats":
        others = {known: of for known, of in self.tokens.items() if of != seat}
        return replace(self, tokens={**others, token_hash: seat})

    def with_key(self, seat: int, key: str | None) -> "Seats":
        others = {of: known for of, known in self.keys.items() if of != seat}
        return replace(self, keys={**others, seat: key} if key else others)

    def with_place(self, seat: int, place: str | None) -> "Seats":
        others = {of: known for of, known in self.places.items() if of != seat}
        return replace(self, places={**others, seat: place} if place else others)

    def change(self, seat: int, **changes: object) -> "Seats":
        return replace(self, players={**self.players, str(seat): self[seat].but(**changes)})

    def vacate(self, seat: int, fate: Fate, *, quits: bool = False) -> "Seats":
        """A person or bot leaves for good. `fate` is what becomes of the seat.

        "removed": it is free. "bot": a bot plays on in the running game. "kept": the name stays in the recap after it.
        `quits`: nobody has sent the player away.
        """
        tokens = {known: of for known, of in self.tokens.items() if of != seat}
        if fate == "removed":
            players = {key: player for key, player in self.players.items() if key != str(seat)}
        else:
            gone = self[seat].but(left=True, ready=False, rematch=False, standin=False, commit=None)
            players = {**self.players, str(seat): gone}
        keys = {of: key for of, key in self.keys.items() if of != seat}
        gave_up = {seat: self.keys[seat]} if quits and fate == "bot" and seat in self.keys else {}
        changed = replace(self, players=players, tokens=tokens, keys=keys, quitters={**self.quitters, **gave_up})
        return replace(changed, host=changed._next_host(seat)) if self.host == seat else changed

    def give_host(self, seat: int) -> "Seats":
        return replace(self, host=seat)

    def for_new_game(self) -> "Seats":
        """The seats for a new game: without those who left, and with no votes from before."""
        players = {str(seat): self[seat].but(ready=self[seat].bot is not None, rematch=False) for seat in self.present}
        return replace(self, players=players, quitters={})

    def tallied(self, winners: Iterable[int], points: Mapping[int, int], games: int) -> "Seats":
        """Add a finished game to the wins and points of the evening (`games` 1), or take it back (-1)."""
        won = set(winners)
        changed: dict[str, Player] = {}
        for seat in sorted(won | points.keys()):
            if (player := self.get(seat)) is not None:
                wins = (player.won or 0) + games * (seat in won)
                total = (player.points or 0) + games * points.get(seat, 0)
                if (wins or None, total or None) != (player.won, player.points):
                    changed[str(seat)] = player.but(won=wins or None, points=total or None)
        return replace(self, players={**self.players, **changed}) if changed else self

    def take_commits(self, seats: Iterable[int]) -> "Seats":
        """The chains of these seats are used in the game that begins: they are not for the next one any more."""
        taken = {str(seat): self[seat].but(commit=None) for seat in seats if self[seat].commit is not None}
        return replace(self, players={**self.players, **taken}) if taken else self

    def without_left(self) -> "Seats":
        """The seats without those whose players have left."""
        return replace(self, players={key: player for key, player in self.players.items() if not player.left})

    def _next_host(self, left: int) -> int | None:
        people = self.people
        return next((seat for seat in people if seat > left), people[0] if people else None)

    def _taken(self, name: str) -> bool:
        wanted = skeleton(name)
        return any(skeleton(player.name) == wanted for player in self.players.values())

    def _free_name(self, name: str) -> str:
        number = 2
        while True:
            ending = str(number)
            stem = name
            while columns(stem) + len(ending) > NAME_COLUMNS:
                stem = stem[:-1]
            if not self._taken(stem + ending):
                return stem + ending
            number += 1


def token_hash(token: str) -> str:
    """The hash of a seat's token. Only the hash is stored."""
    return hashlib.sha256(token.encode()).hexdigest()
