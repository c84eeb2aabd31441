"""What table the user wants to open: which game, under which names, with which options."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dicegames_client.base.command_line import CommandLine, HostFlags
from dicegames_client.base.errors import REFUSED, USAGE, ClientError
from dicegames_client.cli.hosting import check_table, table_wish
from dicegames_client.enter.asking import Asking
from dicegames_client.enter.new_table import NewTable
from dicegames_protocol.games import types_of

if TYPE_CHECKING:
    from dicegames_client.screens.screen_app import ScreenApp


class NotOpened(ClientError):
    """The server does not open the table as it was wanted."""


@dataclass(frozen=True, slots=True)
class Wish:
    game: str
    names: list[str]
    flags: HostFlags
    password: str | None
    table: NewTable | None = None
    """What the user has set when asked. None: nobody was asked."""


class Wishes:
    def __init__(
        self, asked: CommandLine, asking: Asking, screen_app: "ScreenApp | None", *, here: bool, in_lines: bool = False
    ) -> None:
        """`here`: the table is on this machine. `in_lines`: without a screen the user is asked for options, too, which
        would be one question more for scripts.
        """
        self._here = here
        self._asked = asked
        self._asking = asking
        self._screen_app = screen_app
        self._asks = (screen_app is not None or in_lines) and not _says_all(asked.host)

    async def first(self, game: str | None) -> Wish:
        """`game`: what was named. None: it is asked for, and so is what is special about the table."""
        known, names = game, None
        while True:
            game = await self._asking.which_game(known)
            types = types_of(game) if self._asked.practice else None
            flags = replace(self._asked.host, options=types.practice) if types else self._asked.host
            people = self._asking.people
            await check_table(flags, table_wish(flags, game, people), people, here=self._here)
            if names is None:
                names, password = await self._asking.names(), await self._asking.password()
            wish = Wish(game, names, flags, password)
            if known or not self._asks:
                return wish
            asked = await self._ask(wish, NewTable(game, len(names), {"password": password} if password else {}))
            if asked:
                return asked  # otherwise the user goes back to the games

    async def again(self, wish: Wish, refused: NotOpened) -> Wish:
        """What the user wants instead. Raises the refusal if nobody was asked what is wrong with the table."""
        if wish.table is None or refused.code not in (USAGE, REFUSED):
            raise refused
        return await self._ask(wish, wish.table.refused(refused.sentence)) or await self.first(None)

    async def _ask(self, wish: Wish, table: NewTable) -> Wish | None:
        ask = self._screen_app.ask_table if self._screen_app else self._asking.table
        wanted = await ask(table)
        if wanted is None:
            return None
        return replace(wish, flags=wanted.flags(wish.flags), password=wanted.password, table=wanted)


def _says_all(flags: HostFlags) -> bool:
    """Whether the command line says what is special about the table, so that nobody has to be asked."""
    asked = NewTable("").flags(flags)
    return flags.now or flags.no_bots or flags.fast_bots or flags.quiet_bots or replace(asked, game=flags.game) != flags
