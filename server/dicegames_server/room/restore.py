"""A room's state in storage: what is stored beside the stream, and how the room is restored from it.

The public part is restored from the stream itself: a snapshot of the table and the patches since then. The private part
is what nobody at the table may see or needs to see: token hashes, secret draws, counters. Typed rolls that could still
be corrected are restored by playing the moves since then again.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from dicegames_protocol import patch
from dicegames_protocol.base import JsonObject
from dicegames_protocol.codec import decode_update, encode, parse_object, update_hash
from dicegames_protocol.fairness.first_scheme import key_of
from dicegames_protocol.games import types_of
from dicegames_protocol.messages.server import Update
from dicegames_protocol.table import Fair, Move, Offer, Player, RoomInfo
from dicegames_server.games import rules_of
from dicegames_server.games.base import Act
from dicegames_server.games.match import Match
from dicegames_server.games.typed_rolls import TypedRolls
from dicegames_server.storage.base import StoredRoom
from dicegames_server.table.seats import Seats
from dicegames_server.table.state import State

_ITS_OWN = ("tokens", "keys", "bests", "sealed", "more_sealed", "hidden", "state")
"""What belongs to the one update beside which it is written."""


class Answered(NamedTuple):
    """A move that an update answers: who made it, its id, and what was played."""

    seat: int
    id: str
    content: str | None = None
    """None in logs of earlier versions."""


def content_of(move: Move) -> str:
    """The content of a move as one short text, to recognise an id that is used for another move."""
    if move.choice is None and move.faces is None:
        return move.take
    return f"{move.take} {move.choice} {move.faces}"


def private_of(state: State) -> JsonObject:
    """The private part of a state, which is stored with a snapshot."""
    return {
        "draws": state.draws,
        "links": state.links,
        "decided": state.decided,
        "act": state.act,
        "head": state.head,
        "basis_seq": state.basis_seq,
        **_of_the_game(state),
        "tokens": state.seats.tokens,
        "keys": state.seats.keys,
        "places": state.seats.places,
        "quitters": state.seats.quitters,
        "bests": state.bests,
        "sealed": state.sealed,
        **({"abandoned": True} if state.abandoned else {}),
        **_hidden(state),
    }


def private_update(before: State, state: State, answers: Answered | None) -> bytes:
    """The changes of the private part, which are stored with an update.

    `answers`: the move that the update answers.
    """
    old, new = before.match, state.match
    same_roll = old and new and old.typed is new.typed and old.corrections == new.corrections
    same_game = same_roll and state.secret is before.secret and state.info.game_no == before.info.game_no
    changes: JsonObject = {"basis_seq": state.basis_seq}
    if state.draws != before.draws:
        changes |= {"draws": state.draws, "links": state.links}
    if state.decided != before.decided or state.act is not before.act:
        changes |= {"decided": state.decided, "act": state.act}
    if answers:
        changes["answers"] = answers
    if state.seats is not before.seats:
        tokens, keys = before.seats.tokens, before.seats.keys
        changes["tokens"] = {token: seat for token, seat in state.seats.tokens.items() if token not in tokens}
        changes["keys"] = {seat: key for seat, key in state.seats.keys.items() if keys.get(seat) != key}
        if state.seats.places != before.seats.places:
            changes["places"] = state.seats.places
        if state.seats.quitters != before.seats.quitters:
            changes["quitters"] = state.seats.quitters
    if state.bests is not before.bests:
        bests = before.bests if before.info.game_no == state.info.game_no else {}
        changes["bests"] = {
            seat: state.bests.get(seat, {})
            for seat in {**bests, **state.bests}
            if bests.get(seat) is not state.bests.get(seat)
        }
    if not same_game:
        changes |= _of_the_game(state)
    if state.abandoned:
        changes["abandoned"] = True
    if state.sealed is not before.sealed:
        if before.sealed.keys() <= state.sealed.keys():
            changes["more_sealed"] = {seq: move for seq, move in state.sealed.items() if seq not in before.sealed}
        else:
            changes["sealed"] = state.sealed
    return encode(changes | _hidden(state))


def _hidden(state: State) -> JsonObject:
    """What of the game is not public: a patch that makes the whole state of the public one."""
    if state.match is None or not state.rules.hides:
        return {}
    whole: Any = state.match.state
    return {"hidden": patch.changes(state.rules.seen(whole, None), whole)}


def _of_the_game(state: State) -> JsonObject:
    """The private values that change only with a new game, or where rolls are typed."""
    match = state.match
    return {
        "dice": state.secret.hex(),
        "starter": state.starter,
        "game_no": state.info.game_no,
        "secret": match.secret if match else (),
        "corrections": match.corrections if match else 0,
        "correctable": match is not None and bool(match.typed),
    }


def restore(stored: StoredRoom) -> State:
    """The state of the room after its last committed update. Raises ValueError if the stored data can't be read."""
    tables = [_json(stored.snapshot.public)]
    privates = [_json(stored.snapshot.private)]
    for record in stored.records:
        tables.append(patch.apply(tables[-1], _json(record.update)["patch"]))
        privates.append({**_lasting(privates[-1]), **_json(record.private)})
    head = update_hash(stored.records[-1].update) if stored.records else privates[0].get("head", "")
    seq = stored.snapshot.seq + len(stored.records)
    tokens: dict[str, int] = {}
    keys: dict[int, str] = {}
    all_bests: list[dict[int, dict[str, int]]] = [{}]
    game_no = 0
    for private in privates:
        keys |= {int(seat): key for seat, key in private.get("keys", {}).items()}
        known = all_bests[-1] if private.get("game_no", 0) == game_no else {}
        game_no = private.get("game_no", 0)
        changed = {int(seat): best for seat, best in private.get("bests", {}).items()}
        all_bests.append({seat: best for seat, best in {**known, **changed}.items() if best})
        for token, seat in private.get("tokens", {}).items():
            tokens = {known: of for known, of in tokens.items() if of != seat} | {token: seat}
    del all_bests[0]
    sealed = list(_sealed(privates))
    state = _state(tables[-1], privates[-1], tokens, seq, stored.epoch, all_bests[-1]).but(sealed=sealed[-1])
    mine = {seat: key for seat, key in keys.items() if seat in state.seats.tokens.values()}
    places = {int(seat): place for seat, place in privates[-1].get("places", {}).items()}
    quitters = {int(seat): key for seat, key in privates[-1].get("quitters", {}).items()}
    state = state.but(seats=replace(state.seats, keys=mine, places=places, quitters=quitters), head=head)
    if privates[-1].get("correctable") and state.match:
        nothing_typed = max(number for number, private in enumerate(privates) if not private.get("correctable"))
        before = _state(tables[nothing_typed], privates[nothing_typed], {}, 0, 0, all_bests[nothing_typed]).match
        since = [decode_update(record.update) for record in stored.records[nothing_typed:]]
        secret = {seq: move for moves in sealed for seq, move in moves.items()}
        state = state.but(match=_with_typed(state.match, _typed(before, since, secret)))
    return state


