"""Results of a finished game: who won, the points, and personal bests. Pure functions.

Results are stored by player key. A name is only what a player was called in that one game.
"""

from collections.abc import Iterable

from dicegames_server.storage.base import NOBODY, Result
from dicegames_server.table.seats import Seats
from dicegames_server.table.state import Change

MOST_NOTED_BOTS = 16
"""Most bots that are noted with a result. A game with more of them is not rated: a part of its players is missing."""


def _among_different_people(seats: Seats, playing: Iterable[int]) -> bool:
    """Whether no two players of a game share a player key or an address. Else one person could win for ever."""
    people = [seat for seat in playing if seats[seat].bot is None]
    keys = [key for seat in people if (key := seats.keys.get(seat) or seats.quitters.get(seat))]
    places = [seats.places[seat] for seat in people if seat in seats.places]
    return len(set(keys)) == len(keys) and len(set(places)) == len(places)


def results_of(change: Change) -> tuple[Result, ...]:
    """The results in an update: one for each player with a player key if the update ends the game, else none.

    Who gave the game up has lost it: nobody escapes a defeat by leaving.
    If a correction takes the end of a game back, its results belong to nobody until it ends again.
    """
    state = change.state
    kinds = {event.kind for event in change.events}
    if state.match is None or not kinds & {"game_over", "game_goes_on"}:
        return ()
    winners = state.match.winners or ()
    scores = state.match.rules.scores(state.match.state)
    names = {seat: state.seats[seat].name for seat in scores if state.seats.get(seat)}
    gone = state.seats.quitters
    counted = _among_different_people(state.seats, names)
    levels = {seat: bot for seat in names if (bot := state.seats[seat].bot) is not None}
    bots = tuple((level, seat in winners) for seat, level in levels.items())[:MOST_NOTED_BOTS]
    return tuple(
        Result(
            player=key if winners else NOBODY,
            room=state.info.code,
            game=state.info.game,
            game_no=state.info.game_no,
            seat=seat,
            name=names[seat],
            score=scores[seat],
            won=seat in winners and seat not in gone,
            opponents=tuple(name for other, name in names.items() if other != seat),
            bests=dict(state.bests.get(seat, {})),
            counted=counted and bool(winners),
            shared=seat in winners and len(winners) > 1 and seat not in gone,
            players=len(names),
            bots=bots,
            gave_up=seat in gone,
        )
        for seat, key in {**state.seats.keys, **gone}.items()
        if seat in names
    )
