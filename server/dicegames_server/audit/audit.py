"""Checks a log: its numbers, its chain of hashes, the dice, every patch by the rules, the bots, and what was seen.

The result is a list of checks. A check that fails means that the log is wrong. A check with doubts means that nothing
is wrong, and that it is not proven either. `verdict` sums them up.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from dicegames_protocol import patch
from dicegames_protocol.base import JsonObject
from dicegames_protocol.codec import BadMessage, decode_update, encode, parse_object
from dicegames_protocol.fairness import chain
from dicegames_protocol.fairness.first_scheme import seed_hash
from dicegames_protocol.fairness.inspector import InspectedGame, Inspector
from dicegames_protocol.fairness.register import RegisterPart
from dicegames_protocol.fairness.scheme import SCHEME
from dicegames_protocol.fairness.witness_memory import Memory, compare
from dicegames_protocol.messages.checking import Nonsense, check_events, check_table
from dicegames_protocol.messages.server import Update
from dicegames_protocol.table import Fair, Listed
from dicegames_server.audit.check import Check, counted
from dicegames_server.audit.list_check import check_list
from dicegames_server.audit.replay import KnownDice, NotPossible, NotYet, play_again
from dicegames_server.bots import BOTS_VERSION
from dicegames_server.games import rules_of
from dicegames_server.table.bot_move import bot_move
from dicegames_server.table.state import Change, State

_CHI_LIMITS = {2: 23.93, 6: 35.89}
"""Sides of the dice -> chi-squared limit. Fair dice exceed it in one of a million logs."""
Verdict = Literal["proven", "wrong", "not proven"]


class LogLine(NamedTuple):
    raw: bytes
    fields: JsonObject
    update: Update


def verdict(checks: Iterable[Check]) -> tuple[Verdict, list[str]]:
    """What the checks prove, and the reasons where that is not everything."""
    found = list(checks)
    if wrong := [f"{check.name}: {check.detail}" for check in found if not check.ok]:
        return "wrong", wrong
    doubts = [doubt for check in found for doubt in check.doubts]
    return ("not proven" if doubts else "proven"), doubts


def audit(
    lines: Iterable[bytes],
    memory: Memory | None = None,
    others: Mapping[str, Memory] | None = None,
    register: RegisterPart | None = None,
) -> list[Check]:
    """Run all checks on a log. `memory`: what this machine remembers of the room. `others`: what others remember.

    `register`: a part of the server's list of commitments, from some time before the first game on.
    """
    log: list[LogLine] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            fields = parse_object(line.decode())
            log.append(LogLine(line.rstrip(b"\r\n"), fields, decode_update(encode(fields))))
        except (BadMessage, UnicodeDecodeError) as error:
            why = error.sentence if isinstance(error, BadMessage) else "It is not text."
            return [Check("file", False, f"line {number} is not an update. {why}")]
    if not log:
        return [Check("file", False, "this is not a log of updates")]
    checks = [_numbers(log)]
    if not checks[0].ok:
        return checks
    if (file := _tables(log)) is not None:
        return [*checks, file]
    inspector, dice = _dice(log)
    checks += [_chained(log, inspector), dice, _secrets(inspector.games)]
    if any(game.scheme != SCHEME for game in inspector.games):
        checks.append(_first_seeds(log))
    room_id = str((log[0].fields["cause"].get("args") or {}).get("id", ""))
    checks += check_list(inspector.games, room_id, register, memory.server if memory else "")
    checks.append(_played_again(log, inspector.games))
    checks.append(_faces(log))
    checks.append(_remembered(log, "memory", memory or Memory(), "this machine", inspector.games))
    checks += [_remembered(log, f"with {name}", other, name) for name, other in (others or {}).items()]
    return checks


def _remembered(
    log: list[LogLine], name: str, memory: Memory, whose: str, games: Iterable[InspectedGame] = ()
) -> Check:
    found = compare([(line.raw, line.fields) for line in log], memory, whose)
    doubts = [*found.doubts, *(_unseen(memory, games) if memory.seen else ())]
    return Check(name, found.wrong is None, found.wrong or found.told, tuple(doubts))


def _unseen(memory: Memory, games: Iterable[InspectedGame]) -> Iterable[str]:
    """Games that this machine did not see from the first dice to the end. A hash binds all updates before it."""
    for game in games:
        if game.scheme != SCHEME or game.first_roll is None:
            continue
        if not any(game.seq <= seq < game.first_roll for seq in memory.seen):
            yield f"game {game.number}: this machine did not see it begin"
        elif game.ended and max(memory.seen) < game.last:
            yield f"game {game.number}: this machine did not see its end"


def _tables(log: list[LogLine]) -> Check | None:
    """Check that every update makes a table of the table before. None: it does."""
    table: JsonObject = {}
    for line in log:
        try:
            table = patch.apply(table, line.update.patch)
            check_table(table, line.update.patch)
            room = table.get("room")
            check_events(str(room["game"]) if room else "", line.update.events)
        except (Nonsense, RecursionError) as error:
            return Check("file", False, f"update {line.update.seq} is not built as updates are. {error}")
    return None


def _numbers(log: list[LogLine]) -> Check:
    for expected, line in enumerate(log, start=1):
        if line.update.seq != expected:
            return Check("numbers", False, f"update {expected} is missing or out of place")
    return Check("numbers", True, f"1 to {len(log)}, none missing")


def _chained(log: list[LogLine], inspector: Inspector) -> Check:
    if not inspector.unchained:
        return Check("chain", True, "each update names the one before")
    old = f"{inspector.unchained} of {len(log)} updates do not name the one before: they are of an earlier version"
    return Check("chain", True, old, (old,))


def _dice(log: list[LogLine]) -> tuple[Inspector, Check]:
    """Check the links and the dice, without any rules."""
    inspector = Inspector()
    first = ""
    for line in log:
        if wrong := inspector.see(line.raw, line.fields):
            first = first or f"update {line.update.seq}: {wrong[0]}"
    games = inspector.games
    if first:
        return inspector, Check("dice", False, first)
    rolls = sum(game.rolls for game in games)
    members = list(dict.fromkeys(name for game in games for name in game.members))
    told = f"{counted(rolls, 'draw')}, from the links of {', '.join(members) or 'no player'} and of the server"
    honest = "; they are fair if one of these is honest" if members and rolls else ""
    return inspector, Check("dice", True, f"{told}{honest}", tuple(_doubts(games)))


def _doubts(games: list[InspectedGame]) -> Iterable[str]:
    """Why the dice of these games prove less than they could."""
    for game in games:
        which = f"game {game.number}"
        if game.scheme != SCHEME:
            yield f"{which}: the operator could know all its dice in advance, and choose among some (scheme 1)"
            continue
        if not game.dealt:
            yield f"{which}: it was begun, and too many left before its first dice"
        if game.without:
            yield f"{which}: seats without a part in the dice: {', '.join(game.without)}"
        if game.redraws:
            names = sorted({name for some in game.redraws.values() for name in some})
            times = f"{len(game.redraws)} redraw{'s' if len(game.redraws) > 1 else ''}"
            yield f"{which}: {times}, because {', '.join(names)} did not answer"
        if game.alone:
            yield f"{which}: no player had a part in {game.alone} of {game.rolls} draws"
        if not game.ended:
            yield f"{which}: it is not over" if game.secret is None else f"{which}: it was abandoned"


def _secrets(games: list[InspectedGame]) -> Check:
    doubts = []
    for at, game in enumerate(games):
        last = at == len(games) - 1
        if game.secret is None and game.scheme != SCHEME and not game.dealt:
            doubts.append(f"game {game.number} was not dealt, and its secret was thrown away (scheme 1)")
        elif game.secret is None and (game.ended or not last):
            return Check("secrets", False, f"game {game.number} is over, and its secret was never shown")
        elif game.secret is not None and not _is_bound(game):
            return Check("secrets", False, f"the secret of game {game.number} is not the one promised")
    shown = sum(game.secret is not None for game in games)
    return Check("secrets", True, f"{shown} of {len(games)} secrets shown, all as promised", tuple(doubts))


def _is_bound(game: InspectedGame) -> bool:
    """Whether the secret of a game is the one that the server was bound to."""
    if game.scheme == SCHEME:
        return chain.opens(game.secret or "", game.commit)
    try:
        return seed_hash(bytes.fromhex(game.secret or "")) == game.commit
    except ValueError:
        return False


def _first_seeds(log: list[LogLine]) -> Check:
    """Scheme 1: check that every seed that was shown has the hash that its seat had sent before."""
    table: JsonObject = {}
    shown = left_out = 0
    for line in log:
        fair = line.fields["patch"].get("fair") or {}
        for seat, seed in (fair.get("seeds") or {}).items():
            shown += 1
            promised = table.get("seats", {}).get(seat, {}).get("commit")
            try:
                kept = seed_hash(bytes.fromhex(seed)) == promised
            except ValueError:
                kept = False
            if not kept:
                return Check("seeds", False, f"update {line.update.seq}: the seed of seat {seat} is not as promised")
        left_out += len(fair.get("missing") or ())
        table = patch.apply(table, line.fields["patch"])
    return Check("seeds", True, f"{shown} shown, all as promised; {left_out} left out")


def _played_again(log: list[LogLine], games: list[InspectedGame]) -> Check:
    """Work every update out again from its cause, and compare all its fields with the log."""
    if other := _other_rules(log[0].fields):
        return Check("rules", True, other, (other,))
    opened = {int(seq): move for line in log for seq, move in (line.update.cause.opened or {}).items()}
    known = {game.commit: bytes.fromhex(game.secret) for game in games if game.secret is not None and _is_bound(game)}
    dice = KnownDice(known, opened)
    state: State | None = None
    done = bots = hurried = unknown = 0
    for line in log:
        update = line.update
        try:
            change = play_again(state, update, dice)
        except NotYet:
            break
        except NotPossible as why:
            return Check("rules", False, f"update {update.seq}: {why}")
        told = line.fields["patch"].get("fair") or {}
        if change.state.fair and (not state or state.fair is not change.state.fair):
            change = change._replace(state=change.state.but(fair=_with_version(change.state.fair, state, told)))
        entry = told.get("entry")
        if entry and change.state.fair:  # a place in the server's list: that list says whether it is right
            known = patch.dump(state.fair.entry) if state and state.fair and state.fair.entry else {}
            listed = change.state.fair.but(entry=Listed.model_construct(**patch.apply(known, entry)))
            change = change._replace(state=change.state.but(fair=listed))
        before = state.public() if state else {}
        again = {
            "type": "update",
            "seq": change.state.seq,
            "cause": patch.dump(change.cause),
            "events": patch.dump(change.events),
            "patch": patch.changes(before, change.state.public()),
        }
        logged = {key: value for key, value in line.fields.items() if key != "prev"}
        if where := _difference(again, logged):
            return Check("rules", False, f"update {update.seq} is not what the rules make of it: {where}")
        if state and state.secret and update.cause.by == "bot" and update.cause.kind == "move":
            bots += 1
            hurried += bool((update.cause.args or {}).get("hurried"))
            if state.fair and state.fair.scheme == SCHEME and state.fair.bots != BOTS_VERSION:
                unknown += 1
            elif not _bot_did(state, change):
                name = state.seats[change.cause.seat or 0].name
                return Check("bots", False, f"update {update.seq}: {name} does not play as its level does")
        state = change.state
        done += 1
    doubts = []
    if done < len(log):
        doubts.append(f"{counted(len(log) - done, 'update')} can be checked when the game is over")
    if unknown:
        doubts.append(f"{counted(unknown, 'move')} of bots of another version, which this one can't work out")
    if hurried:
        doubts.append(f"bots had no time to think in {hurried} of {bots} moves")
    told = f"{done} updates played again with the same result, {bots} moves of bots among them"
    return Check("rules", True, told, tuple(doubts))


def _other_rules(first: JsonObject) -> str:
    """A sentence, if the log is of other rules than this program has. Empty: they are the same."""
    room = first["patch"].get("room") or {}
    kind = rules_of(str(room.get("game", "")))
    if kind is None or kind.version == room.get("rules"):
        return ""
    return f"the log is of the rules {str(room.get('rules'))[:32]}, and this program has {kind.version}"


def _with_version(fair: Fair, before: State | None, told: JsonObject) -> Fair:
    """The dice of a state, with the version of the bots that the log tells: this program may have another one."""
    if "bots" in told:
        return fair.but(bots=told["bots"])
    return fair.but(bots=before.fair.bots if before and before.fair else None)


def _bot_did(state: State, change: Change) -> bool:
    """Whether a bot has made the move that its level makes, with what it can know."""
    seat, hurried = change.cause.seat, bool((change.cause.args or {}).get("hurried"))
    if seat is None or state.fair is None or state.fair.scheme != SCHEME:
        return True  # bots of the first scheme were not bound to anything
    seq = change.state.seq
    sealed = change.state.sealed.get(seq) or (change.cause.opened or {}).get(str(seq))
    choice = bot_move(state, seat, hurried=hurried)
    return choice is not None and choice.move == (sealed or change.cause.move)


def _difference(again: object, logged: object, path: str = "") -> str:
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


def _faces(log: list[LogLine]) -> Check:
    counts: dict[int, Counter[int]] = {}
    for line in log:
        drawn = line.update.cause.drawn
        if drawn and drawn.faces and drawn.r is not None:
            counts.setdefault(drawn.sides, Counter()).update(drawn.faces)
    told, ok = [], True
    for sides, seen in sorted(counts.items()):
        dice = sum(seen.values())
        expected = dice / sides
        chi = sum((seen[face] - expected) ** 2 / expected for face in range(1, sides + 1))
        told.append(f"chi² {chi:.1f} for {'1 die' if dice == 1 else f'{dice} dice'} of {sides} sides")
        ok &= chi < _CHI_LIMITS.get(sides, float("inf"))
    return Check("faces", ok, "; ".join(told) or "no dice were rolled by the server")
