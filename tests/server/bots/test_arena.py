"""The arena: ties, bots from files, and what is wrong with them."""

import textwrap
from pathlib import Path

import pytest

from dicegames_protocol.codec import parse_object
from dicegames_server.__main__ import main
from dicegames_server.bots import expert_share
from dicegames_server.bots.arena.contestants import ArenaError, names_in
from dicegames_server.bots.arena.contests import Tally, check, interval, report, run, run_all, table
from dicegames_server.bots.arena.exploiting import exploit, exploitability, exploited, report_on, rivals_for

KEEPER = """
    from dicegames_protocol.table import Move
    from dicegames_server.bots.base import Patient


    class Keeper(Patient):
        def choose(self, match, seat):
            return Move(take="keep" if match.state.left else "roll")
"""


MOVE = 'Move(take="keep" if match.state.left else "roll")'


def written(folder: Path, text: str, name: str = "mine.py") -> str:
    path = folder / name
    path.write_text(textwrap.dedent(text).lstrip(), encoding="utf-8")
    return str(path)


def wrong(file: str, game: str = "sevens", games: int = 1) -> str:
    with pytest.raises(ArenaError) as error:
        run(game, [file, "easy"], {}, range(games), 1)
    said = str(error.value)
    assert "Traceback" not in said and "\n" not in said
    return said.replace(file.partition(".py")[0], "mine")


# How much is skill.


@pytest.mark.parametrize(
    ("game", "games"), [("double-or-nothing", 600), ("doubles", 60), ("farkle", 10), ("sevens", 300)]
)
def test_what_the_expert_wins_from_the_easy_bot_is_as_it_was_measured(game: str, games: int) -> None:
    """Ratings say after how many games they mean something. It follows from this."""
    tally = run(game, ["expert", "easy"], {}, range(games), seed=5)
    low, high = interval(tally.wins[0], games, z=4)
    assert low <= expert_share(game) <= high
    assert expert_share("a game that nobody has measured") == 0.75


# Ties.


def test_wins_ties_and_losses_are_told_apart() -> None:
    """Two who cash out at the same pot in one round share the win."""
    names = ["third-seven", "third-seven", "at-300"]
    tally = run("doubles", names, {"rounds": 1}, range(40), seed=2)
    assert tally.ties[0] == tally.ties[1] > 0
    for place in range(3):
        assert tally.outright(place) + tally.ties[place] + tally.losses[place] == 40
        assert tally.outright(place) <= tally.wins[place] <= tally.outright(place) + tally.ties[place] / 2
    assert sum(tally.wins) == pytest.approx(40)
    rows = table(names, tally)
    assert rows[0]["ties"] == tally.ties[0]
    assert rows[0]["share"] == pytest.approx(tally.wins[0] / 40, abs=1e-5)
    assert report(rows, tally)[0].split()[1:4] == ["wins", "ties", "losses"]


def test_parts_of_the_games_add_up() -> None:
    whole = Tally()
    for numbers in (range(10), range(10, 25)):
        whole.add(run("doubles", ["steady", "easy"], {"rounds": 1}, numbers, seed=2))
    once = run("doubles", ["steady", "easy"], {"rounds": 1}, range(25), seed=2)
    assert (whole.wins, whole.ties, whole.losses, whole.points) == (once.wins, once.ties, once.losses, once.points)


# Bots from files.


def test_names_of_files_stay_as_they_are() -> None:
    assert names_in("Expert, ./Mine.py:Bold ,,C:/Bots/a.PY") == ["expert", "./Mine.py:Bold", "C:/Bots/a.PY"]


def test_a_file_with_one_class_plays(tmp_path: Path) -> None:
    file = written(tmp_path, KEEPER)
    own = run("sevens", [file, "expert"], {}, range(30), seed=4)
    known = run("sevens", ["keeps-from-1", "expert"], {}, range(30), seed=4)
    assert (own.wins, own.points) == (known.wins, known.points)


def test_the_example_in_the_docs_plays(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "bots.md").read_text(encoding="utf-8")
    example = next(block for block in page.split("```python\n")[1:] if "class Mine" in block).partition("```")[0]
    own = run("sevens", [written(tmp_path, example), "easy"], {}, range(30), seed=4)
    known = run("sevens", ["keeps-from-10", "easy"], {}, range(30), seed=4)
    assert (own.wins, own.points) == (known.wins, known.points)


