"""Ratings: what a game does to them, and what it must not do."""

import itertools
import random
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_server.lobby.played.ladder import (
    KNOWN_AFTER,
    MOST_A_DAY,
    SECONDS_OF_DAY,
    Board,
    Ladder,
    Standing,
    games_in,
)
from dicegames_server.lobby.played.skill import after_game, games_to_sure, is_sure, shown, unknown
from dicegames_server.storage.past_games import RatedRow

PEOPLE, BOTS = Board("doubles", False), Board("doubles", True)
NUMBERS = itertools.count(1)


def played(
    *names: str,
    won: Iterable[str],
    day: float = 0,
    bots: tuple[tuple[str, bool], ...] = (),
    missing: int = 0,
    gave_up: str = "",
) -> list[RatedRow]:
    """A game. Whoever plays has their name as key."""
    number = next(NUMBERS)
    winners = set(won)
    players = len(names) + len(bots) + missing
    at = day * SECONDS_OF_DAY
    return [
        RatedRow(1, number, seat, name, "doubles", name, name in winners, players, bots, name == gave_up, at)
        for seat, name in enumerate(names)
    ]


def ladder_of(games: Iterable[list[RatedRow]], below: Ladder | None = None) -> Ladder:
    ladder = Ladder(below)
    for game in games:
        ladder.add(game)
    return ladder


def standing(ladder: Ladder, name: str, board: Board = PEOPLE) -> Standing:
    found = ladder.of(board, name)
    assert found
    return found


def rating(ladder: Ladder, name: str, board: Board = PEOPLE) -> float:
    return standing(ladder, name, board).skill.mean


def known(*names: str) -> Ladder:
    """A ladder on which all of these are known, and equal."""
    rounds = [played(*names, won=names, day=1000 + n) for n in range(KNOWN_AFTER)]
    return ladder_of(rounds)


def test_who_wins_rises_and_who_loses_falls() -> None:
    ladder = ladder_of([played("ana", "bo", "cy", won=["bo"])])
    assert rating(ladder, "bo") > unknown().mean > rating(ladder, "ana") == rating(ladder, "cy")


def test_a_shared_win_among_equals_changes_nothing_but_the_interval() -> None:
    ladder = ladder_of([played("ana", "bo", won=["ana", "bo"])])
    assert rating(ladder, "ana") == pytest.approx(unknown().mean)
    assert standing(ladder, "ana").skill.deviation < unknown().deviation


def test_those_who_share_a_win_gain_the_same() -> None:
    ladder = ladder_of([played("ana", "bo", "cy", won=["ana", "bo"])])
    assert rating(ladder, "ana") == rating(ladder, "bo") > rating(ladder, "cy")


def test_who_leaves_before_the_end_is_last_and_does_not_spoil_it_for_others() -> None:
    ladder = ladder_of([played("ana", "bo", "cy", won=["ana"], gave_up="cy")])
    assert rating(ladder, "ana") > rating(ladder, "bo") > rating(ladder, "cy")
    for won in ([], ["ana"]):  # also where the bot that played on has won
        duel = ladder_of([played("ana", "bo", won=won, gave_up="bo")])
        assert rating(duel, "ana") > unknown().mean > rating(duel, "bo")


def test_the_interval_shrinks_with_every_game() -> None:
    rng = random.Random(1)
    ladder, widths = Ladder(), []
    for day in range(200):
        ladder.add(played("ana", "bo", won=[rng.choice(["ana", "bo"])], day=day))
        widths.append(standing(ladder, "ana").skill.deviation)
    assert widths == sorted(widths, reverse=True)
    assert shown(standing(ladder, "ana").skill).interval < shown(unknown()).interval / 4


