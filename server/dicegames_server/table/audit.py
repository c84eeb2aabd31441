"""Checks a log, without any other source: numbers, commitments, seeds, every roll, and every patch by the rules."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dicegames_protocol import fairness, patch
from dicegames_protocol.base import JsonObject
from dicegames_protocol.checking import Nonsense, check_events, check_table
from dicegames_protocol.codec import BadMessage, decode_update, encode, parse_object
from dicegames_protocol.messages.server import Update
from dicegames_server.table.replay import KnownDice, NotPossible, play_again
from dicegames_server.table.state import State

_CHI_LIMITS = {2: 23.93, 6: 35.89}
"""Sides of the dice -> chi-squared limit. Fair dice exceed it in one of a million logs."""


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    ok: bool
    detail: str
    unchecked: int = 0
    """Updates that can't be checked before the game is over."""


def audit(lines: Iterable[bytes], own_seeds: Mapping[str, str] | None = None) -> list[Check]:
    """Run all checks on a log. `own_seeds`: hash -> seed, for the seeds that this machine remembers."""
    stream: list[Update] = []
    raw: list[JsonObject] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            update, fields = _read(line)
        except (BadMessage, UnicodeDecodeError) as error:
            why = error.sentence if isinstance(error, BadMessage) else "It is not text."
            return [Check("file", False, f"line {number} is not an update. {why}")]
        stream.append(update)
        raw.append(fields)
    if not stream:
        return [Check("file", False, "this is not a log of updates")]
    return _all_checks(stream, raw, own_seeds or {})


def _read(line: bytes) -> tuple[Update, JsonObject]:
    """The update in a line, as a message and as plain JSON. Raises BadMessage or UnicodeDecodeError."""
    fields = parse_object(line.decode())
    return decode_update(encode(fields)), fields


def _all_checks(stream: list[Update], raw: list[JsonObject], own_seeds: Mapping[str, str]) -> list[Check]:
    checks = [_numbers(stream)]
    if not checks[0].ok:
        return checks
    if (file := _tables(stream)) is not None:
        return [*checks, file]
    games = _games(raw)
    checks.append(_secrets(games))
    checks.append(_seeds(stream, raw))
    checks.append(_played_again(stream, raw, games))
    checks.append(_faces(stream))
    checks += _own_seeds(stream, raw, own_seeds)
    return checks


def _tables(stream: list[Update]) -> Check | None:
    """Check that every update makes a table of the table before. None: it does."""
    table: JsonObject = {}
    for update in stream:
        try:
            table = patch.apply(table, update.patch)
            check_table(table, update.patch)
            room = table.get("room")
            check_events(str(room["game"]) if room else "", update.events)
        except (Nonsense, RecursionError) as error:
            return Check("file", False, f"update {update.seq} is not built as updates are. {error}")
    return None


@dataclass(frozen=True, slots=True)
class _Game:
    """A game in the log: the update that began it, the server's commitment, and the secret that it revealed."""

    seq: int
    commit: str
    secret: bytes | None
    ended: bool = False


def _games(raw: list[JsonObject]) -> list[_Game]:
    found: list[_Game] = []
    for update in raw:
        if found and any(event.get("kind") == "game_over" for event in update["events"]):
            found[-1] = replace(found[-1], ended=True)
        fair = update["patch"].get("fair")
        if not isinstance(fair, dict):
            continue
        if "commit" in fair:
            found.append(_Game(update["seq"], str(fair["commit"]), None))
        if "secret" in fair and found and fair["secret"] is not None:
            try:
                found[-1] = replace(found[-1], secret=bytes.fromhex(str(fair["secret"])))
            except ValueError:
                found[-1] = replace(found[-1], secret=b"?")
    return found


def _numbers(stream: list[Update]) -> Check:
    for expected, update in enumerate(stream, start=1):
        if update.seq != expected:
            return Check("numbers", False, f"update {expected} is missing or out of place")
    return Check("numbers", True, f"1 to {len(stream)}, none missing")


def _secrets(games: list[_Game]) -> Check:
    for number, game in enumerate(games, start=1):
        if game.secret is not None and fairness.commitment(game.secret) != game.commit:
            return Check("commits", False, f"the secret of game {number} is not the one that the server was bound to")
        if game.secret is None and (game.ended or number < len(games)):
            return Check("commits", False, f"game {number} is over, and its secret was never shown")
    shown = sum(game.secret is not None for game in games)
    still = "" if shown == len(games) else "; the last game is still running, so its dice can't be checked yet"
    return Check("commits", True, f"{shown} of {len(games)} secrets shown, all as promised{still}")


