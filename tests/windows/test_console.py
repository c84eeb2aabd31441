"""In a console of Windows, as wine draws it into a terminal: the full screen, and Ctrl-C in line mode.

This wine breaks escape sequences that it gets in two parts, as if they were text. So the window is wide, there are no
colours, and a screen that is not as it should be is drawn anew, as a person would do it: with Ctrl-L.
"""

from pathlib import Path

from support.pty import Pty
from windows.machine import Machine
from windows.starting import CLIENT, at_console

HOST = ("host", "farkle", "--bots", "1", "--name", "ana", "--now", "--host", "127.0.0.1", "--port", "0")
WIDE = (200, 40)
REDRAW = "\x0c"
MOST_REDRAWS = 20
QUIET_SECONDS = 5.0
"""So long a busy machine may take between two parts of a screen."""


def shows(console: Pty, *wanted: str) -> None:
    """Until one of these texts is on the screen. It is drawn anew whenever nothing more comes."""
    for _ in range(MOST_REDRAWS):
        while not any(text in console.text for text in wanted):
            if not console.until_news(QUIET_SECONDS):
                break
        else:
            return
        console.press(REDRAW)
    raise AssertionError(f"{wanted!r} never came:\n{console.text}")


def test_the_full_screen_draws_the_table_and_takes_keys(machine: Machine, tmp_path: Path) -> None:
    ana = at_console(machine, "-m", CLIENT, *HOST, "--no-motion", "--theme", "mono", state=tmp_path, size=WIDE)
    shows(ana, "YOUR TURN")
    shows(ana, "╭───")
    ana.press("?")
    shows(ana, "POINTS")
    ana.press("q")
    shows(ana, "YOUR TURN")
    ana.press("r")
    shows(ana, "Scoring", "farkle", "FARKLE", "You roll")


def test_ctrl_c_in_line_mode_asks_first_and_is_no_end_of_input(machine: Machine, tmp_path: Path) -> None:
    ana = at_console(machine, "-m", CLIENT, *HOST, "--plain", state=tmp_path, size=WIDE)
    ana.until("it is your turn")
    ana.press("\x03")
    ana.until("Press Ctrl-C again to leave")
    ana.press("roll\r")
    ana.until("You roll", "Scoring", "farkle")  # what is typed is shown over some of it
    ana.press("quit\r")
    ana.until("Type 'quit' again to leave")
    ana.press("quit\r")
    ana.until("You have left the table.")
    assert ana.ended() == 0
