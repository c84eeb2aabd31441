"""The figures of a review in words, and reviews that somebody hostile has made."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_client.base.glyphs import ASCII, UNICODE
from dicegames_client.review import figures
from dicegames_client.review.cleaned import MOST_SHOWN_PLAYERS, cleaned
from dicegames_client.review.review_text import told_costliest, told_graph, told_review, told_table
from dicegames_protocol.messages.review import CurvePoint, GameReview, ReviewedMove
from dicegames_protocol.text import columns
from support.reviews import a_review, evil_reviews


def test_the_table_says_what_became_of_everybody() -> None:
    assert told_table(a_review()) == [
        "          accuracy  given away   luck  average dice  by others",
        "ana           94 %      -4.1 %  +36 %          64 %      +18 %",
        "di (bot)      81 %       -18 %  -36 %          36 %     +4.1 %",
    ]


def test_the_figures_add_up() -> None:
    for player in a_review().players:
        total = player.start - player.lost - player.away + player.given + player.luck
        assert total == pytest.approx(player.end)


def test_the_costliest_come_first_and_say_why() -> None:
    assert told_costliest(a_review()) == [
        "ana, update 9, slip -4.1 %: Rolling 1 die wins 52 %, banking 300 56 %.",
        "di (bot), update 12, blunder -12 %: Banking 350 wins 31 %, rolling 3 dice 43 %.",
        "di (bot), update 20, mistake -6.0 %: Banking 50; rolling 5 dice was better by 6.0 %.",
    ]


@pytest.mark.parametrize(
    ("share", "said"),
    [(0, "0 %"), (1, "100 %"), (0.4999, "50 %"), (0.9999, "99.9 %"), (0.0001, "0.1 %"), (0.004, "0.4 %")],
)
def test_only_what_is_certain_is_said_to_be(share: float, said: str) -> None:
    assert figures.percent(share) == said


@pytest.mark.parametrize(("part", "said"), [(0, "0 %"), (-0.041, "-4.1 %"), (0.12, "+12 %"), (-0.0997, "-10 %")])
def test_changes_have_a_sign(part: float, said: str) -> None:
    assert figures.change(part) == said


def test_only_who_gave_nothing_away_has_all_of_it() -> None:
    ana = a_review().players[0]
    assert figures.accuracy(ana.but(accuracy=0.999, lost=0.01)) == "99 %"
    assert figures.accuracy(ana.but(accuracy=1.0, lost=0.0)) == "100 %"
    assert figures.accuracy(ana.but(accuracy=None)) == "-"


def test_the_graph_fits_in_any_width_and_in_ascii() -> None:
    for width in (20, 41, 79, 200):
        for glyphs in (UNICODE, ASCII):
            graph = told_graph(a_review(), width, glyphs)
            assert graph and all(columns(part) <= width for part in graph)
    assert all(part.isascii() for part in told_graph(a_review(), 79, ASCII))
    assert told_graph(a_review().but(curve=()), 79, UNICODE) == []


def test_a_game_without_a_decision_that_cost_anything() -> None:
    review = a_review()
    review = review.but(players=tuple(player.but(costliest=()) for player in review.players))
    assert told_costliest(review) == ["Nobody gave anything away."]


@given(evil_reviews())
def test_no_review_breaks_anything(evil: GameReview) -> None:
    review = cleaned(evil)
    for player in review.players:
        for value in (player.start, player.end, player.lost, player.away, player.given, player.luck):
            assert math.isfinite(value)
    for text in (*told_review(review), *told_table(review), *told_graph(review, 79, UNICODE)):
        assert "\x1b" not in text and "\x9b" not in text and "\u202e" not in text and "\n" not in text
        assert len(text) < 2000


def test_thousands_of_moves_and_players_are_cut() -> None:
    review = a_review()
    many = review.but(
        players=review.players * 5000,
        moves=review.moves * 5000,
        curve=tuple(CurvePoint(seq=n, chances=(0.5,) * 10000) for n in range(2000)),
    )
    short = cleaned(many)
    assert len(short.players) == MOST_SHOWN_PLAYERS and len(short.moves) <= 500 and len(short.curve) <= 400
    assert len(short.curve[0].chances) == MOST_SHOWN_PLAYERS


@given(st.floats())
def test_any_float_is_a_figure(value: float) -> None:
    move = ReviewedMove(seq=1, seat=0, mark="slip", cost=value, chance=value, took="a", best="b")
    ana = a_review().players[0].but(lost=value, luck=value, given=value, accuracy=value, start=value, end=value)
    review = cleaned(a_review().but(moves=(move,), players=(ana,), curve=()))
    assert all(len(part) < 200 for part in told_review(review))
