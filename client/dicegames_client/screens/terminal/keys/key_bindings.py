"""Which key does what: keys for the screen, or keys of the typing line while it is open."""

from collections.abc import Callable
from typing import Protocol

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from dicegames_client.screens.terminal.keys.key_names import KEY_NAMES, MOUSE_KEYS
from dicegames_protocol.text import strip


class KeyTarget(Protocol):
    """What keys act on."""

    def pressed(self, key: str, data: str) -> None: ...

    def pasted(self) -> None: ...

    def entered(self, buffer: Buffer) -> None: ...

    def cancelled(self) -> None: ...

    def wheel(self, told: str) -> None: ...


class LineTarget(Protocol):
    """The typing line."""

    def typed(self, buffer: Buffer, text: str) -> None: ...

    def complete(self, buffer: Buffer) -> None: ...


def bindings(target: KeyTarget, line: LineTarget, typing: Condition, *, can_suspend: bool) -> KeyBindings:
    """All keys. `typing`: whether the typing line is open. `can_suspend`: Ctrl-Z leads back to the user's shell."""
    bindings = KeyBindings()
    add = bindings.add

    @add(Keys.Any, filter=~typing)
    def _(event: KeyPressEvent) -> None:
        target.pressed(event.data if len(event.data) == 1 else "another key", event.data)

    for key, name in KEY_NAMES.items():
        add(key, filter=~typing)(_named(target, name))

    @add(Keys.BracketedPaste, filter=~typing)
    def _(event: KeyPressEvent) -> None:
        target.pasted()

    @add("c-z")
    def _(event: KeyPressEvent) -> None:
        if can_suspend:
            event.app.suspend_to_background()
        elif not typing():
            target.pressed("ctrl-z", event.data)

    @add("c-l")
    def _(event: KeyPressEvent) -> None:
        event.app.renderer.clear()

    for mouse in MOUSE_KEYS:

        @add(mouse)
        def _(event: KeyPressEvent) -> None:
            target.wheel(event.data)

    _bind_line(target, line, bindings, typing)
    return bindings


def _bind_line(target: KeyTarget, line: LineTarget, bindings: KeyBindings, typing: Condition) -> None:
    """The keys of the typing line."""
    add = bindings.add

    @add(Keys.Any, filter=typing)
    def _(event: KeyPressEvent) -> None:
        line.typed(event.current_buffer, event.data * event.arg)

    @add(Keys.BracketedPaste, filter=typing)
    def _(event: KeyPressEvent) -> None:
        line.typed(event.current_buffer, strip(event.data))

    @add("enter", filter=typing)
    def _(event: KeyPressEvent) -> None:
        target.entered(event.current_buffer)

    @add("escape", filter=typing, eager=True)
    @add("c-c", filter=typing)
    @add("<sigint>", filter=typing)
    def _(event: KeyPressEvent) -> None:
        target.cancelled()

    @add("c-d", filter=typing)
    def _(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.delete()
        else:
            target.cancelled()

    @add("tab", filter=typing)
    def _(event: KeyPressEvent) -> None:
        line.complete(event.current_buffer)


def _named(target: KeyTarget, name: str) -> Callable[[KeyPressEvent], None]:
    return lambda event: target.pressed(name, event.data)


def guarded(process_keys: Callable[[], None], mishap: Callable[[Exception], None]) -> Callable[[], None]:
    """Whatever a key does, it does not end the program: an error is told, and the next key works again."""

    def process() -> None:
        try:
            process_keys()
        except Exception as error:  # prompt_toolkit has emptied its queue by now
            mishap(error)

    return process
