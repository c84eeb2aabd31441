"""Whole games as text: the moves and the wording that followed, to be read in review.

A line `> ana roll [5 2]` is a move (with its dice); everything else is what line mode says to a spectator. After an
intended change, `DICEGAMES_GOLDEN=write pytest tests/server/games/test_golden.py` writes the files again.
"""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from dicegames_client.guest.store import Store
from dicegames_client.lines.telling import tell_event
from dicegames_client.play.parse_move import Pick, parse_move
from dicegames_client.play.wording import Wording
from dicegames_protocol import patch
from dicegames_protocol.games import keys
from dicegames_protocol.messages.client import MakeMove, Start
from dicegames_server.games.base import Faces
from dicegames_server.table.commands import decide, take_seat
from dicegames_server.table.create_room import open_room
from dicegames_server.table.play import time_up
from dicegames_server.table.state import Change
from support.dice import ScriptedDice

FILES = sorted((Path(__file__).parents[2] / "golden").glob("*.txt"))
MOVE = re.compile(r"> (?P<who>\S+)(?: (?P<typed>[^\[]*?))?\s*(?:\[(?P<faces>[\d ]+)\])?")


class Told:
    """A game whose wording is recorded as it is played."""

    def __init__(self, game: str, options: dict[str, Any], players: list[str]) -> None:
        opened = open_room("KQ7M", game, options, len(players), public=True, locked=False, turn_limit=0)
        self.state = opened.state
        self.players = players
        self.picked: str | None = None
        for name in players:
            self.state = take_seat(self.state, name, name)[0].state

    def do(self, who: str, typed: str, faces: Faces) -> list[str]:
        dice = ScriptedDice(*([faces] if faces else []))
        if who == "start":
            return self._tell(decide(self.state, 0, Start(id="1"), dice))
        if who == "time":
            return self._tell(time_up(self.state, dice))
        seat = self.players.index(who)
        found = parse_move(typed, self._store().offers(seat), self.picked)
        if isinstance(found, Pick):
            self.picked = found.choice
            return [found.sentence]
        self.picked = None
        return self._tell(decide(self.state, seat, MakeMove(id="1", seq=self.state.seq, move=found), dice))

    def _store(self) -> Store:
        return Store(table=patch.dump(self.state.public()))

    def _tell(self, change: Change) -> list[str]:
        self.state = change.state
        wording = Wording(self._store())
        return [line for event in patch.dump(change.events) for line in tell_event(event, wording)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_golden_game(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    head = dict(line[2:].split(": ", 1) for line in text.splitlines() if line.startswith("# "))
    options = dict(pair.split("=", 1) for pair in head.get("options", "").split())
    game = Told(head["game"], options, head["players"].split(", "))
    written = [line for line in text.splitlines() if line.startswith("#")] + [""]
    for line in text.splitlines():
        if found := MOVE.fullmatch(line):
            faces = tuple(int(face) for face in (found["faces"] or "").split())
            written += [line, *game.do(found["who"], found["typed"] or "", faces)]
    wording = "\n".join(written) + "\n"
    if os.environ.get("DICEGAMES_GOLDEN") == "write":
        file.write_text(wording, encoding="utf-8")
        text = wording
    assert wording == text
    assert game.state.info.phase == "over"


def test_there_is_a_golden_game_for_every_game() -> None:
    told = {line for file in FILES for line in file.read_text().splitlines() if line.startswith("# game: ")}
    assert told == {f"# game: {key}" for key in keys()}
