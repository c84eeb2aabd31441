"""A recording of real play: ana and bo play Farkle with chosen dice, and the terminal of ana is drawn as it changes."""

from dataclasses import replace

from client.screens.scenes import in_glyphs
from dicegames_client.base.glyphs import UNICODE
from dicegames_client.screens.table.stage.interlude import MOMENT_SECONDS
from dicegames_client.screens.table.stage.tumble import FRAME_SECONDS, TUMBLE_SECONDS
from support.hall import Hall
from support.sitting import Sitting, begin, sit_down
from support.svg import drawn_row, film_of
from support.terminal import Terminal, terminal

ROLLS = ((1, 1, 2, 3, 4, 6), (5, 2, 2, 2), (3, 4, 4, 5, 6, 2), (2, 3, 3, 4, 6), (1, 5, 5, 5, 2, 2), (1, 5))
PLAY = (
    # Who, the key, and the seconds until the next one.
    (0, "r", 1.6),
    (0, "1", 0.6),
    (0, "1", 0.9),
    (0, "r", 1.8),
    (0, "a", 1.0),
    (0, "b", 2.2),
    (1, "r", 1.4),
    (1, "5", 0.5),
    (1, "r", 2.8),
    (0, "r", 1.8),
    (0, "a", 1.2),
    (0, "r", 2.0),
    (0, "a", 1.2),
    (0, "b", 3.0),
)
STEP_SECONDS = FRAME_SECONDS


async def recording() -> str:
    hall = Hall(*ROLLS)
    display = replace(in_glyphs(UNICODE), motion=True)
    table = await sit_down(hall, "farkle", "ana", "bo", display=display)
    await begin(table)
    frames: list[tuple[list[list[str]], float]] = []
    async with terminal(table[0].table, display=display, now=hall.clock.now) as seen:
        for who, key, seconds in PLAY:
            await table[who].press_at_once(key)
            for sitting in table:
                sitting.catch_up()
            await _watch(hall, table, seen, frames, seconds)
        return film_of(frames, seen.screen, "Farkle, recorded from play")


async def _watch(
    hall: Hall, table: list[Sitting], seen: Terminal, frames: list[tuple[list[list[str]], float]], seconds: float
) -> None:
    """Draw the terminal again and again for some seconds."""
    for _ in range(round(seconds / STEP_SECONDS)):
        await seen.painted()
        rows = [drawn_row(seen.screen, row) for row in range(seen.screen.lines)]
        if frames and frames[-1][0] == rows:
            frames[-1] = (rows, frames[-1][1] + STEP_SECONDS)
        else:
            frames.append((rows, STEP_SECONDS))
        hall.clock.advance(STEP_SECONDS)
        for sitting in table:
            sitting.table.stage.tick(sitting.now)


assert TUMBLE_SECONDS < 1.4 and MOMENT_SECONDS <= 2.2  # the pauses above are long enough for both
