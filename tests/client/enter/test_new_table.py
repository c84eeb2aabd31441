"""What is set about a new table: each row with its value, what is wrong with it, and the flags that it becomes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_client.base.command_line import HostFlags
from dicegames_client.cli.hosting import table_wish
from dicegames_client.enter.new_table import NewTable
from dicegames_protocol.games import keys, types_of
from dicegames_protocol.messages.server import Error
from support.hall import Hall


def values(table: NewTable, *names: str) -> list[str]:
    return [table.row(name).value for name in names]


def wrong(table: NewTable) -> dict[str, str]:
    return {row.name: row.wrong for row in table.rows if row.wrong}


@pytest.mark.parametrize("game", keys())
def test_every_option_has_a_row_with_its_usual_value(game: str) -> None:
    types, table = types_of(game), NewTable(game)
    assert types
    flags = [types.options.flag(name) for name in types.options.model_fields]
    assert [row.name for row in table.rows] == ["bots", "level", "seats", "public", "password", "turn-limit", *flags]
    assert not any(row.changed or row.wrong for row in table.rows)
    assert table.flags(HostFlags()) == HostFlags(game=game)
    for row in table.rows:
        assert row.name == "password" or (row.about and row.value == row.usual)


def test_what_is_changed_becomes_flags() -> None:
    table = NewTable("farkle")
    for name, text in (
        ("bots", "2"),
        ("level", "easy"),
        ("seats", "4"),
        ("public", "no"),
        ("password", "Dice"),
        ("turn-limit", "30"),
        ("target", "5000"),
        ("four-and-pair", "no"),  # as it is
        ("values", "111=300"),
    ):
        table = table.put(name, text)
    assert not wrong(table)
    flags = table.flags(HostFlags(port=1))
    assert flags == HostFlags(
        game="farkle",
        options={"target": "5000", "values": "111=300"},
        bots=2,
        level="easy",
        seats=4,
        private=True,
        turn_limit=30,
        port=1,
    )
    assert table.password == "Dice"
    assert table.put("values", "").flags(HostFlags()).options == {"target": "5000"}


def test_a_preset_fills_in_the_other_rows_as_the_server_does() -> None:
    table = NewTable("farkle").put("opening", "100").put("preset", "boxed")
    names = ("table", "values", "straight", "four-and-pair", "opening", "target")
    assert values(table, *names) == ["set-value", "111=300", "1,500", "yes", "100", "10,000"]
    assert [row.name for row in table.rows if row.changed] == ["preset", "opening"]
    without = table.put("straight", "0")
    assert without.row("straight").changed and without.typed["straight"] == "0"
    assert "straight" not in without.put("straight", "1500").typed
    types = types_of("farkle")
    assert types and types.options.read(without.flags(HostFlags()).options).model_dump()["straight"] == 0


def test_what_is_wrong_stands_at_its_row_until_it_is_mended() -> None:
    table = NewTable("doubles").put("rounds", "zero").put("window", "-1").put("seats", "0").put("level", "wild")
    assert wrong(table) == {
        "rounds": "rounds must be a whole number, or a range such as 8-12.",
        "window": "window must be at least 0.",
        "seats": "seats must be 1 to 1000.",
        "level": "level must be easy, steady or expert.",
    }
    table = table.put("next-round", "rotate")
    assert values(table, "rounds", "window", "next-round") == ["zero", "-1", "rotate"]
    assert set(wrong(table.put("rounds", "8-12").put("seats", "3"))) == {"window", "level"}


def test_options_that_do_not_fit_together_are_mended_at_either_row() -> None:
    table = NewTable("farkle").put("four-and-pair", "yes")
    assert wrong(table) == {"four-and-pair": "four-and-pair needs points for three-pairs."}
    assert not wrong(table.put("four-and-pair", "no"))
    mended = table.put("three-pairs", "1500")
    assert not wrong(mended) and values(mended, "four-and-pair", "three-pairs") == ["yes", "1,500"]


@pytest.mark.parametrize(("people", "who"), [(1, "you"), (2, "2 players")])
def test_bots_need_seats(people: int, who: str) -> None:
    table = NewTable("doubles", people).put("bots", "3").put("seats", "3")
    assert wrong(table) == {"bots": f"3 bots and {who} need {3 + people} seats."}
    assert not wrong(table.put("seats", str(3 + people)))
    assert not wrong(table.put("seats", ""))  # then there are enough


def test_left_and_right() -> None:
    table = NewTable("farkle")
    assert values(table.step("bots", 1).step("bots", 1).step("bots", -1), "bots") == ["1"]
    assert table.step("bots", -1) == table  # there are no fewer
    assert values(table.step("seats", 1), "seats") == ["9"]
    assert values(table.step("level", 1), "level") == ["expert"]
    assert values(table.step("public", -1).step("public", -1), "public") == ["yes"]
    assert values(table.step("target", 1), "target") == ["10,500"]
    assert values(table.put("target", "1000").step("target", -1), "target") == ["950"]
    assert values(table.step("opening", 1), "opening") == ["50"]
    assert table.step("password", 1) == table.step("values", -1) == table
    assert values(table.put("level", "wild").step("level", 1), "level") == ["easy"]
    series = NewTable("double-or-nothing").step("best-of", 1)
    assert values(series, "best-of") == ["3"]  # 2 is not allowed
    assert values(NewTable("doubles").put("rounds", "8-12").step("rounds", 1), "rounds") == ["8-12"]


def test_a_refusal_of_the_server_stands_where_it_belongs_until_something_is_changed() -> None:
    table = NewTable("double-or-nothing").put("seats", "5").refused("Double or Nothing has 2 seats, not 5.")
    assert wrong(table) == {"seats": "Double or Nothing has 2 seats, not 5."} and table.said == ""
    assert not wrong(table.put("target", "30"))
    full = table.refused("Room KQ7M is full (2 of 2). Is that too many --bots, or too few --seats?")
    assert wrong(full) == {"bots": "Room KQ7M is full (2 of 2). Is that too many bots, or too few seats?"}
    other = table.refused("This server takes no more rooms at the moment.")
    assert not wrong(other) and other.said == "This server takes no more rooms at the moment."


def test_a_line_of_options() -> None:
    table = NewTable("sevens", typed={"password": "dice"})
    assert table.example == "rounds=3 bots=1"
    assert table.read("") == table
    read = table.read(" rounds=3  bots=2 public=no")
    assert read.typed == {"password": "dice", "rounds": "3", "bots": "2", "public": "no"}
    for line, sentence in (
        ("round=3", "There is no option 'round' here. The options are: bots, level, seats, public, password,"),
        ("rounds", "Type for example: rounds=3 bots=1"),
        ("rounds=3 bots=many", "bots must be 0 to 1000."),
        ("rounds=0", "rounds must be at least 1."),
    ):
        with pytest.raises(ValueError, match=sentence):
            table.read(line)


ANY_NAME = st.sampled_from([row.name for game in keys() for row in NewTable(game).rows])
ANY_VALUE = st.one_of(
    st.sampled_from(["", "0", "2", "999", "yes", "no", "8-12", "boxed", "enough", "1" * 30]), st.text()
)


@given(st.sampled_from(keys()), st.lists(st.tuples(ANY_NAME, st.one_of(ANY_VALUE, st.sampled_from([1, -1])))))
async def test_whatever_has_no_fault_here_is_known_to_the_server(
    game: str, changes: list[tuple[str, str | int]]
) -> None:
    """The server may still refuse it: for its seats, its bots, or options that take too long to check."""
    table = NewTable(game)
    for name, change in changes:
        if name in [row.name for row in table.rows]:
            table = table.step(name, change) if isinstance(change, int) else table.put(name, change)
    if wrong(table):
        return
    create = table_wish(table.flags(HostFlags()), game, 1).but(name="ana", password=table.password)
    answer = await (await Hall().peer()).ask(create)
    assert not isinstance(answer, Error) or "seats, not" in answer.message or "real dice" in answer.message, answer
