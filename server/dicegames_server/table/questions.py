"""What people may ask about the game of their room: its rules, the odds, and what a correction would change.

Pure; the answers come from the games.
"""

from collections.abc import Sequence

from dicegames_protocol import patch
from dicegames_protocol.messages.client import AskOdds, AskPreview, MakeMove
from dicegames_protocol.messages.server import Odds, OptionEntry, Preview, RulesPage, Worth
from dicegames_protocol.table import CORRECT, UNDO
from dicegames_server.bots.theory import afterwards, chances
from dicegames_server.core.errors import Refused
from dicegames_server.games.dice import Dice
from dicegames_server.table.play import move
from dicegames_server.table.state import State, waited_for

TOO_BUSY = "Too much is being worked out at the moment. Try again."
_TRIED = ("room", "game")
"""The parts of the table that a preview shows."""
TOO_LARGE = "That is too large to work out now."


def rules_page(state: State, id: str) -> RulesPage:
    """The rules, under the options of the room."""
    rules = state.rules
    table = tuple(Worth(what=what, points=f"{points:,}") for what, points in rules.table())
    kind = rules.options_type
    options = tuple(
        OptionEntry(name=name, about=field.description or "", choices=kind.choices(name))
        for name, field in kind.model_fields.items()
    )
    title = f"{rules.title}, {rules.summary()}"
    return RulesPage(id=id, title=title, text=rules.explain(), table=table, options=options)


def odds(state: State, message: AskOdds, mine: Sequence[int]) -> Odds:
    """The odds for a seat. `mine`: the seats of whoever asks. They may ask for one of these; a spectator, for any seat.

    Without `message.seat` it is the seat that is waited for, or else the first of `mine`. Raises Refused.
    """
    match = state.match
    if match is None or not state.playing:
        over = match is not None and state.info.phase == "over"
        before = "There are no odds before the game begins."
        return Odds(
            id=message.id, note=afterwards(match.rules, match.seen_by(None).state) if over and match else before
        )
    waiting = waited_for(state)
    seat = message.seat if message.seat is not None else waiting if waiting in mine or not mine else mine[0]
    if seat is not None and mine and seat not in mine:
        raise Refused("unauthorized", "That is not your seat.")
    known = seat is not None and str(seat) in match.state.seats
    known_state = match.seen_by(seat if seat in mine else None).state
    told = chances(match.rules, known_state, seat) if known and seat is not None else ()
    return Odds(id=message.id, seat=seat, chances=told, note=None if told else match.rules.no_odds)


def preview(state: State, message: AskPreview, mine: Sequence[int], dice: Dice) -> Preview:
    """What a correction would lead to. `mine`: the seats of whoever asks. Raises Refused, as the move itself would.

    Only typed rolls can be tried: anything else could tell dice that nobody may know.
    """
    seat = message.seat if message.seat is not None or not mine else mine[0]
    if seat is None or seat not in mine:
        raise Refused("unauthorized", "That is not your seat.")
    if message.move.take not in (CORRECT, UNDO):
        raise Refused("illegal_move", "Only a typed roll that is corrected or taken back can be tried before.")
    tried = move(state, seat, MakeMove(id=message.id, seq=message.seq, seat=seat, move=message.move), dice)
    told = patch.dump(tried.events[0])
    if told.get("was") is not None and told["was"] == told.get("faces"):
        raise Refused("illegal_move", "That is what was typed: nothing would change.")
    if _depends_on_the_hidden(state, tried.state):
        events = tuple(patch.dump(event) for event in tried.events[:1])
        return Preview(id=message.id, events=events, patch={}, hidden=True)
    before, after = state.public(), tried.state.public()
    shown = patch.changes({part: before[part] for part in _TRIED}, {part: after[part] for part in _TRIED})
    return Preview(id=message.id, events=tuple(patch.dump(event) for event in tried.events), patch=shown)


def _depends_on_the_hidden(before: State, after: State) -> bool:
    """Whether a preview could tell something that is hidden, such as which round is the last: a round would end.

    It must not depend on the hidden thing itself.
    """
    if before.match is None or after.match is None or not before.match.secret:
        return False
    spans = [match.rules.span(match.state) for match in (before.match, after.match)]
    return spans[0] != spans[1] or before.match.winners != after.match.winners
