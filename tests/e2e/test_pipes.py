"""Two separate processes of `dicegames-client join --plain`, word for word through pipes."""

from pathlib import Path

import pytest

from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Create, Leave
from dicegames_protocol.messages.server import Joined
from support.process import Process

CLIENT = "dicegames_client"


async def test_double_or_nothing_between_two_processes(address: Address, tmp_path: Path) -> None:
    opener = Guest(address)
    await opener.open()
    options = {"first": "1"}
    joined = await opener.ask(Create(id="1", game="double-or-nothing", name="opener", options=options))
    assert isinstance(joined, Joined)
    where = f"{address.shown}/{joined.room}"
    bo = await Process.start(CLIENT, "join", where, "--plain", "--name", "bo", state=tmp_path / "bo")
    await bo.until("'help' lists all commands.")
    await opener.ask(Leave(id="2"))
    await opener.close()
    await bo.until("You are the host now.")
    ana = await Process.start(CLIENT, "join", where, "--plain", "--name", "ana", state=tmp_path / "ana")
    await ana.until("'help' lists all commands.")
    await bo.type("ready")
    await ana.type("ready")
    question = "choose 'add' to add one or 'double' to double it:\n"
    game = [("ana", "double", 2), ("bo", "add", 3), ("ana", "double", 6), ("bo", "Double", 12), ("ana", "ADD", 13)]
    processes = {"ana": ana, "bo": bo}
    for name, word, number in game:
        mover = processes[name]
        await mover.until(f"{name}, {question}")
        if number == 6:
            await mover.type("duoble")
            told = await mover.until(f"{name}, {question}")
            assert "'duoble' is not a move. Type 'add' or 'double'.\n" in told
            assert "Current number" not in told
            await mover.type("say hm")
            assert f"<{name}> hm\n" in await mover.until(f"{name}, {question}")
        await mover.type(word)
        chose = "double it" if word.lower() == "double" else "add one"
        for teller, process in processes.items():
            who = "You" if teller == name else name
            await process.until(f"{who} chose to {chose}. New number is {number}.\n")
    assert "Current number: 13\n" in await bo.until(f"bo, {question}")
    await bo.type("double")
    await bo.until("Double -> 26 loses at once. Type 'yes' if you mean it.\n")
    await bo.type("yes")
    await bo.until("You chose to double it. New number is 26.\nThe number exceeded 20!\nYou lose. ana wins the game!\n")
    await ana.until("bo chose to double it. New number is 26.\nThe number exceeded 20!\nbo loses. You win the game!\n")
    await ana.type("rematch")
    await bo.until("ana wants a rematch (1 of 2).")
    await bo.type("rematch")
    await bo.until(f"Current number: 1\nbo, {question}")  # ana began, now bo does
    ana.end_input()
    assert await ana.ended() == 0
    await bo.until("ana has left. A bot plays on.")
    await bo.type("quit")
    await bo.until("Type 'quit' again to leave; a bot plays on for you.")
    await bo.type("quit")
    assert await bo.ended() == 0
    assert "Traceback" not in ana.text + bo.text


async def test_the_family_score_card(tmp_path: Path) -> None:
    """`host doubles --dice entered --players ana,bo,cy`: the score card of the source document."""
    card = await Process.start(
        CLIENT,
        *["host", "doubles", "--dice", "entered", "--players", "ana,bo,cy", "--rounds", "1"],
        *["--host", "127.0.0.1", "--port", "0", "--window", "0"],
        state=tmp_path,
    )
    await card.until("'help' lists all commands.")
    await card.type("start")
    await card.until("ana, roll two dice and type them, such as 'roll 5 2':\n")
    await card.type("roll 3 9")
    await card.until("A die has the faces 1 to 6; 9 is none of them.")
    await card.type("roll 3")
    await card.until("Roll 2 dice and type their faces, such as 'roll 5 2'.")
    await card.type("roll 3 4")
    await card.until("ana rolls 3 and 4. Seven number 1. The pot is 75.")
    await card.until("bo, roll two dice")
    await card.type("ana correct 3 3")
    await card.until("Now: Round 1 of 1. The pot is 75. Then: Round 1 of 1. The pot is 300.")
    await card.until("Type 'yes' to accept it.")
    await card.type("yes")
    await card.until("ana corrects the last roll from 3 4 to 3 3.\nana rolls 3 and 3. DOUBLES on the first roll!")
    await card.type("cy cash")
    await card.until("cy cashes out 300. That makes 300.")
    await card.type("5 5")
    await card.until("bo rolls 5 and 5. DOUBLES! The pot is 600.")
    await card.type("bo, cash")
    await card.until("bo cashes out 600. That makes 600.")
    await card.type("ana cash")
    await card.until("The game is over. ana and bo share the win.")
    card.end_input()
    assert await card.ended() == 0
    assert "Traceback" not in card.text


@pytest.mark.parametrize(
    ("game", "lines"),
    [
        ("sevens", ["roll 1 1 1 1 1 1", "roll 6 6 6 6 6 6", "roll 1 2 4 6 3 3", "roll 1 1", "roll 6 6"]),
        ("farkle", ["roll 1 1 2 3 4 5", "keep 1 1", "roll 5 4 3 2", "bank"]),
    ],
)
async def test_real_dice_in_the_other_games(game: str, lines: list[str], tmp_path: Path) -> None:
    card = await Process.start(
        CLIENT,
        *["host", game, "--dice", "entered", "--players", "ana,bo", "--host", "127.0.0.1", "--port", "0", "--now"],
        state=tmp_path,
    )
    for line in lines:
        await card.type(line)
    await card.until("That makes 12." if game == "sevens" else "ana banks 250. That makes 250.")
    for _ in range(2):
        await card.type("quit")
    assert await card.ended() == 0
    assert "Traceback" not in card.text


async def test_rules_and_odds_can_be_read_in_lines(tmp_path: Path) -> None:
    """Whoever has no screen reads them too, at any time, and is asked again afterwards."""
    flags = ("--bots", "1", "--name", "ana", "--now", "--host", "127.0.0.1", "--port", "0", "--plain")
    ana = await Process.start(CLIENT, "host", "farkle", *flags, "--three-pairs", "1500", state=tmp_path)
    await ana.until("it is your turn: 'roll':\n")
    await ana.type("rules")
    told = await ana.until("it is your turn: 'roll':\n")
    assert "Rules: Farkle" in told and "three pairs: 1,500." in told
    await ana.type("odds")
    told = await ana.until("it is your turn: 'roll':\n")
    assert "Chances for you:\n" in told and "%, " in told
    await ana.type("help")
    assert "rules: the rules of this table" in await ana.until("it is your turn: 'roll':\n")
    ana.end_input()
    assert await ana.ended() == 0


@pytest.mark.parametrize("word", ["quit", "EXIT"])
async def test_every_question_can_be_left(word: str, tmp_path: Path) -> None:
    ana = await Process.start(CLIENT, "host", "--plain", "--host", "127.0.0.1", "--port", "0", state=tmp_path)
    await ana.until("1 to 4:\n")
    await ana.type("nonsense")
    await ana.until("Type a number from 1 to 4, or 'quit'.")
    await ana.type("1")
    await ana.until("Your name:\n")
    await ana.type(word)
    assert await ana.ended() == 0
    assert "You have left." in ana.text
