"""The line to type in, at the bottom of the screen: with a label, completion, a history, and stars for secrets.

Only this file and shell.py import prompt_toolkit; shell.py owns the rest of the terminal.
"""

from collections.abc import Callable, Iterable

from prompt_toolkit.buffer import Buffer, CompletionState
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.layout import BufferControl, Window
from prompt_toolkit.layout.processors import BeforeInput, ConditionalProcessor, PasswordProcessor

from dicegames_client.screens.screen import Prompt, Word
from dicegames_client.screens.terminal.keys.pasting import Pasting
from dicegames_protocol.text import columns, strip


class TypingLine:
    def __init__(
        self,
        complete: Callable[[str], list[Word]],
        width: Callable[[], int],
        edited: Callable[[], None],
        pasting: Pasting,
    ) -> None:
        """`complete` returns the completions of a text, `width` the columns of the terminal. `edited` is called when
        the text was changed.
        """
        self.prompt: Prompt | None = None
        """The prompt of the open line; None while no line is open and keys act."""
        self._complete = complete
        self._width, self._edited, self._pasting = width, edited, pasting
        self._buffers: dict[str, Buffer] = {}
        self._windows: dict[str, Window] = {}

    @property
    def is_open(self) -> bool:
        return self.prompt is not None

    def open(self, prompt: Prompt) -> Window:
        """Open a line. Returns the window that needs the focus. Lines of the same history share a buffer."""
        self.prompt = prompt
        name = prompt.history or ""
        if name not in self._buffers:
            self._make(name)
        self._buffers[name].reset(Document(prompt.text))
        return self._windows[name]

    def close(self) -> None:
        self.prompt = None

    def entered(self) -> None:
        """The line was accepted: add it to the history, and empty it."""
        assert self.prompt
        self.remember()
        self._buffers[self.prompt.history or ""].reset()

    def remember(self) -> None:
        """Add the line to its history, unless it is secret: also one that is refused, or has no answer yet."""
        assert self.prompt
        buffer = self._buffers[self.prompt.history or ""]
        if buffer.text.strip() and not self.prompt.secret:
            buffer.append_to_history()

    def typed(self, buffer: Buffer, text: str) -> None:
        """Text for the line. Lines that were pasted become one."""
        if self._pasting.after_break() and buffer.text and not buffer.document.char_before_cursor.isspace():
            buffer.insert_text(" ")
        buffer.insert_text(text)

    def complete(self, buffer: Buffer) -> None:
        """The only completion is taken whole; what may follow it is listed at once. Of several, the next one."""
        if buffer.complete_state and buffer.complete_state.complete_index is not None:
            buffer.complete_next()
            return
        found = list(_completions(self._words, buffer.document))
        if len(found) == 1:
            buffer.apply_completion(found[0])
        elif found:
            buffer.complete_state = CompletionState(buffer.document, found)
            buffer.go_to_completion(0)

    @property
    def _label(self) -> str:
        return f" {self.prompt.label_for(self._buffers[self.prompt.history or ''].text)}" if self.prompt else ""

    def shown(self, width: int) -> tuple[StyleAndTextTuples, int] | None:
        """What is in the line, and the column of the cursor. None: only prompt_toolkit can show it, with a menu of
        completions, a selection, or a character that is none.
        """
        if self.prompt is None:
            return [], 0
        buffer = self._buffers[self.prompt.history or ""]
        buffer.load_history_if_not_yet_loaded()  # as prompt_toolkit does before it paints
        if buffer.complete_state or buffer.selection_state or not (buffer.text.isprintable() or self.prompt.secret):
            return None
        label, text = self._label, "*" * len(buffer.text) if self.prompt.secret else buffer.text
        hidden, before = 0, len(label) + buffer.cursor_position
        whole = label + text
        while columns(whole[hidden:before]) >= width:
            hidden += 1
        parts = [("class:key", label[hidden:]), ("", whole[max(hidden, len(label)) :])]
        return [(style, part) for style, part in parts if part], columns(whole[hidden:before])

    def window(self) -> Window:
        """The window that is shown at the bottom now."""
        if self.prompt is None:
            return Window(height=1)
        name = self.prompt.history or ""
        window, typed = self._windows[name], self._buffers[name].text
        if columns(typed) + columns(self._label) + 1 < self._width():
            window.horizontal_scroll = 0  # the whole line fits again
        return window

    def _make(self, name: str) -> None:
        self._buffers[name] = Buffer(
            multiline=False,
            history=InMemoryHistory(),
            completer=_Completing(self._words),
            complete_while_typing=True,
            on_text_changed=lambda _: self._edited(),
        )
        secret = Condition(lambda: bool(self.prompt and self.prompt.secret))
        label = BeforeInput(lambda: [("class:key", self._label)])
        processors = [ConditionalProcessor(PasswordProcessor(), secret), label]
        control = BufferControl(self._buffers[name], input_processors=processors)
        self._windows[name] = Window(control, height=1, wrap_lines=False)

    def _words(self, text: str) -> list[Word]:
        return [] if self.prompt is None or self.prompt.secret else self._complete(text)


class _Completing(Completer):
    def __init__(self, words: Callable[[str], list[Word]]) -> None:
        self._words = words

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        return _completions(self._words, document)


def _completions(words: Callable[[str], list[Word]], document: Document) -> Iterable[Completion]:
    for word in words(document.text_before_cursor):
        yield Completion(word.text, -word.back, display=strip(word.text).rstrip(), display_meta=strip(word.about))
