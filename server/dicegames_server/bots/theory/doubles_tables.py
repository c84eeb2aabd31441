"""What is worked out beforehand for Doubles, because it takes minutes: `dicegames-server tables` writes the file anew.

`values`: the chance in a duel for each lead, before 0, 1, 2 … rounds. `learned`: how often to cash out among several.
`answers`: the same for the best answer that was found to it, by the number of players; the arena plays it against the
expert.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from random import Random
from typing import NamedTuple

from dicegames_protocol.codec import encode, parse_object
from dicegames_server.bots.theory.doubles_crowd import Habit, Situation
from dicegames_server.bots.theory.doubles_duel import LEADS, MOST_ROUNDS, Round, work_out
from dicegames_server.bots.theory.doubles_learning import Learning, by_duel, by_table

TABLE_FILE = "doubles.json"
GAMES = 40_000
"""Games from which is learned. It takes about five minutes."""
ANSWER_GAMES = 10_000
ANSWERED = (2, 3, 6)
"""Numbers of players for which an answer is learned."""
_PART = 500
"""Games after which it is told how far it is."""


class Tables(NamedTuple):
    values: tuple[tuple[float, ...], ...]
    learned: Mapping[Situation, Habit]
    answers: Mapping[int, Mapping[Situation, Habit]]


@lru_cache(maxsize=1)
def tables() -> Tables:
    """The tables from the file in the package."""
    text = resources.files("dicegames_server.bots.theory").joinpath(TABLE_FILE).read_text(encoding="utf-8")
    kept = parse_object(text)
    assert tuple(kept["leads"]) == LEADS and all(one < two for one, two in pairwise(LEADS))
    return Tables(
        tuple(tuple(row) for row in kept["values"]),
        _read(kept["learned"]),
        {int(seats): _read(answer) for seats, answer in kept["answers"].items()},
    )


def _read(habits: Mapping[str, Sequence[float]]) -> dict[Situation, Habit]:
    return {tuple(key.split("/")): Habit(*habit) for key, habit in habits.items()}


@lru_cache(maxsize=256)
def values(to_come: tuple[int, ...]) -> tuple[float, ...]:
    """The values of a duel for the rounds to come; their mean where each of several numbers is equally likely."""
    many = Counter(min(number, MOST_ROUNDS) for number in to_come)
    rows = tables().values
    return tuple(
        sum(rows[number][place] * times for number, times in many.items()) / len(to_come) for place in range(len(LEADS))
    )


def round_before(to_come: tuple[int, ...]) -> Round:
    """The round before so many others."""
    return _round(values(to_come), to_come == (0,))


@lru_cache(maxsize=24)
def _round(after: tuple[float, ...], last: bool) -> Round:
    return Round(after, last=last)


def work_out_tables(games: int = GAMES, answer_games: int = ANSWER_GAMES) -> Iterator[str | bytes]:
    """Work out everything anew: lines that say how far it is, and at last the file."""
    rows = work_out()
    rounds = [Round(row) for row in rows[:-1]]
    yield f"the values of {len(rows) - 1} rounds"
    learning = Learning(rounds)
    for done in range(0, games, _PART):
        learning.play_itself(min(_PART, games - done))
        yield f"{min(done + _PART, games):,} of {games:,} games learned from"
    learned = learning.learned()
    answers = {}
    for seats in ANSWERED:
        rivals = by_duel(rounds, Random(seats)) if seats == 2 else by_table(learned, Random(seats))
        answer = Learning(rounds, seed=seats)
        answer.play_against(rivals, seats, answer_games)
        answers[str(seats)] = _written(answer.learned())
        yield f"an answer at a table of {seats}"
    yield encode(
        {
            "leads": list(LEADS),
            "values": [_rounded(row) for row in rows],
            "learned": _written(learned),
            "answers": answers,
        }
    )


def _rounded(row: Sequence[float]) -> list[float]:
    return [round(value, 6) for value in row]


def _written(habits: Mapping[Situation, Habit]) -> dict[str, list[float]]:
    return {"/".join(key): [round(value, 3) for value in habit] for key, habit in habits.items()}
