"""`review`: how well everybody played a game of a log, as text."""

import asyncio
from collections.abc import Callable
from typing import TextIO

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.base.terminal.printing import columns_of, fit
from dicegames_client.enter.log_reviewer import LogReviewer
from dicegames_client.enter.logbook import read
from dicegames_client.review.review_text import MEANING, caveat, told_costliest, told_graph, told_table
from dicegames_protocol.codec import encode, to_ascii_json
from dicegames_protocol.messages.review import GameReview

PATIENCE_SECONDS = 1.0
"""Seconds after which a user is told how far it is, and again after each further ones."""
MOST_GRAPH_COLUMNS = 100


async def review_log(
    lines: list[bytes], number: int | None, out: TextIO, err: TextIO, glyphs: Glyphs, *, json: bool
) -> int:
    """Print the review of a game; without a number, of the last one. Raises ClientError."""
    reviewer = LogReviewer(read(lines))
    found = await _patiently(reviewer, number, lambda text: print(text, file=err, flush=True), shown=err.isatty())
    if json:
        print(to_ascii_json(encode(found)), file=out)
        return 0
    width = min(columns_of(out) - 1, MOST_GRAPH_COLUMNS) if out.isatty() else 79
    print("\n".join(fit(part, out) for part in told(found, width, glyphs)), file=out)
    return 0


def told(review: GameReview, width: int, glyphs: Glyphs) -> list[str]:
    """The whole review as text."""
    parts = [part for part in (review.summary, caveat(review)) if part]
    graph = told_graph(review, width, glyphs)
    return [
        f"{review.title}, room {review.room}, game {review.game_no}" + (f": {'. '.join(parts)}" if parts else ""),
        "",
        *told_table(review),
        "",
        *told_costliest(review),
        *(["", "The chance to win over the game, in percent:", *graph] if graph else []),
        "",
        *MEANING,
    ]


async def _patiently(
    reviewer: LogReviewer, number: int | None, tell: Callable[[str], None], *, shown: bool
) -> GameReview:
    """The review. `shown`: somebody sees how far it is."""
    task = asyncio.ensure_future(reviewer.review(number))
    try:
        while not task.done():
            await asyncio.wait((task,), timeout=PATIENCE_SECONDS)
            if shown and not task.done():
                tell(f"Reviewing the game: {reviewer.done:.0%} …")
        return task.result()
    finally:
        task.cancel()
