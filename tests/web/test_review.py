"""How well everybody played, on the page: figures and sentences as in the terminal, whatever the server sends."""

import json
import random
from typing import Any

import pytest

from dicegames_client.review import figures
from dicegames_client.review.cleaned import cleaned
from dicegames_client.review.review_picture import costliest_lines
from dicegames_client.widgets.lines import text_of
from dicegames_protocol.codec import encode
from dicegames_protocol.messages.review import GameReview, ReviewedMove, ReviewedPlayer
from support.node import needs_node, run
from support.reviews import a_review

pytestmark = needs_node

FIGURES = """
import { accuracy, average, change, costliest, explained, percent } from "./screens/review.js";
const { shares, parts, players, moves, reviews } = given;
console.log(JSON.stringify([shares.map(percent), parts.map(change), players.map(accuracy), players.map(average),
  moves.map(explained), reviews.map(costliest)]));
"""
SHOWN = """
import { review, shown } from "./screens/review.js";
const told = (node) => typeof node === "object" ? node.children.map(told).join("|") : `${node}`;
console.log(JSON.stringify(given.map((found) => shown(found) && told(review(found, ["ana"])))));
"""


def as_json(value: Any) -> Any:
    return json.loads(encode(value))


def test_the_figures_are_those_of_the_terminal() -> None:
    rng = random.Random(1)
    shares = [0.0, 1.0, 0.00001, 0.004, 0.996, 0.99999, *(rng.random() for _ in range(300))]
    parts = [0.0, 0.0004, -0.0004, 0.0006, *(rng.uniform(-0.2, 0.2) for _ in range(300)), 1.5, -7.25]
    ana = a_review().players[0]
    players: list[ReviewedPlayer] = [ana.but(accuracy=None), ana.but(accuracy=1.0, lost=0.0), ana.but(accuracy=0.999)]
    for _ in range(100):
        figure = [rng.random() for _ in range(5)]
        players.append(ana.but(accuracy=figure[0], lost=figure[1], start=figure[2], given=figure[3], away=figure[4]))
    moves: list[ReviewedMove] = [*a_review().moves, a_review().moves[3].but(why="ends with a point.")]
    reviews = [a_review(), a_review().but(moves=())]
    known = {"players": as_json(players), "moves": as_json(moves), "reviews": as_json(reviews)}
    found = run(FIGURES, {"shares": shares, "parts": parts, **known})
    assert found[0] == [figures.percent(share) for share in shares]
    assert found[1] == [figures.change(part) for part in parts]
    assert found[2] == [figures.accuracy(player) for player in players]
    assert found[3] == [figures.with_average_dice(player) for player in players]
    assert found[4] == [figures.explained(move) for move in moves]
    told = [[text_of(line) for (line,) in costliest_lines(review, 500, 6)] for review in map(cleaned, reviews)]
    assert found[5] == told and len(told[0]) == 3 and not told[1]


def test_the_section_names_everybody() -> None:
    (text,) = run(SHOWN, [as_json(a_review())])
    for part in ("How well did you play?", "ana|94 %|-4.1 %|+36 %|64 %", "di (bot)|81 %", "di (bot), blunder -12 %"):
        assert part in text


@pytest.mark.parametrize("count", [1, 5000])
def test_a_long_review_is_cut(count: int) -> None:
    review = a_review()
    many: GameReview = review.but(players=review.players * count, curve=review.curve * count)
    (text,) = run(SHOWN, [as_json(many)])
    assert text.count("94 %") <= 20 and len(text) < 10_000


def test_nonsense_of_a_server_is_not_shown() -> None:
    good = as_json(a_review())
    bad: list[Any] = [None, 1, "x", [], {"players": [None]}, {**good, "players": [{"costliest": [0]}], "moves": [1]}]
    values: list[Any] = [None, "x", -1, 1e308, [], {}, True, [None], [[]], "\x1b[2J<img src=x>"]
    bad += [{**good, key: value} for key in good for value in values]
    bad += [{**good, "players": [{**good["players"][0], key: value}]} for key in good["players"][0] for value in values]
    bad += [{**good, "moves": [{**good["moves"][1], key: value}] * 4} for key in good["moves"][1] for value in values]
    for text in run(SHOWN, bad):
        assert text is None or ("NaN" not in text and "Infinity" not in text and len(text) < 5000)