def _seeds(stream: list[Update], raw: list[JsonObject]) -> Check:
    """Check that every seed that was shown has the hash that its seat had sent before."""
    table: JsonObject = {}
    shown = left_out = 0
    for update, line in zip(stream, raw, strict=True):
        fair = line["patch"].get("fair") or {}
        for seat, seed in (fair.get("seeds") or {}).items():
            shown += 1
            promised = table.get("seats", {}).get(seat, {}).get("commit")
            try:
                kept = fairness.commitment(bytes.fromhex(seed)) == promised
            except ValueError:
                kept = False
            if not kept:
                return Check("seeds", False, f"update {update.seq}: the seed of seat {seat} is not the one promised")
        left_out += len(fair.get("missing") or ())
        table = patch.apply(table, line["patch"])
    return Check("seeds", True, f"{shown} shown, all as promised; {left_out} left out")


def _played_again(stream: list[Update], raw: list[JsonObject], games: list[_Game]) -> Check:
    """Work every update out again from its cause, and compare all its fields with the log."""
    opened = {int(seq): move for update in stream for seq, move in (update.cause.opened or {}).items()}
    dice = KnownDice({game.commit: game.secret for game in games if game.secret is not None}, opened)
    until = next((game.seq for game in games if game.secret is None), len(stream) + 1)
    state: State | None = None
    rolls = 0
    for update, line in zip(stream, raw, strict=True):
        if update.seq >= until:
            break
        try:
            change = play_again(state, update, dice)
        except NotPossible as why:
            return Check("rules", False, f"update {update.seq}: {why}")
        before: dict[str, Any] = state.public() if state else {}
        again = {
            "type": "update",
            "seq": change.state.seq,
            "cause": patch.dump(change.cause),
            "events": patch.dump(change.events),
            "patch": patch.changes(before, change.state.public()),
        }
        if where := _difference(again, line):
            return Check("rules", False, f"update {update.seq} is not what the rules make of it: {where}")
        rolls += change.cause.drawn is not None and change.cause.drawn.r is not None
        state = change.state
    done = min(until - 1, len(stream))
    told = f"{done} updates played again with the same result, {rolls} draws worked out anew"
    return Check("rules", True, told, unchecked=len(stream) - done)


def _difference(again: Any, logged: Any, path: str = "") -> str:
    """The path of the first difference between two JSON values. Empty where they are equal."""
    if isinstance(again, dict) and isinstance(logged, dict):
        for key in sorted({*again, *logged}):
            if (key in again) != (key in logged):
                return f"{path}.{key}".lstrip(".")
            if where := _difference(again[key], logged[key], f"{path}.{key}"):
                return where
        return ""
    if isinstance(again, list | tuple) and isinstance(logged, list) and len(again) == len(logged):
        for index, (one, other) in enumerate(zip(again, logged, strict=True)):
            if where := _difference(one, other, f"{path}[{index}]"):
                return where
        return ""
    same = again == logged and isinstance(again, bool) == isinstance(logged, bool)
    return "" if same else path.lstrip(".") or "it"


def _faces(stream: list[Update]) -> Check:
    counts: dict[int, Counter[int]] = {}
    for update in stream:
        drawn = update.cause.drawn
        if drawn and drawn.faces and drawn.r is not None:
            counts.setdefault(drawn.sides, Counter()).update(drawn.faces)
    told, ok = [], True
    for sides, seen in sorted(counts.items()):
        dice = sum(seen.values())
        expected = dice / sides
        chi = sum((seen[face] - expected) ** 2 / expected for face in range(1, sides + 1))
        told.append(f"chi² {chi:.1f} for {dice} dice of {sides} sides")
        ok &= chi < _CHI_LIMITS.get(sides, float("inf"))
    return Check("faces", ok, "; ".join(told) or "no dice were rolled by the server")


def _own_seeds(stream: list[Update], raw: list[JsonObject], own: Mapping[str, str]) -> list[Check]:
    """Check that the seeds that this machine remembers were used for the dice."""
    checks = []
    table: JsonObject = {}
    for update, line in zip(stream, raw, strict=True):
        fair = line["patch"].get("fair") or {}
        seeds = fair.get("seeds") or {}
        for seat, player in table.get("seats", {}).items():
            commit = player.get("commit")
            if fair.get("seeds") is not None and commit in own:
                used = seeds.get(seat) == own[commit]
                name = player.get("name", "?")
                said = f"the seed of {name} is included" if used else f"the seed of {name} was left out"
                checks.append(Check("your seed", used, f"update {update.seq}: {said}"))
        table = patch.apply(table, line["patch"])
    return checks
