"""The form for a new table, driven by keys: rows are changed and typed, and Enter opens the table as it is."""

from hypothesis import given
from hypothesis import strategies as st

from dicegames_client.base.glyphs import UNICODE
from dicegames_client.enter.new_table import NewTable
from dicegames_client.screens.forms.menu import CANCELLED
from dicegames_client.screens.forms.table_form import TableForm
from dicegames_client.screens.screen import Size
from dicegames_client.widgets.lines import text_of, width_of
from dicegames_protocol.games import keys
from support.terminal import KEYS, terminal


def form(game: str = "doubles", **typed: str) -> TableForm:
    return TableForm(NewTable(game, typed={name.replace("_", "-"): value for name, value in typed.items()}), UNICODE)


def press(screen: TableForm, *pressed: str) -> NewTable | str | None:
    for key in pressed:
        screen.press(key, 0.0)
    result: NewTable | str | None = screen.result
    return result


def text(screen: TableForm, columns: int = 80, rows: int = 24) -> str:
    size = Size(columns, rows)
    painted = [*screen.paint(size, 0.0), screen.footer(size, 0.0)]
    assert all(width_of(line) <= columns for line in painted)
    return "\n".join(text_of(line) for line in painted)


def test_who_wants_nothing_special_presses_enter() -> None:
    for key in ("enter", "s"):
        assert press(form(), key) == NewTable("doubles")
    for key in ("escape", "ctrl-c", "q"):
        assert press(form(), key) == CANCELLED


async def test_rows_are_chosen_changed_and_typed() -> None:
    screen = form()
    async with terminal(screen) as seen:
        await seen.painted()
        assert "> bots            0             bots that sit down at once (0 to 1,000)" in seen.text
        await seen.press("right", "right", "left")
        assert "> bots            1             usually 0" in seen.text
        await seen.press("down", "right", "down", "4", "2")
        assert "seats (Enter alone: enough): 42" in seen.text
        await seen.press("enter")
        assert "> seats           42            usually enough" in seen.text
        await seen.press("down", " ", "down", " ")
        await seen.type("Secret")
        assert "password (Enter alone: none): ******" in seen.text and "Secret" not in seen.text
        await seen.press("enter")
        assert "> password        ******        usually none" in seen.text
        for _ in range(3):
            await seen.press("down")
        await seen.press(" ")
        await seen.type("8-12")
        await seen.press("enter")
        assert "> rounds          8-12          usually 10" in seen.text
        await seen.press("down", "right", "right", "backspace", "up", "up", "right", "enter")
    wanted = screen.result
    assert isinstance(wanted, NewTable)
    assert wanted.typed == {
        "bots": "1",
        "level": "expert",
        "seats": "42",
        "public": "no",
        "password": "Secret",
        "rounds": "8-12",
        "dice": "entered",
    }


async def test_a_wrong_value_stays_in_the_line_to_be_put_right() -> None:
    screen = form()
    async with terminal(screen) as seen:
        await seen.press("9", *"999", "enter")
        assert "bots must be 0 to 1000." in seen.text and "bots (Enter alone: 0): 9999" in seen.text
        screen.edited(0.0)  # as the line does when its text is changed
        await seen.painted()
        assert "must be" not in seen.text
        await seen.press("backspace", "backspace", "enter")
        assert "> bots            99            usually 0" in seen.text
        await seen.press("7", *"777", "enter", "escape")
        await seen.until("must be", there=False)
        assert "> bots            99            usually 0" in seen.text
        assert screen.result is None


def test_a_table_with_something_wrong_is_not_opened() -> None:
    screen = form("farkle", bots="2", seats="2")
    assert "> bots            2             2 bots and you need 3 seats." in text(screen)
    assert press(screen, "down", "down", "enter") is None
    assert "> bots " in text(screen) and "This has to be put right before the table can be opened." in text(screen)
    assert "This has to be put right" not in text_after(screen, "left")
    assert isinstance(press(screen, "enter"), NewTable)


def text_after(screen: TableForm, *pressed: str) -> str:
    press(screen, *pressed)
    return text(screen)


def test_what_does_not_fit_together_is_mended_at_the_other_row() -> None:
    screen = form("farkle", four_and_pair="yes")
    assert "> four-and-pair   yes           four-and-pair needs points for three-pair…" in text(screen)
    assert "   four-and-pair needs points for three-pairs." in text(screen)
    assert "four-and-pair needs" not in text_after(screen, "up", "right")
    assert "> three-pairs     50 " in text(screen)


def test_a_refusal_stands_at_its_row_or_below() -> None:
    table = NewTable("double-or-nothing").put("seats", "5")
    screen = TableForm(table.refused("Double or Nothing has 2 seats, not 5."), UNICODE)
    assert "> seats           5             Double or Nothing has 2 seats, not 5." in text(screen)
    assert press(screen, "enter") is None
    assert press(screen, "backspace", "enter") == NewTable("double-or-nothing")
    other = TableForm(table.refused("This server takes no more rooms at the moment."), UNICODE)
    assert text(other).endswith(" This server takes no more rooms at the moment.")
    assert press(other, "enter") == table.refused("This server takes no more rooms at the moment.")


def test_letters_do_not_open_the_table_where_text_belongs() -> None:
    """Whoever types a password that begins with S must not find themselves at a table without one."""
    screen = form()
    press(screen, *["down"] * 4)
    for key in ("s", "q", "x"):
        assert "Space opens a line to type in; Enter opens the table." in text_after(screen, key)
        assert screen.result is None and screen.prompt is None
    press(screen, "right")
    assert screen.prompt is not None and screen.prompt.secret


def test_it_scrolls_in_a_small_window() -> None:
    screen = form("farkle")
    assert "three-farkles" not in text(screen, 60, 20) and "▼ more" in text(screen, 60, 20)
    press(screen, "up")
    assert "> three-farkles" in text(screen, 60, 20) and "▲ more" in text(screen, 60, 20)
    for _ in range(40):
        row = next(line for line in text(screen, 60, 20).splitlines() if line.strip().startswith(">"))
        assert row.split()[1] in text(screen, 60, 20).splitlines()[-6]  # the lines below say more about it
        press(screen, "down")


KEY = st.sampled_from([*KEYS, *"abcqsx0179 /?", "é", "名", "another key"])


@given(
    st.sampled_from(keys()), st.lists(st.one_of(st.tuples(st.just("key"), KEY), st.tuples(st.just("type"), st.text())))
)
def test_any_keys_and_any_text(game: str, steps: list[tuple[str, str]]) -> None:
    screen = form(game)
    for kind, what in steps:
        if screen.prompt is not None:
            screen.submit(what, 0.0) if kind == "type" else screen.cancel(0.0)
        elif kind == "key":
            screen.press(what, 0.0)
        screen.paint(Size(80, 24), 0.0)
        if isinstance(screen.result, NewTable):
            assert not any(row.wrong for row in screen.result.rows)
            screen.result = None
