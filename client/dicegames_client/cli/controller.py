"""From the command line to a terminal: opens the full screen or line mode, and runs the command in it.

The first screen is there before most of the program is loaded. So this module imports little; what the
commands do is in dispatch.py.
"""

import asyncio
import contextlib
import gc
import importlib
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Iterator

from dicegames_client.base import visit
from dicegames_client.base.command_line import CommandLine
from dicegames_client.base.terminal.display_options import DisplayOptions, display_options_of, full_screen
from dicegames_client.base.terminal.printing import fit
from dicegames_client.base.terminal.terminal import LocalTerminal, Terminal

ON_SCREEN = ("start", "host", "join", "watch", "replay")
"""Commands that can use the full screen."""
RunOn = Callable[[CommandLine, Terminal], Awaitable[int]]


def run(asked: CommandLine) -> int:
    """Run the command. What is wrong with files of this machine is told at the end, if not before."""
    try:
        return asyncio.run(_run_here(asked))
    finally:
        from dicegames_client.base.state.state_files import troubles

        for sentence in troubles():
            print(fit(sentence, sys.stderr), file=sys.stderr)


async def _run_here(asked: CommandLine) -> int:
    return await run_on(asked, LocalTerminal())


async def run_on(asked: CommandLine, terminal: Terminal) -> int:
    """Run the command for the user of a terminal. Raises ClientError."""
    if visit.current() is None and not asked.debug:
        logging.getLogger().addHandler(logging.NullHandler())  # nothing may be printed over what the user reads
    if asked.command in ON_SCREEN and full_screen(asked, terminal):
        return await _run_on_screen(asked, terminal)
    with _loading():
        from dicegames_client.cli.dispatch import Dispatch
    return await Dispatch(asked, terminal, for_visitors).run()


async def _run_on_screen(asked: CommandLine, terminal: Terminal) -> int:
    """The same on the full screen. Afterwards the terminal is restored, and the last sentence is printed."""
    with terminal.asked(), _loading():
        from dicegames_client.screens.screen_prompter import Cancelled
        from dicegames_client.screens.terminal.remote_screen import shell_on
        from dicegames_client.screens.terminal.shell import Terminated

    shell = shell_on(terminal, display_options_of(asked, terminal))

    async def command() -> int:
        await shell.painted.wait()
        with _loading():
            from dicegames_client.base.state.saved_looks import Looks, remember_looks, remembered_looks
            from dicegames_client.cli.dispatch import Dispatch
            from dicegames_client.screens.screen_app import ScreenApp

        def look(looks: Looks) -> DisplayOptions:
            """The user has changed how it looks. A flag of this run no longer counts."""
            remember_looks(looks)
            return display_options_of(CommandLine(), terminal, looks)

        shell.look(display_options_of(asked, terminal, remembered_looks()))
        return await Dispatch(asked, terminal, for_visitors, ScreenApp(shell, look)).run()

    try:
        code, out = await shell.run(command), terminal.out
    except Cancelled:
        return 0
    except Terminated:
        code, out = 0, terminal.err
    if shell.farewell:
        out = terminal.err if code else out
        print(fit(shell.farewell, out), file=out)
    return code


def for_visitors() -> RunOn:
    """What runs the client for users over ssh. All of it is loaded now, before the first one waits for it."""
    for module in ("cli.dispatch", "screens.screen_app", "screens.terminal.remote_screen"):
        importlib.import_module(f"dicegames_client.{module}")
    return run_on


@contextlib.contextmanager
def _loading() -> Iterator[None]:
    """Load modules without two detours. What is loaded stays, so it need not be searched for garbage, now or later.

    And pydantic would look through everything that is installed for plugins, of which we use none. For a user over ssh
    all is loaded, and there may be garbage of others.
    """
    if visit.current():
        yield
        return
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