def test_a_file_with_several_bots(tmp_path: Path) -> None:
    text = (
        KEEPER
        + "\n    class Roller(Keeper):\n        def choose(self, match, seat):\n            return Move(take='roll')\n"
    )
    file = written(tmp_path, text)
    assert "has several bots. Say which one: mine.py:Keeper, mine.py:Roller." in wrong(file).replace(file, "mine.py")
    assert "There is no bot 'Rolle' in mine.py. Did you mean 'Roller'?" in wrong(f"{file}:Rolle")
    tally = run("sevens", [f"{file}:Keeper", f"{file}:Roller"], {}, range(40), seed=1)
    assert tally.wins[0] > tally.wins[1]


def test_a_file_with_strategies_gets_random_numbers_that_can_be_repeated(tmp_path: Path) -> None:
    text = """
        import random

        from dicegames_server.bots.sevens import Easy


        class Wild(Easy):
            def __init__(self, rng):
                assert isinstance(rng, random.Random)
                super().__init__(rng)


        def strategies(rng):
            return {"one": Wild(rng), "two": Wild(rng)}
    """
    file = written(tmp_path, text)
    names = [f"{file}:one", f"{file}:two"]
    assert run("sevens", names, {}, range(5), seed=9).points == run("sevens", names, {}, range(5), seed=9).points
    alone = written(tmp_path, text.partition("        def strategies")[0], "alone.py")
    assert run("sevens", [alone, "easy"], {}, range(5), seed=9).games == 5


