"""The screen of one user: one prompt_toolkit application for the whole run. It shows one screen at a time.

Only this package imports prompt_toolkit. The shell turns keys into names for the screen and paints what the screen
returns. It always restores the terminal, also after an exception in any task, SIGTERM or SIGHUP. What happens to the
terminal from outside it learns from the Terminal that it is handed; for users over ssh there are many in one process.

Two things are guaranteed here. Pasted text never acts as keys: it comes as one event, or, from terminals that do not
mark it, as many keys in one read. And no text from others reaches the terminal before it is cleaned of escape
sequences: every fragment passes cleaning.py.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from prompt_toolkit.application import Application, create_app_session
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.output import Output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import DynamicStyle

from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.base.terminal.terminal import LocalTerminal, Terminal
from dicegames_client.screens.screen import Screen, Size
from dicegames_client.screens.terminal.attention import Attention
from dicegames_client.screens.terminal.cleaning import cleaned
from dicegames_client.screens.terminal.clipboard import to_clipboard
from dicegames_client.screens.terminal.colours import depth_of, style_of
from dicegames_client.screens.terminal.keys.key_bindings import bindings, guarded
from dicegames_client.screens.terminal.keys.key_names import BOUND_KEYS, KEY_NAMES, PASTE_KEY
from dicegames_client.screens.terminal.keys.key_parser import hear_reports, type_ahead
from dicegames_client.screens.terminal.keys.pasting import SEND_THIS, Pasting, typeable
from dicegames_client.screens.terminal.keys.wheel import wheel_lines
from dicegames_client.screens.terminal.layout import body_window, laid_out
from dicegames_client.screens.terminal.line_renderer import LineRenderer, Picture
from dicegames_client.screens.terminal.modes import Modes
from dicegames_client.screens.terminal.release import release
from dicegames_client.screens.terminal.typing_line import TypingLine
from dicegames_client.screens.terminal.window_title import WindowTitle
from dicegames_client.screens.waiting import Waiting
from dicegames_client.widgets.lines import Line, shortened
from dicegames_protocol.text import encodable

log = logging.getLogger("dicegames.shell")
T = TypeVar("T")
MOST_MISHAPS = 20
"""Most errors outside of keys before the screen ends."""


class Terminated(Exception):
    """This process was ended from outside, or the terminal is gone."""


class Shell:
    def __init__(
        self,
        display: DisplayOptions,
        terminal: Terminal | None = None,
        *,
        input: Input | None = None,
        output: Output | None = None,
        now: Callable[[], float] | None = None,
        pause: float = 1 / 30,
    ) -> None:
        """`terminal`: where the user sits; the program's own without one. `input` and `output`: its keys and its
        screen, where prompt_toolkit does not find them by itself. `pause`: least seconds between two paintings of news.
        """
        self.display = display
        self._terminal = terminal or LocalTerminal()
        self.on_lost: Callable[[], None] = lambda: None
        """Called when everything ends from outside: by a signal, by a crash, or with the terminal gone."""
        self.farewell = ""
        """A sentence for the user, after the screen is gone."""
        self._pause = pause
        self._painted_at = 0.0
        self._soon: asyncio.TimerHandle | None = None
        self._input, self._output = input, output
        self._now = now or asyncio.get_running_loop().time
        self._pasting = Pasting(self._now)
        self.waiting = Waiting(display.glyphs, self._stop)
        """The screen that is shown between two others."""
        self._screen: Screen = self.waiting
        self._shown: asyncio.Future[Any] | None = None
        self._raw = contextlib.ExitStack()
        self._line = TypingLine(
            lambda text: self._screen.complete(text),
            lambda: self._size().columns,
            lambda: self._screen.edited(self._now()),
            self._pasting,
        )
        self._mishaps, self._trouble = 0, ""
        """A sentence about something that went wrong here, until the next key."""
        self._wake = asyncio.Event()
        self.painted = asyncio.Event()
        """Set after every painting; for tests and measurements."""

    async def run(self, flow: Callable[[], Awaitable[T]]) -> T:
        """Use the terminal while `flow` runs, and return its result. Raises Terminated if that is cut short."""
        with (
            create_app_session(input=self._input, output=self._output),
            self._raw,
            self._terminal.mishaps(self._crashed),
            self._terminal.heed(interrupt=self._interrupted, end=self._stop, go_on=self._continued),
        ):
            self._app = self._application()
            self._title = WindowTitle(self._app.output, unicode=self.display.glyphs.unicode)
            hear_reports(self._app.input, self._attention.report, self._now)
            type_ahead(self._app.input, self._terminal.typed)
            work = asyncio.ensure_future(flow())
            ticking = asyncio.ensure_future(self._tick())
            work.add_done_callback(lambda _: self._exit(None))
            try:
                with contextlib.suppress(EOFError, OSError):  # the terminal is gone: nobody can be told
                    await self._app.run_async(set_exception_handler=False, handle_sigint=False)
                if not work.done():
                    raise Terminated
                return work.result()
            finally:
                if not work.done():
                    self.on_lost()
                ticking.cancel()
                work.cancel()
                await asyncio.gather(ticking, work, return_exceptions=True)
                self._after()

    def _after(self) -> None:
        """Nothing is shown any more. For a visitor the process goes on, so as little as possible may stay in memory."""
        with contextlib.suppress(OSError):  # the terminal is gone
            self._title.restore()
        if self._soon is not None:
            self._soon.cancel()
        if self._input is not None:
            release(self._app)

    async def show(self, screen: Screen) -> Any:
        """Show a screen until it has a result, and return the result."""
        self._screen = screen
        screen.on_change = self.changed
        self._shown = asyncio.get_running_loop().create_future()
        self._follow_prompt()
        self.changed()
        try:
            return await self._shown
        finally:
            self._screen = self.waiting
            self._follow_prompt()
            self.changed()

    def look(self, display: DisplayOptions) -> None:
        """From now on it looks like this."""
        self.display = display
        self._modes.want(display)
        if isinstance(self._app.renderer, LineRenderer):
            self._app.renderer.forget_colours()

    @property
    def now(self) -> float:
        return self._now()

    def changed(self) -> None:
        """Something on the screen has changed: paint it soon."""
        if self._screen.rings:
            sentence, self._screen.rings = self._screen.rings, ""
            self._attention.call(sentence)
        if self._screen.copies:
            to_clipboard(self._app.output, self._screen.copies)
            self._screen.copies = ""
        if self._screen.result is not None and self._shown and not self._shown.done():
            self._shown.set_result(self._screen.result)
        self._title.show(self._screen.title)
        self._follow_prompt() if self._screen.prompt is None else None  # what was typed is done
        self._wake.set()
        self._repaint()

    def resized(self) -> None:
        """A remote terminal has another size. A local one is noticed by prompt_toolkit."""
        if self._app.is_running:
            self._app._on_resize()

    def _repaint(self) -> None:
        """Paint soon: news at most every `pause` seconds. Keys do not wait for that, they are painted at once."""
        if self._soon is not None:
            return
        loop = asyncio.get_running_loop()
        wait = self._painted_at + self._pause - loop.time()
        self._soon = loop.call_later(wait, self._app.invalidate) if wait > 0 else None
        if self._soon is None:
            self._app.invalidate()

    def _after_painting(self) -> None:
        self._painted_at = asyncio.get_running_loop().time()
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        self.painted.set()

    def _stop(self) -> None:
        self._exit(Terminated())

    def _exit(self, error: BaseException | None) -> None:
        with contextlib.suppress(Exception):  # it has ended already
            if error is None:
                self._app.exit()
            else:
                self._app.exit(exception=error)

    def _crashed(self, context: dict[str, Any]) -> None:
        """Something went wrong in a callback, or in a task that nobody waits for. It is told, and everything goes on.

        With a host, this is also the event loop of the server: its players must not pay for a mishap on this screen.
        But where one mishap follows the other, the screen is dead, and it is better to say so and end.
        """
        error = context.get("exception")
        if isinstance(error, Exception):
            self._mishaps += 1
            self._exit(error) if self._mishaps > MOST_MISHAPS else self._mishap(error)

    def _mishap(self, error: Exception) -> None:
        """Say that something went wrong. The next key takes the sentence away."""
        log.error("a mishap on the screen", exc_info=error)
        self._trouble = f"Something went wrong here ({type(error).__name__}). The game goes on."
        self._app.invalidate()

    async def _tick(self) -> None:
        """Paint again when the screen says that it changes by itself."""
        while True:
            self._wake.clear()
            wait = self._screen.pulse(self._now())
            try:
                async with asyncio.timeout(None if wait is None else max(wait, 0.02)):
                    await self._wake.wait()
            except TimeoutError:
                self._repaint()

    # Layout.

    def _application(self) -> Application[None]:
        typing = Condition(lambda: self._line.is_open)
        self._body_window = body_window(self._paint)
        app: Application[None] = Application(
            layout=laid_out(self._body_window, self._footer, self._line.window, typing),
            key_bindings=bindings(self, self._line, typing, can_suspend=self._terminal.can_suspend),
            style=DynamicStyle(lambda: style_of(self.display)),
            color_depth=lambda: depth_of(self.display),
            full_screen=True,
            mouse_support=Condition(lambda: self.display.mouse),
            terminal_size_polling_interval=0.5 if self._input is None else None,
            after_render=lambda _: self._after_painting(),
        )
        app.ttimeoutlen = app.timeoutlen = 0.05
        self._attention, self._modes = Attention(app.output), Modes(app.output)
        self._modes.want(self.display)
        if isinstance(app.output, Vt100_Output):  # a Windows console has ways of its own
            whole = self._terminal.whole_pictures
            app.renderer = LineRenderer(app, self._whole_screen, self._modes, whole=whole)
        app.key_processor.before_key_press += lambda _: self._before_key()
        app.key_processor.process_keys = guarded(app.key_processor.process_keys, self._mishap)  # type: ignore[method-assign]
        return app

    def _size(self) -> Size:
        size = self._app.output.get_size()
        return Size(size.columns, size.rows)

    def _paint(self) -> StyleAndTextTuples:
        shown: StyleAndTextTuples = []
        for line in self._body_lines():
            shown += line
            shown.append(("", "\n"))
        return shown[:-1]

    def _whole_screen(self) -> Picture | None:
        """The screen. None where prompt_toolkit has to paint: a menu hangs on the line that is being typed."""
        size = self._size()
        typed = self._line.shown(size.columns)
        if typed is None:
            return None
        above = size.rows - 1
        body = self._body_lines()[:above]
        last, cursor = typed if self._line.is_open else (self._footer(), None)
        return Picture([*body, *([] for _ in range(above - len(body))), last], cursor)

    def _body_lines(self) -> list[StyleAndTextTuples]:
        size = self._size()
        try:
            lines = self._screen.paint(size, self._now())
            told = [("warning", self._trouble)] if self._trouble else self._screen.warning(size, self._now())
            told = [("question", SEND_THIS)] if self._pasting.asks else told
            if self._line.is_open and told:
                lines = [*lines[:-1], told]  # the last line is the typing line
        except Exception as error:
            log.exception("this can't be painted")
            lines = [[("warning", f"This can't be drawn here ({type(error).__name__}). The game goes on; Q leaves.")]]
        return [self._safe(line) for line in lines]

    def _footer(self) -> StyleAndTextTuples:
        if self._trouble:
            return self._safe([("warning", self._trouble)])
        try:
            size = self._size()
            said = shortened(self._screen.footer(size, self._now()), size.columns, self.display.glyphs.ellipsis)
            return self._safe(said)
        except Exception:
            log.exception("the footer can't be painted")
            return []

    def _safe(self, line: Line) -> StyleAndTextTuples:
        ascii_only = not self.display.glyphs.unicode
        return [(f"class:{style}" if style else "", cleaned(text, ascii_only)) for style, text in line if text]

    def _follow_prompt(self) -> None:
        """Give the focus to the typing line if the screen has a prompt, and back to the screen if not."""
        prompt = self._screen.prompt
        if prompt is self._line.prompt:
            return
        if prompt is None:
            self._line.close()
            self._app.layout.focus(self._body_window)
        else:
            self._app.layout.focus(self._line.open(prompt))

    # Keys.

    def _before_key(self) -> None:
        """A sentence about a mishap has been seen by now."""
        self._trouble = ""
        self._pasting.notice(self._app.key_processor.input_queue)

    def pressed(self, key: str, data: str) -> None:
        """A key was pressed while no typing line is open. `data`: what the terminal sent for it."""
        if self._pasting.goes_on() and typeable(data):
            self._screen.pasted(self._now())
        elif key:
            self._screen.press(key.lower() if len(key) == 1 else key, self._now())
        self._follow_prompt()
        self.changed()

    def pressed_alone(self, key: str, data: str) -> bool:
        """A key of a remote terminal, without prompt_toolkit's long search. False: prompt_toolkit has to take it."""
        processor = self._app.key_processor
        busy = self._line.is_open or processor.key_buffer or processor.input_queue or not self._app.is_running
        if busy or (key in BOUND_KEYS and key != PASTE_KEY):
            return False
        try:
            self._trouble = ""
            name = KEY_NAMES.get(key, data if len(data) == 1 else "another key")
            self.pasted() if key == PASTE_KEY else self.pressed(name, data)
        except Exception as error:
            self._mishap(error)
        return True

    def _continued(self) -> None:
        """The process was stopped and goes on. The shell has used the terminal meanwhile: take it back and repaint."""
        if self._app.is_running:
            with contextlib.suppress(Exception):  # the terminal is gone
                self._raw.enter_context(self._app.input.raw_mode())
                self._app.renderer.clear()
                self._app.invalidate()

    def _interrupted(self) -> None:
        """SIGINT from outside means the same as Ctrl-C."""
        if self._line.is_open:
            self.cancelled()
        else:
            self._screen.press("ctrl-c", self._now())
            self._follow_prompt()
            self.changed()

    def pasted(self) -> None:
        self._screen.pasted(self._now())
        self.changed()

    def entered(self, buffer: Buffer) -> None:
        """Enter was pressed in the typing line."""
        if not self._pasting.enter(self._app.key_processor.input_queue):
            return
        if self._screen.submit(encodable(buffer.text), self._now()):
            self._line.entered()
            if self._screen.prompt is not None:
                self._line.close()  # another question follows: it gets a new line
        else:
            self._line.remember()
        self._follow_prompt()
        self.changed()

    def wheel(self, told: str) -> None:
        """The mouse was used."""
        if self.display.mouse and (lines := wheel_lines(told)):
            self._screen.wheel(lines, self._now())
            self.changed()

    def cancelled(self) -> None:
        self._pasting.forget()
        self._screen.cancel(self._now())
        self._follow_prompt()
        self.changed()
