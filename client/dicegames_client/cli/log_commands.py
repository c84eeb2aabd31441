"""`save`, `replay`, `verify` and `review`: what is done with the log of a room."""

from typing import TYPE_CHECKING

from dicegames_client.base.command_line import CommandLine
from dicegames_client.base.errors import USAGE, ClientError
from dicegames_client.base.terminal.display_options import display_options_of
from dicegames_client.base.terminal.terminal import Terminal
from dicegames_client.enter import logbook
from dicegames_client.enter.prompter import Prompter
from dicegames_client.enter.saving import save
from dicegames_client.lines import log_lines
from dicegames_client.lines.review_lines import review_log

if TYPE_CHECKING:
    from dicegames_client.screens.screen_app import ScreenApp


async def run_log(
    asked: CommandLine, terminal: Terminal, prompter: Prompter, screen: "ScreenApp | None", password: str | None
) -> int:
    """Fetch the log that is meant, and do with it what was asked. Returns the exit code. Raises ClientError."""
    speed = asked.speed
    if not 0 <= speed <= 1000:
        raise ClientError("--speed must be 0 (all at once) to 1000 updates per second.", USAGE)
    if asked.game_no is not None and asked.game_no < 1:
        raise ClientError("--game must be the number of a game: 1 is the first one of the room.", USAGE)
    others = [(name, logbook.lines_of(name)) for name in asked.witnesses or ()]
    found = await logbook.fetch(asked.source, password, prompter, asked.command)
    if asked.command == "verify":
        return log_lines.verify(found.lines, others, found.register, terminal.out, found.place)
    if asked.command == "review":
        glyphs = display_options_of(asked, terminal).glyphs
        return await review_log(found.lines, asked.game_no, terminal.out, terminal.err, glyphs, json=asked.json)
    if asked.command == "save":
        logbook.read(found.lines)  # raises ClientError where it is no log
        return save(found.lines, found.name, asked.file, terminal.out, force=asked.force)
    if screen:
        return await screen.replay(found.lines, speed or 1.0, asked.round)
    return await log_lines.replay(
        found.lines, terminal.keyboard, terminal.out, speed=speed, step=asked.step, start=asked.round
    )