def test_files_play_in_several_processes(tmp_path: Path) -> None:
    names = [written(tmp_path, KEEPER), "steady"]
    *_, spread = run_all("sevens", names, {}, 12, 3, jobs=2)
    *_, alone = run_all("sevens", names, {}, 12, 3, jobs=1)
    assert (spread.wins, spread.points) == (alone.wins, alone.points)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x = 1\n\nclass Mine(\n", "mine.py, line 3: '(' was never closed."),
        ("import nothing_of_it\n", "mine.py, line 1: ModuleNotFoundError: No module named 'nothing_of_it'."),
        ("x = 1\n", "mine.py has no bot: it has neither strategies(rng) nor a class with choose(match, seat)."),
        ("import sys\nsys.exit()\n", "mine.py, line 2: SystemExit."),
        ("def strategies(rng):\n    return []\n", "mine.py: strategies(rng) has to give names and bots, such as"),
        ("def strategies(rng):\n    return 1 / 0\n", "mine.py, line 2: ZeroDivisionError: division by zero."),
        ("def made():\n    return 1 / 0\n\ndef strategies(rng):\n    return made()\n", "mine.py, line 2: ZeroDivision"),
        ("def strategies(rng):\n    return {'a': 3}\n", "mine.py: the bot 'a' has no wakes()."),
        (
            "class Mine:\n    def choose(self, match, seat):\n        return None\n",
            "mine.py: the bot 'Mine' has no wakes(). docs/bots.md says what a bot needs.",
        ),
        (
            "class Mine:\n    def __init__(self):\n        raise OSError('\\x1b[2J no')\n    def choose(self): ...\n",
            "mine.py, line 3: OSError: [2J no.",
        ),
        (KEEPER.replace("match.state.left", "match.state.lefft"), "mine.py, line 7: AttributeError: "),
        (KEEPER.replace(MOVE, "'roll'"), "mine.py: choose() gave 'roll'."),
        (
            KEEPER.replace('"keep" if match.state.left else "roll"', '"bank"'),
            "mine.py: choose() gave a move that is not allowed. 'bank' is not a move now. You can: roll.",
        ),
        (KEEPER.replace(MOVE, "None"), "This game does not end: nobody moves."),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    assert wrong(written(tmp_path, text)).startswith(sentence)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert wrong(str(tmp_path / "mine.py")) == "There is no file mine.py."
    assert wrong(f"{tmp_path}.py:x").endswith(".py.")


def test_a_mistake_deep_inside_names_the_line_of_the_file(tmp_path: Path) -> None:
    text = "import random\n" + textwrap.dedent(KEEPER).replace("match.state.left", "random.choice([])")
    assert wrong(written(tmp_path, text)).startswith("mine.py, line 9: IndexError: ")


def test_a_mistake_in_another_process_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It comes up in the third turn only."""
    file = written(tmp_path, KEEPER.replace('"roll")', '"roll" if match.state.turn_no < 3 else 1 / 0)'))
    assert main(["arena", "sevens", "--seats", f"{file},easy", "--games", "4", "--jobs", "2"]) == 2
    said = capsys.readouterr()
    assert said.err == f"{file}, line 7: ZeroDivisionError: division by zero.\n"
    assert not said.out


# Exploiters.


def test_exploiters_play_against_the_bot() -> None:
    assert rivals_for("double-or-nothing", []) == ["perfect"]
    *_, results = exploit("double-or-nothing", "steady", ["perfect"], {}, 2, 40, 1, 1)
    (row,) = exploited(results)
    assert row["wins"] + row["losses"] == 40
    assert 0 < row["share"] == row["losses"] / 40 < 0.5
    assert row["low"] < row["share"] < row["high"]
    assert row["exploitability"] == pytest.approx(1 - 2 * row["share"])
    last = report_on("steady", 2, [row], results)[-1]
    assert last == f"exploitability: {1 - 2 * row['share']:.1%}".replace("%", " %") + (
        " (how much more than its fair share the best exploiter takes)"
    )


def test_the_best_exploiter_is_told_last_and_sits_alone() -> None:
    names = ["keeps-from-18", "expert", "third-roll"]
    *_, results = exploit("sevens", "easy", names, {"rounds": 2}, 3, 40, 1, 1)
    rows = exploited(results)
    assert [row["exploitability"] for row in rows] == sorted(row["exploitability"] for row in rows)
    assert rows[-1]["exploiter"] == "expert"
    for row in rows:
        assert row["games"] == 40
        assert row["ratio"] == pytest.approx(row["share"] * 3, abs=1e-4)
        assert 2 * row["share"] + (row["exploitability"] + 1) / 3 == pytest.approx(1, abs=1e-4)
        assert row["ratio_low"] <= row["ratio"] <= row["ratio_high"]
    assert exploitability(rows) == rows[-1]["exploitability"] > 0
    assert exploitability(rows[:1]) == 0  # rolling three times wins less than its fair share


def test_the_command_line_of_exploits(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked = ["arena", "sevens", "--exploit", "easy", "--games", "5", "--jobs", "1", "--option", "rounds=1"]
    assert main(asked) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("exploitability: ")
    assert main([*asked, "--players", "3", "--seats", f"steady,{written(tmp_path, KEEPER)}", "--json"]) == 0
    told = parse_object(capsys.readouterr().out)
    assert (told["bot"], told["players"], len(told["exploiters"])) == ("easy", 3, 2)
    assert main([*asked, "--csv"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.startswith("exploiter,games,wins,ties,losses,share") and len(rows) == len(rivals_for("sevens", []))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("yacht --exploit expert", "There is no game called 'yacht'."),
        ("sevens --exploit expert,steady", "--exploit takes one bot. Its rivals are named with --seats."),
        ("sevens --exploit ,", "There is no bot '' for sevens."),
        ("sevens --exploit expret", "There is no bot 'expret' for sevens. Did you mean 'expert'?"),
        ("sevens --exploit expert --seats nobody", "There is no bot 'nobody' for sevens."),
        ("sevens --exploit expert --players 1", "--players must be 2 to 1000."),
        ("double-or-nothing --exploit expert --players 3", "Double or Nothing is for 2 players; here are 3."),
        ("sevens --players 3", "--players goes with --exploit. Without it, --seats says who plays."),
        ("sevens --exploit expert --games 0", "--games must be at least 1."),
    ],
)
def test_what_can_not_be_exploited(arguments: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arena", *arguments.split()]) == 2
    assert capsys.readouterr().err.startswith(sentence)


def test_names_of_exploiters_do_not_hide_others() -> None:
    for game in ("sevens", "farkle", "double-or-nothing"):
        levels = ["easy", "steady", "expert"]
        assert not set(rivals_for(game, [])) & set(levels)
        many = 2 if game == "double-or-nothing" else 3
        assert check(game, levels[:many], {}).key == game
