"""Reviews of games that nobody has played, for the pictures that are drawn of them."""

from hypothesis import strategies as st

from dicegames_protocol.messages.review import CurvePoint, GameReview, ReviewedMove, ReviewedPlayer


def a_review(game: str = "farkle", number: int = 1, points: int = 24) -> GameReview:
    """ana has won against a bot, with luck and with fewer mistakes."""
    ana = ReviewedPlayer(
        seat=0, name="ana", start=0.5, end=1.0, lost=0.041, away=0.0, given=0.18, luck=0.361, accuracy=0.94,
        decisions=12, slips=1, mistakes=0, blunders=0, costliest=(1,),
    )  # fmt: skip
    di = ReviewedPlayer(
        seat=1, name="di", bot="steady", start=0.5, end=0.0, lost=0.18, away=0.0, given=0.041, luck=-0.361,
        accuracy=0.81, decisions=11, slips=0, mistakes=1, blunders=1, costliest=(2, 3),
    )  # fmt: skip
    moves = (
        ReviewedMove(seq=8, seat=0, mark="best", cost=0.0, chance=0.55, took="rolling", best="rolling"),
        ReviewedMove(
            seq=9, seat=0, mark="slip", cost=0.041, chance=0.56, took="rolling 1 die", best="banking 300",
            why="rolling 1 die wins 52 %, banking 300 56 %",
        ),
        ReviewedMove(
            seq=12, seat=1, mark="blunder", cost=0.12, chance=0.43, took="banking 350", best="rolling 3 dice",
            why="Banking 350 wins 31 %, rolling 3 dice 43 %.",
        ),
        ReviewedMove(
            seq=20, seat=1, mark="mistake", cost=0.06, chance=0.3, took="banking 50", best="rolling 5 dice",
        ),
    )  # fmt: skip
    up = [0.5 + 0.45 * n / max(1, points - 1) for n in range(points - 1)] + [1.0]
    curve = tuple(CurvePoint(seq=n, chances=(chance, 1 - chance)) for n, chance in enumerate(up, start=5))
    return GameReview(
        room="KQ7M", game=game, title="Farkle", summary="to 10,000", game_no=number, exact=False,
        players=(ana, di), moves=moves, curve=curve,
    )  # fmt: skip


_FLOATS = st.floats() | st.sampled_from([1e308, -1e308, float("nan"), float("inf"), 5e-324])
_TEXTS = st.sampled_from(["", "ana", "\x1b[2J\x1b]0;x\x07", "\x9b31m\u202ex", "x\ny\r" * 500, "🎲" * 400, "a" * 9999])
_NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.integers(-2, 5)


def evil_reviews() -> st.SearchStrategy[GameReview]:
    """What a hostile server may send: all of it has the right shape."""
    player = st.builds(
        ReviewedPlayer, seat=_NUMBERS, name=_TEXTS, bot=st.none() | _TEXTS, start=_FLOATS, end=_FLOATS, lost=_FLOATS,
        away=_FLOATS, given=_FLOATS, luck=_FLOATS, accuracy=st.none() | _FLOATS, decisions=_NUMBERS, slips=_NUMBERS,
        mistakes=_NUMBERS, blunders=_NUMBERS, costliest=st.lists(_NUMBERS, max_size=6).map(tuple),
    )  # fmt: skip
    move = st.builds(
        ReviewedMove, seq=_NUMBERS, seat=_NUMBERS, cost=_FLOATS, chance=_FLOATS, took=_TEXTS, best=_TEXTS,
        why=st.none() | _TEXTS,
    )  # fmt: skip
    point = st.builds(CurvePoint, seq=_NUMBERS, chances=st.lists(_FLOATS, max_size=3).map(tuple))
    return st.builds(
        GameReview, room=_TEXTS, game=_TEXTS, title=_TEXTS, summary=_TEXTS, game_no=_NUMBERS, exact=st.booleans(),
        players=st.lists(player, max_size=3).map(tuple), moves=st.lists(move, max_size=5).map(tuple),
        curve=st.lists(point, max_size=6).map(tuple), left_out=_NUMBERS,
    )  # fmt: skip
