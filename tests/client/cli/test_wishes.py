"""What table is wanted: from the command line, or asked for, and asked for again if the server refuses it."""

from pathlib import Path
from typing import Any, cast

import pytest

from dicegames_client.base.command_line import CommandLine, HostFlags
from dicegames_client.base.errors import NETWORK, REFUSED, USAGE
from dicegames_client.cli.wishes import NotOpened, Wishes
from dicegames_client.enter.asking import Asking
from dicegames_client.enter.new_table import NewTable
from dicegames_protocol.games import keys
from support.asked import Asked
from support.home import remember_in

DOUBLES, FARKLE = keys().index("doubles"), keys().index("farkle")
GAMES = "Which game?"


class Forms:
    """A screen on which forms are filled in. None: the user goes back."""

    def __init__(self, *answers: dict[str, str] | None) -> None:
        self.shown: list[NewTable] = []
        self._answers = list(answers)

    async def ask_table(self, table: NewTable) -> NewTable | None:
        self.shown.append(table)
        answer = self._answers.pop(0)
        for name, text in (answer or {}).items():
            table = table.put(name, text)
        return None if answer is None else table


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember_in(tmp_path, monkeypatch)


def wishes(user: Asked, forms: Forms | None = None, *, in_lines: bool = False, **asked: Any) -> Wishes:
    line = CommandLine(command="host", **{"name": "ana", **asked})
    return Wishes(line, Asking(line, user), cast(Any, forms), here=True, in_lines=in_lines)


async def test_on_the_screen_a_form_follows_the_game() -> None:
    user, forms = Asked(str(FARKLE)), Forms({"target": "5000", "bots": "2", "password": "dice"})
    wish = await wishes(user, forms, players="ana,bo").first(None)
    assert forms.shown == [NewTable("farkle", people=2)]
    assert (wish.game, wish.names, wish.password) == ("farkle", ["ana", "bo"], "dice")
    assert wish.flags == HostFlags(game="farkle", options={"target": "5000"}, bots=2)


async def test_back_leads_to_the_games() -> None:
    user, forms = Asked(str(FARKLE), str(DOUBLES)), Forms(None, {})
    wish = await wishes(user, forms).first(None)
    assert user.heard == [GAMES, GAMES] and [table.game for table in forms.shown] == ["farkle", "doubles"]
    assert wish.game == "doubles"


async def test_a_password_that_was_given_stands_in_the_form(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("dice\n")
    forms = Forms({})
    wish = await wishes(Asked("0"), forms, password_file=str(tmp_path / "password")).first(None)
    assert forms.shown[0].password == wish.password == "dice"


@pytest.mark.parametrize(
    "flags",
    [
        {"bots": 1},
        {"now": True},
        {"seats": 2},
        {"private": True},
        {"no_bots": True},
        {"turn_limit": 5},
        {"level": "easy"},
    ],
    ids=str,
)
async def test_no_form_where_the_command_line_says_it(flags: dict[str, Any]) -> None:
    wish = await wishes(Asked("0"), Forms(), host=HostFlags(**flags)).first(None)
    assert wish.flags == HostFlags(**flags) and wish.table is None


async def test_no_form_for_a_game_that_was_named_or_for_practice() -> None:
    assert (await wishes(Asked(), Forms()).first("doubles")).table is None
    practice = HostFlags(now=True, private=True, bots=1)
    wish = await wishes(Asked(str(DOUBLES)), Forms(), host=practice, practice=True).first(None)
    assert wish.flags.options == {"rounds": 3} and wish.table is None


async def test_in_lines_it_is_one_question_for_who_began_with_questions() -> None:
    line = "Options (Enter for the usual ones, or such as: rounds=3 bots=1): "
    user = Asked(str(DOUBLES), "rounds=0", "rounds=5 level=easy bots=2")
    wish = await wishes(user, in_lines=True).first(None)
    assert user.heard == [GAMES, line, "rounds must be at least 1."]
    assert wish.flags == HostFlags(game="doubles", options={"rounds": "5"}, bots=2, level="easy")
    assert (await wishes(Asked(str(DOUBLES))).first(None)).table is None  # scripts answer no more than before


async def test_a_table_that_is_refused_is_asked_for_again() -> None:
    refused = NotOpened("Doubles has 1 to 1000 seats, not 2000.", USAGE)
    forms = Forms({"seats": "20", "rounds": "5"}, {"seats": "9"})
    asking = wishes(Asked(str(DOUBLES)), forms)
    wish = await asking.again(await asking.first(None), refused)
    assert forms.shown[1].row("seats").wrong == str(refused)
    assert wish.flags == HostFlags(game="doubles", options={"rounds": "5"}, seats=9)
    user = Asked(str(DOUBLES), "seats=20", "")
    asking = wishes(user, in_lines=True)
    wish = await asking.again(await asking.first(None), refused)
    assert user.heard[2] == str(refused) and wish.flags == HostFlags(game="doubles")


async def test_a_refusal_is_the_end_where_nobody_was_asked_or_the_network_failed() -> None:
    asking = wishes(Asked(str(DOUBLES)), Forms({}))
    wish = await asking.first(None)
    with pytest.raises(NotOpened):
        await asking.again(wish, NotOpened("Nobody there.", NETWORK))
    named = wishes(Asked(), Forms())
    with pytest.raises(NotOpened):
        await named.again(await named.first("doubles"), NotOpened("No.", REFUSED))
