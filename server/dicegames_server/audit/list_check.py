"""Compares the games of a log with the server's public list of commitments. Pure."""

from pydantic import ValidationError

from dicegames_protocol.fairness.inspector import InspectedGame
from dicegames_protocol.fairness.register import RegisterPart, broken_at, is_entry, room_tag
from dicegames_protocol.fairness.scheme import SCHEME
from dicegames_protocol.messages.history import CommitmentEntry
from dicegames_protocol.table import Listed
from dicegames_server.audit.check import Check, counted


def check_list(
    games: list[InspectedGame], room_id: str, register: RegisterPart | None, server: str = ""
) -> list[Check]:
    """Nothing, where neither the log nor the server has a list. `server`: the id of the server, as it was seen."""
    listed: dict[int, CommitmentEntry] = {}
    unlisted: list[int] = []
    for game in games:
        if game.scheme != SCHEME:
            continue
        if game.entry is None:
            unlisted.append(game.number)
            continue
        try:
            place = Listed.model_validate(game.entry)
        except ValidationError:
            return [Check("list", False, f"the place of game {game.number} in the list makes no sense")]
        if any(place.server != known for known in (server, register.server if register else "") if known):
            return [Check("list", False, f"the place of game {game.number} in the list is of another server")]
        tag = room_tag(room_id, game.commit)
        entry = CommitmentEntry(
            number=place.number, before=place.before, room=tag, commit=game.commit, proof=place.proof
        )
        if not is_entry(place.server, place.list, entry):
            return [Check("list", False, f"the place of game {game.number} in the list is not signed by the server")]
        if register and register.list_id == place.list:
            listed[place.number] = entry
    if not any(game.entry for game in games) and not (register and register.entries):
        return []
    doubts = [f"game {number} has no place in the server's list" for number in unlisted]
    if register is None:
        return [Check("list", True, "each game has a signed place in the server's list", tuple(doubts))]
    return [_compared(games, room_id, register, listed, doubts)]


def _compared(
    games: list[InspectedGame],
    room_id: str,
    register: RegisterPart,
    listed: dict[int, CommitmentEntry],
    doubts: list[str],
) -> Check:
    if number := broken_at(register.server, register.list_id, register.entries):
        return Check("list", False, f"entry {number} of the server's list does not follow the one before")
    there = {entry.number: entry for entry in register.entries}
    for number, entry in listed.items():
        if there.get(number) != entry:
            return Check("list", False, f"entry {number} of the server's list is not the one in the log")
    known = {game.commit for game in games}
    thrown = [
        entry.number
        for entry in register.entries
        if entry.room == room_tag(room_id, entry.commit) and entry.commit not in known
    ]
    if thrown:
        numbers = ", ".join(str(number) for number in thrown)
        many = f"{len(thrown)} game{'s were' if len(thrown) > 1 else ' was'}"
        doubts.append(f"{many} begun in this room and thrown away (list: {numbers})")
    if len(listed) < sum(game.entry is not None for game in games):
        doubts.append("the server has begun another list since")
    return Check("list", True, f"{counted(len(listed), 'game')} of this log in the server's list", tuple(doubts))