def _sealed(privates: list[JsonObject]) -> Iterator[dict[int, Move]]:
    """The moves that are secret after each update: those of the update before, and more; or other ones."""
    known: dict[int, Move] = {}
    for private in privates:
        read = {int(at): Move.model_validate(move) for at, move in private.get("more_sealed", {}).items()}
        if "sealed" in private:
            known = {int(at): Move.model_validate(move) for at, move in private["sealed"].items()}
        known = {**known, **read}
        yield known


def _with_typed(match: Match, typed: TypedRolls) -> Match:
    """The match with its typed rolls. Where something is hidden, its offers are not in the table."""
    return match.with_typed(typed) if match.rules.hides else match.but(typed=typed)


def _lasting(private: JsonObject) -> JsonObject:
    """What holds for the next update, too, where that does not write it."""
    return {key: value for key, value in private.items() if key not in _ITS_OWN}


def answered(stored: StoredRoom) -> Iterator[tuple[int, Answered]]:
    """The newest acknowledged moves, with their update numbers."""
    for seq, private in stored.recent:
        if found := answered_by(private):
            yield seq, found


def answered_by(private: bytes) -> Answered | None:
    """The move that an update answers, from the private part of the update. None: it answers no move."""
    found = _json(private).get("answers")
    return Answered(*found) if found else None


