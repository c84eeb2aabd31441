"""What larger windows have room for, and what small ones must not cut without a word."""

import re
from dataclasses import replace

import pytest

from client.screens.scenes import SCENES, answer_panels, in_glyphs
from dicegames_client.base.glyphs import ASCII, UNICODE, Glyphs
from dicegames_client.guest.store import Store
from dicegames_client.screens.screen import Size
from dicegames_client.screens.table.painting.recap import ScoreSheet
from dicegames_client.widgets.lines import line, text_of, told_short
from dicegames_client.widgets.plot import Series, plot
from dicegames_client.widgets.scoreboard import Row, rounds_below
from dicegames_protocol.games import keys
from support.hall import Hall
from support.sitting import Sitting, begin, catch_up, sit_down


async def painted(name: str, size: Size, glyphs: Glyphs = UNICODE) -> list[str]:
    screen, now = await SCENES[name](in_glyphs(glyphs))
    await answer_panels(screen)
    return [text_of(one).rstrip() for one in screen.paint(size, now)]


def panel(lines: list[str], title: str) -> list[str]:
    """The text of a panel, line by line."""
    head = next(number for number, one in enumerate(lines) if f" {title} " in one)
    left = lines[head].rindex("╭", 0, lines[head].index(f" {title} "))
    right = lines[head].index("╮", left)
    inside: list[str] = []
    for one in lines[head + 1 :]:
        if one[left] == "╰":
            return inside
        inside.append(one[left + 1 : right].rstrip())
    raise AssertionError(f"{title} has no end")


def empty_rows(rows: list[str]) -> int:
    """How many rows at the end of a panel are empty."""
    return len(rows) - max((number for number, row in enumerate(rows, start=1) if row.strip()), default=0)


@pytest.mark.parametrize(("wide", "told"), [(9, "abcdefghi"), (6, "abcde…"), (12, "abcdefghi   ")])
def test_what_is_cut_is_marked(wide: int, told: str) -> None:
    assert text_of(told_short(line("abcdefghi"), wide, "…")) == told
    assert text_of(told_short(line("abc      "), 5, "…")) == "abc  ", "blanks may go without"


async def test_a_small_window_marks_what_it_cuts() -> None:
    lines = await painted("menu", Size(60, 20))
    assert any(one.endswith("…") for one in lines) and all(len(one) <= 60 for one in lines)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
async def test_the_number_has_the_same_height_at_both_players_moves(glyphs: Glyphs) -> None:
    table = await sit_down(Hall((1,)), "double-or-nothing", "ana", "bo", display=in_glyphs(glyphs))
    await begin(table)
    heights = []
    for number in range(4):
        catch_up(*table)
        for sitting in table:
            rows = sitting.lines()
            start = next(place for place, row in enumerate(rows) if "NUMBER" in row)
            heights.append(next(place for place, row in enumerate(rows[start:]) if not row.strip()))
        await table[number % 2].press("a")
    assert set(heights) == {3 if glyphs.unicode else 5}


async def test_the_pot_has_large_digits_where_rows_are_free() -> None:
    lines = await painted("doubles", Size(80, 24))
    assert "POT  █▀█ █▀█ █▀█   YOU ARE IN" in lines[1]
    assert "D O U B L E S !   400 → 800" in lines[4] and "SEVENS" in lines[5] and "bo rolled" in lines[6]
    assert "POT 800" in "\n".join(await painted("doubles", Size(60, 20)))


@pytest.mark.parametrize("name", ["farkle", "double-or-nothing", "sevens", "doubles"])
async def test_the_largest_window_shows_more_of_the_rules(name: str) -> None:
    lines = await painted(name, Size(200, 60))
    rules = panel(lines, "the rules in short")
    assert any("THE OPTIONS OF THIS TABLE" in row for row in rules)
    assert empty_rows(panel(lines, "keys")) == 0


@pytest.mark.parametrize("game", keys())
async def test_the_list_of_keys_says_what_the_keys_say(game: str) -> None:
    ana, bo = await sit_down(Hall(), game, "ana", "bo")
    await begin([ana, bo])
    turn = ana if ana.store.wanted() is not None else bo
    turn.text(200, 60)
    await turn.deliver()
    rows = panel(turn.lines(200, 60), "keys")
    assert not any("->" in row for row in rows)
    assert any(re.match(r" O +odds", row) for row in rows) == (game != "double-or-nothing")


SHEET = ScoreSheet(tuple({seat: 100 * (seat + 1) * number for seat in range(9)} for number in range(11)))


def rows_of(players: int) -> list[Row]:
    return [Row(f"player{n}", "1", "", style="you" if n == players - 1 else "", seat=n) for n in range(players)]


def test_the_score_sheet_has_a_line_for_each_round_the_oldest_go_first() -> None:
    told = [text_of(one) for one in rounds_below(rows_of(3), 40, 6, SHEET, UNICODE)]
    assert [row.split()[0] for row in told] == ["ROUND", "10", "9", "8", "7", "6"]
    assert told[1].split() == ["10", "100", "200", "300"] and all(len(row) <= 40 for row in told)


def test_you_are_on_the_sheet_whoever_else_is() -> None:
    told = [text_of(one) for one in rounds_below(rows_of(9), 40, 6, SHEET, UNICODE)]
    assert "900" in told[1].split() and len(told[1].split()) < 9 and all(len(row) <= 40 for row in told)


async def test_at_120_by_40_all_rounds_are_there() -> None:
    lines = await painted("recap", Size(120, 40))
    assert [row.split()[0] for row in panel(lines, "round by round")] == ["ROUND", "6", "5", "4", "3", "2", "1"]
    assert not any("round by round" in row for row in await painted("recap", Size(200, 60))), "there they are columns"


def test_a_plot_is_scaled_to_the_target_when_somebody_has_half_of_it() -> None:
    def told(most: int) -> list[str]:
        return [text_of(one) for one in plot([Series("ana", (0, most // 2, most))], 40, 8, UNICODE, 10_000)]

    early, late = told(1200), told(5000)
    assert "1,200" in early[0] and "10,000" not in "".join(early)
    assert "10,000" in late[0] and UNICODE.dot in late[0]


async def test_the_evening_is_told_in_the_waiting_room_and_after_a_rematch_was_asked_for() -> None:
    hall = Hall((1,))
    ana, bo = await sit_down(hall, "double-or-nothing", "ana", "bo", options={"start": 19})
    await begin([ana, bo])
    for game in (1, 2):
        await (ana if ana.store.wanted() is not None else bo).press("a")
        catch_up(ana, bo)
        tally = f"This evening, {game} game{'s' if game > 1 else ''}: "
        again = Sitting(hall, ana.peer)
        again.table.stage.shown = _in_the_waiting_room(ana.store)
        assert tally in again.text() and "ana won 1" in again.text()
        await ana.press("m")
        catch_up(ana, bo)
        for sitting in (ana, bo):
            sitting.table.stage.end_moment()
            assert (tally in sitting.text()) == (game > 1) and "1 of 2 want a rematch" in sitting.text()
        await bo.press("m")
        catch_up(ana, bo)


def _in_the_waiting_room(store: Store) -> Store:
    """The same room, as it is when too few were left for the next game."""
    table = {key: value for key, value in store.table.items() if key != "game"}
    return replace(store, table={**table, "room": {**table["room"], "phase": "waiting"}, "offers": {}})