def test_the_interval_has_the_true_strength_in_it() -> None:
    """Of people whose strengths are known, and who win by chance in proportion to them."""
    rng = random.Random(7)
    strengths = {f"p{n}": rng.gauss(0, 120) for n in range(40)}
    ladder = Ladder()
    for number in range(40 * 100 // 4):
        table = rng.sample(sorted(strengths), 4)
        (winner,) = rng.choices(table, [10 ** (strengths[name] / 400) for name in table])
        ladder.add(played(*table, won=[winner], day=number))
    told = {name: shown(standing(ladder, name).skill) for name in strengths}
    middle = sum(one.rating for one in told.values()) / len(told)
    mean = sum(strengths.values()) / len(strengths)
    inside = [abs(one.rating - middle - strengths[name] + mean) <= one.interval for name, one in told.items()]
    assert sum(inside) >= 36
    best = sorted(told, key=lambda name: -told[name].rating)[:10]
    assert sum(strengths[name] for name in best) / 10 > 80


def test_games_with_bots_are_a_list_of_their_own() -> None:
    expert = (("expert", False),)
    ladder = ladder_of([played("ana", won=["ana"], bots=expert), played("ana", "bo", won=["bo"], bots=expert)])
    assert ladder.standings(PEOPLE) == {}
    assert set(ladder.standings(BOTS)) == {"ana", "bo", "bot expert"}
    before = rating(ladder, "ana", BOTS)
    ladder.add(played("ana", "bo", won=["ana"]))
    assert rating(ladder, "ana", BOTS) == before
    assert standing(ladder, "ana").games == 1


def test_a_bot_that_wins_rises() -> None:
    ladder = ladder_of([played("ana", won=[], bots=(("expert", True), ("easy", False)))])
    assert rating(ladder, "bot expert", BOTS) > rating(ladder, "ana", BOTS) == rating(ladder, "bot easy", BOTS)


@pytest.mark.parametrize(
    "game",
    [
        played("ana", "bo", won=["ana"], missing=1),  # somebody without a key
        played("ana", won=["ana"]),  # alone
        [replace(row, player="ana") for row in played("ana", "bo", won=["ana"])],  # keys that were linked since then
        [row for row in played("ana", "bo", won=["ana"]) if row.seat == 0],
    ],
)
def test_what_is_no_game_of_known_people_is_not_rated(game: list[RatedRow]) -> None:
    assert ladder_of([game]).standings(PEOPLE) == {}


def test_results_of_an_older_version_are_not_rated() -> None:
    """Nobody noted whether there were bots."""
    old = [
        RatedRow(1, 1, seat, name, "doubles", name, not seat, 0, (), False, 5.0)
        for seat, name in enumerate(("ana", "bo"))
    ]
    assert ladder_of([old]).standings(PEOPLE) == {}


def test_newcomers_do_not_move_those_who_are_known() -> None:
    ladder = known("ana", "bo")
    before = standing(ladder, "ana")
    for n in range(1000):
        ladder.add(played("ana", f"throw-away {n}", won=["ana"], day=n))
    assert standing(ladder, "ana") == before
    assert rating(ladder, "throw-away 0") < unknown().mean  # it is rated itself


def test_a_known_player_gains_little_from_those_who_always_lose() -> None:
    """Throw-away keys that have played enough to be known are known to lose."""
    farm = known("ana", "bo")
    for n in range(20):
        for game in range(KNOWN_AFTER + 5):
            farm.add(played("ana", f"throw-away {n}", won=["ana"], day=n * 100 + game))
    honest = known("ana", *(f"player {n}" for n in range(20)))
    for n in range(20):
        for game in range(5):
            honest.add(played("ana", f"player {n}", won=["ana"], day=3000 + n * 100 + game))
    assert rating(farm, "ana") < rating(honest, "ana")


def test_of_the_games_of_two_on_one_day_only_some_are_rated() -> None:
    ladder = known("ana", "bo")
    for _ in range(MOST_A_DAY + 5):
        ladder.add(played("ana", "bo", won=["ana"], day=2000.5))
    assert standing(ladder, "ana").games == KNOWN_AFTER + MOST_A_DAY
    ladder.add(played("ana", "bo", won=["ana"], day=2001.0))
    assert standing(ladder, "ana").games == KNOWN_AFTER + MOST_A_DAY + 1


def test_games_with_bots_are_rated_however_many() -> None:
    ladder = ladder_of([played("ana", won=["ana"], bots=(("easy", False),)) for _ in range(MOST_A_DAY + 5)])
    assert standing(ladder, "ana", BOTS).games == MOST_A_DAY + 5


def test_the_list_is_ranked_by_the_lower_end_and_says_what_is_provisional() -> None:
    names = ("ana", "bo", "cy")
    ladder = Ladder()
    for day in range(120):
        ladder.add(played(*names, won=[names[0] if day % 2 else names[1 + day // 2 % 2]], day=day))
    for day in range(2):
        ladder.add(played("ana", "lucky", won=["lucky"], day=200 + day))
    rows = ladder.rows(PEOPLE, 10, 0.95)
    assert [rows[0].name, rows[-1].name] == ["ana", "lucky"]  # who has a higher rating, but hardly any games
    assert (rows[-1].rating or 0) > (rows[0].rating or 0)
    lows = [(row.rating or 0) - (row.interval or 0) for row in rows]
    assert lows == sorted(lows, reverse=True)
    assert {row.name: row.provisional for row in rows} == {"ana": None, "bo": None, "cy": None, "lucky": True}
    assert all(row.won is None for row in rows)
    assert len(ladder.rows(PEOPLE, 2, 0.95)) == 2


def test_who_has_met_one_other_person_only_stays_provisional() -> None:
    ladder = ladder_of(played("ana", "bo", won=[("ana", "bo")[day % 2]], day=day) for day in range(300))
    assert [row.provisional for row in ladder.rows(PEOPLE, 10, 0.95)] == [True, True]


def test_how_many_games_it_takes_follows_from_how_much_is_luck() -> None:
    much_luck, little_luck = games_to_sure(0.78), games_to_sure(0.95)
    assert 10 < little_luck < much_luck < 500
    assert games_to_sure(0.997) == 10  # nobody is known after one game
    one = two = unknown()
    for game in range(much_luck):
        assert not is_sure(one, 0.78)
        one, two = after_game((one, two), (1 - game % 2, game % 2))
    assert is_sure(one, 0.78)


games = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["ana", "bo", "cy", "di", "ed"]), min_size=2, max_size=5, unique=True),
        st.integers(0, 4),
        st.integers(1, 3),
        st.integers(0, 3),
        st.booleans(),
    ),
    max_size=40,
)


@given(games, st.integers(0, 40), st.integers(0, 40))
def test_rated_in_parts_is_rated_at_once(
    drawn: list[tuple[list[str], int, int, int, bool]], first: int, second: int
) -> None:
    """All in one go, or a part that is kept and another one on top of it: it is the same to the last bit."""
    day, all_games = 0, []
    for names, winner, winners, later, bot in drawn:
        day += later // 3
        won = [names[(winner + n) % len(names)] for n in range(min(winners, len(names)))]
        all_games.append(played(*names, won=won, day=day, bots=(("easy", False),) if bot else ()))
    whole = ladder_of(all_games)
    below = ladder_of(all_games[:first])
    below.standings(PEOPLE)
    for game in all_games[first : first + second]:
        below.add(game)
    before = below.standings(PEOPLE), below.standings(BOTS)
    parts = ladder_of(all_games[first + second :], below)
    for board in (PEOPLE, BOTS):
        assert parts.standings(board) == whole.standings(board)
    assert (below.standings(PEOPLE), below.standings(BOTS)) == before


def test_rows_are_put_together_by_games() -> None:
    one, two = played("ana", "bo", won=["ana"]), played("ana", "bo", won=["bo"])
    assert games_in([*one, *two]) == [one, two]
    assert games_in([]) == []
