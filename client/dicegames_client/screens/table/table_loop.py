"""Connects a guest with the table screen: news in, messages out, and how long an answer takes."""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Sequence

from dicegames_client.base.errors import ClientError
from dicegames_client.base.state.saved_hints import remember_understood, understood_hints
from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.enter.invitation import Invitation
from dicegames_client.enter.logbook import log_page
from dicegames_client.enter.saving import save_table
from dicegames_client.guest.events import News
from dicegames_client.guest.guest import Guest
from dicegames_client.screens.table.adviser import Adviser
from dicegames_client.screens.table.outcome import Outcome
from dicegames_client.screens.table.stage.past import Past
from dicegames_client.screens.table.table_screen import TableScreen
from dicegames_client.screens.terminal.shell import Shell
from dicegames_client.widgets.feed import WARNING
from dicegames_protocol.codec import BadMessage, decode_update
from dicegames_protocol.messages.client import Ping, Request
from dicegames_protocol.messages.server import Joined

log = logging.getLogger("dicegames.table")
UPDATES_AT_ONCE = 50
"""Updates of a log that are read before others get their turn."""
PING_SECONDS = 5.0
"""Seconds between two pings."""


class TableLoop:
    def __init__(
        self,
        shell: Shell,
        guest: Guest,
        display: DisplayOptions,
        *,
        invited: Invitation | None = None,
        hosting: bool = False,
        name: str = "",
        said: Sequence[str] = (),
        on_seat: Callable[[Joined], None] = lambda joined: None,
        practice: bool = False,
    ) -> None:
        self._shell = shell
        self._guest = guest
        self._on_seat = on_seat
        self._outbox: asyncio.Queue[Request] = asyncio.Queue()
        self._wants_file = asyncio.Event()
        self._needs_log = asyncio.Event()
        self.table = TableScreen(
            guest.store,
            send=self._outbox.put_nowait,
            new_id=guest.new_id,
            now=shell.now,
            display=display,
            invited=invited,
            hosting=hosting,
            hold_seconds=lambda: guest.hold_seconds,
            name=name,
            adviser=Adviser(understood_hints(), remember_understood, hints=display.hints, practice=practice),
            save=self._wants_file.set,
        )
        for sentence in said:
            self.table.stage.say(sentence, shell.now)
            self.table.stage.feed.add(sentence, mark=WARNING)

    async def run(self, *opening: Request) -> Outcome:
        """Run until the user leaves. An error in one of the tasks ends it and is raised."""
        for message in opening:
            self._outbox.put_nowait(message)
        try:
            async with asyncio.TaskGroup() as group:
                work = (self._hear(), self._speak(), self._measure(), self._save(), self._read_logs())
                tasks = [group.create_task(task) for task in work]
                outcome: Outcome = await self._shell.show(self.table)
                for task in tasks:
                    task.cancel()
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return outcome

    async def _hear(self) -> None:
        async for heard in self._guest.news():
            if isinstance(heard, News) and isinstance(heard.message, Joined):
                self._on_seat(heard.message)
            try:
                self.table.hear(heard, self._shell.now)
            except Exception as error:  # the player is told; a dead table that looks alive would be worse
                log.exception("something can't be shown")
                told = f"Something that happened can't be shown here ({type(error).__name__})."
                self.table.stage.say(told, self._shell.now)
            if self.table.stage.gaps.wanted:
                self._needs_log.set()
            self._shell.changed()

    async def _speak(self) -> None:
        while True:
            request = await self._outbox.get()
            try:
                await self._guest.send(request)
            except ClientError as error:
                self.table.failed(request.id, error.sentence, self._shell.now)
                self._shell.changed()

    async def _save(self) -> None:
        """Save the log whenever the user wants it, one file at a time."""
        while True:
            await self._wants_file.wait()
            try:
                told, style = await save_table(self._guest), "notice"
                self.table.stage.feed.add(told)
            except ClientError as error:
                told, style = error.sentence, "bad"
            self._wants_file.clear()
            self.table.stage.say(told, self._shell.now, style)
            self._shell.changed()

    async def _measure(self) -> None:
        """Measure how long an answer takes, every PING_SECONDS."""
        while True:
            with contextlib.suppress(ClientError):
                since = self.table.stage.asked_at = self._shell.now
                try:
                    await self._guest.try_ask(Ping(id=self._guest.new_id()))
                    self.table.stage.latency_ms = round((self._shell.now - since) * 1000)
                finally:
                    self.table.stage.asked_at = None  # answered, or the connection is gone
                self._shell.changed()
            await asyncio.sleep(PING_SECONDS)

    async def _read_logs(self) -> None:
        """Read what happened before we came, whenever the recap or the feed needs it."""
        while True:
            if self.table.stage.gaps.wanted:
                with contextlib.suppress(ClientError, BadMessage):
                    await self._read_log()
                self.table.stage.gaps.drop()
                self._shell.changed()
            self._needs_log.clear()
            await self._needs_log.wait()

    async def _read_log(self) -> None:
        """Read the log page by page, as far as what is shown. The game goes on meanwhile."""
        stage, room = self.table.stage, self._guest.store.room
        past, lines, fetched = Past(stage.shown.tokens), deque[bytes](), 0
        while room and past.seq < stage.shown.seq:
            if not lines:
                page = await log_page(self._guest, room, fetched)
                if not page:
                    return
                lines.extend(page)
                fetched += len(page)
            past.read(decode_update(lines.popleft()))
            if past.seq % UPDATES_AT_ONCE == 0:
                await asyncio.sleep(0)
        stage.take_past(past)