def _json(text: bytes) -> JsonObject:
    return parse_object(text.decode())


def _state(
    table: JsonObject,
    private: JsonObject,
    tokens: dict[str, int],
    seq: int,
    epoch: int,
    bests: dict[int, dict[str, int]],
) -> State:
    info = RoomInfo.model_validate(table["room"])
    kind = rules_of(info.game)
    if kind is None:
        raise ValueError(f"there is no game {info.game}")
    players = {seat: Player.model_validate(player) for seat, player in table["seats"].items()}
    mine = {token: seat for token, seat in tokens.items() if (p := players.get(str(seat))) and not p.left and not p.bot}
    rules = kind(kind.options_type.read(info.options))
    fair = Fair.model_validate(table["fair"]) if "fair" in table else None
    secret = bytes.fromhex(private["dice"])
    first = fair is not None and fair.scheme is None
    if first and info.phase == "dealing":
        raise ValueError("an earlier version was stopped while it dealt the dice of this room: it can't be continued")
    return State(
        info=info,
        seats=Seats(info.capacity, players, info.host, mine),
        rules=rules,
        epoch=epoch,
        match=_match(rules, table, private, bests),
        starter=private["starter"],
        fair=fair,
        secret=secret,
        key=key_of(fair, info, secret) if fair and first and secret else b"",
        links=private.get("links", 0),
        decided=private.get("decided", 0),
        act=_act(private.get("act")),
        draws=private["draws"],
        abandoned=private.get("abandoned", False),
        seq=seq,
        basis_seq=private["basis_seq"],
    )


def _act(stored: list[Any] | None) -> Act | None:
    if not stored:
        return None
    seat, move, by = stored
    return Act(seat, Move.model_validate(move), by)


def _match(rules: Any, table: JsonObject, private: JsonObject, bests: dict[int, dict[str, int]]) -> Match | None:
    types = types_of(table["room"]["game"])
    if "game" not in table or types is None:
        return None
    game: Any = table["game"]
    if rules.hides:  # `state` is of earlier versions
        game = patch.apply(game, private["hidden"]) if "hidden" in private else private["state"]
    if "seats" in game:
        game = {**game, "seats": _in_order(game["seats"])}
    state: Any = types.state.model_validate(game)
    match = Match(
        rules,
        state,
        {key: Offer.model_validate(offer) for key, offer in table["offers"].items()},
        secret=tuple(private["secret"]),
        corrections=private["corrections"],
        only_last=table["room"].get("format") is None,
        bests=bests,
    )
    return match.with_typed(()) if rules.hides else match  # the table holds only the offers that everybody may see


def _in_order(seats: JsonObject) -> JsonObject:
    """The seats of a game by number, as it began with them: this is the order of play. A table that was put together
    from patches may have another one, left by the games before.
    """
    return dict(sorted(seats.items(), key=lambda item: int(item[0])))


def _typed(match: Match | None, updates: list[Update], sealed: dict[int, Move]) -> TypedRolls:
    """The typed rolls that can still be corrected. `match`: before the first of them. `updates`: all since then.

    `sealed`: the secret moves among them, as far as they are not opened.

    A snapshot is never taken while a roll can be corrected, so all of them are in the updates after the last snapshot.
    """
    opened = {int(at): move for update in updates for at, move in (update.cause.opened or {}).items()}
    secret = sealed | opened
    for update in updates:
        cause = update.cause
        if match is None or cause.move is None or cause.draw is not None:  # no move, or dice that are not drawn yet
            continue
        move = secret[update.seq] if cause.seal else cause.move
        match, _ = match.play(Act(cause.seat, move, cause.by), move.faces or ())
    return match.typed if match else ()
