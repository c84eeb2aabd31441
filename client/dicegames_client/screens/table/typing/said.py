"""What a typed line does at the table: it is said to all, or it is a command, carried out here or on the server."""

from collections.abc import Callable

from dicegames_client.guest.events import NO_CONNECTION, NOT_YET
from dicegames_client.play.picking import key_of
from dicegames_client.play.real_dice import MENDING
from dicegames_client.play.typed_commands import Unclear
from dicegames_client.screens.screen import Prompt
from dicegames_client.screens.table.keys.browsing import Browsing
from dicegames_client.screens.table.keys.game_keys import GameKeys
from dicegames_client.screens.table.stage.stage import Stage
from dicegames_client.screens.table.typing.open_line import OpenLine
from dicegames_client.screens.table.typing.talk_line import meaning
from dicegames_protocol.messages.client import Chat, MakeMove, Request

TALK_KEYS = ("t", "/")


class Saying:
    def __init__(
        self,
        stage: Stage,
        line: OpenLine,
        browsing: Browsing,
        playing: GameKeys,
        *,
        send: Callable[[Request], None],
        save: Callable[[], None],
        leave: Callable[[float], None],
        new_id: Callable[[], str],
    ) -> None:
        self._stage, self._line, self._browsing, self._playing = stage, line, browsing, playing
        self._send, self._save, self._leave, self._new_id = send, save, leave, new_id

    def open(self, key: str) -> None:
        """Open the line. A line that was opened as a command stays one, whatever becomes of its slash."""
        if key == "/":
            self._line.open(Prompt("Command: ", text="/", history="talk", command=True), self._command)
        else:
            self._line.open(Prompt("Say: ", history="talk", slash="Command: "), self._said)

    def check_connection(self) -> None:
        if self._stage.lost_at is not None or self._stage.ended:
            raise Unclear(NO_CONNECTION)

    def _command(self, text: str, now: float) -> None:
        self._said(text if text.startswith("/") else f"/{text}", now)

    def _said(self, text: str, now: float) -> None:
        selection = self._playing.selection
        parsed = meaning(text, self._stage.shown, self._playing.seat, key_of(selection.picked), self._new_id)
        if parsed.requests or parsed.local in ("odds", "rules", "help", "review"):
            self.check_connection()
        if self._stage.sent and any(isinstance(request, MakeMove) for request in parsed.requests):
            raise Unclear(NOT_YET)
        if parsed.local:
            self._do_here(parsed.local, parsed.rest, now)
        elif parsed.pick:
            selection.pick(parsed.pick[0], parsed.pick[1].choice)
        for request in parsed.requests:
            if isinstance(request, MakeMove) and request.move.take in MENDING and request.seat is not None:
                self._playing.try_typed(request.seat, request.move)
                continue
            self._send(request)
            if text.startswith("/") and not isinstance(request, MakeMove):
                self._line.wait_for(request.id)
            if isinstance(request, Chat):
                self._stage.feed.follow()  # what you say yourself is to be seen

    def _do_here(self, command: str, rest: str, now: float) -> None:
        """A command that needs no answer of the server, or opens a page for it."""
        match command:
            case "quit":
                self._leave(now)
            case "save":
                self._save()
            case _:
                self._browsing.typed(command, rest, now)
