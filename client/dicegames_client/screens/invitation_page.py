"""The page that shows friends the way to our table: a QR code for a phone, and the line for a computer."""

from functools import partial

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.enter.invitation import Invitation
from dicegames_client.screens.page_layout import Action
from dicegames_client.screens.text_page import TextPage
from dicegames_client.widgets.lines import Line, beside, broken, line, width_of, wrap
from dicegames_client.widgets.qr_code import least_size, qr_code

INVITE_KEY, COPY_KEY = "k", "c"
"""The key that opens and closes the page, and the one that copies the line, there and in the waiting room."""
LEAST_CAPTION = 14
"""Least columns for the words beside the code."""
_GAP = 2


def invitation_page(invited: Invitation, glyphs: Glyphs) -> TextPage:
    draw = partial(_drawn, invited, glyphs)
    return TextPage(INVITE_KEY, "How friends join", draw, (Action("C", "Copy the line"),) if invited.line else ())


def _drawn(invited: Invitation, glyphs: Glyphs, width: int, rows: int) -> list[Line]:
    under = [line(part, "link") for part in broken(invited.line, width)]
    if not invited.page:
        said = "A phone can't open this address, so there is no QR code. This is the line for a computer:"
        return [[], *(line(part) for part in wrap(said, width)), [], *under, *_more(invited, width)]
    code = qr_code(invited.page, width - _GAP - LEAST_CAPTION, rows - len(under), glyphs)
    if code is None:
        return [[], *_without_code(invited, glyphs, width, under)]
    beside_code = width_of(code[0]) + _GAP
    return [*beside(code, _caption(invited, width - beside_code, len(code)), beside_code), *under]


def _caption(invited: Invitation, width: int, rows: int) -> list[Line]:
    """What is said beside the code. A part that does not fit is left out as a whole: half a key is worth nothing."""
    nobody = "The table in a browser. Only this machine can open it, no phone:"
    scan = nobody if invited.only_here else "Scan it with a phone, and play there:"
    lines = [
        *(line(part) for part in wrap(scan, width)),
        *(line(part, "link") for part in broken(invited.page, width)),
    ]
    below = [[], *(line(part) for part in wrap("The line below is for a computer. C copies it.", width))]
    for part in (*_by_ssh(invited, width), below, _firewall(invited, width)):
        lines += part if len(lines) + len(part) <= rows else []
    return lines[:rows]


def _more(invited: Invitation, width: int) -> list[Line]:
    """What there is for those who have nothing installed, and what may keep friends out."""
    return [found for part in (*_by_ssh(invited, width), _firewall(invited, width)) for found in part]


def _by_ssh(invited: Invitation, width: int) -> tuple[list[Line], list[Line]]:
    """The line for those who have nothing installed, and the key that they are shown."""
    if not invited.ssh:
        return [], []
    asked, shown = wrap("Nothing installed?", width), wrap("ssh shows this key first:", width)
    way: list[Line] = [[], *map(line, asked), *(line(part, "link") for part in broken(invited.ssh, width))]
    key = [line(part) for part in (*shown, *broken(invited.ssh_key, width))]
    return way, key if invited.ssh_key else []


def _firewall(invited: Invitation, width: int) -> list[Line]:
    return [[], *(line(part, "dim") for part in wrap(invited.firewall, width))] if invited.firewall else []


def _without_code(invited: Invitation, glyphs: Glyphs, width: int, under: list[Line]) -> list[Line]:
    """The same in words, where the window is too small."""
    columns, rows = least_size(invited.page, glyphs)
    needed = f"{max(columns + _GAP + LEAST_CAPTION, width) + 6}x{rows + len(under) + 4}"
    return [
        *(line(part) for part in wrap(f"The QR code needs a window of {needed}. It would lead a phone here:", width)),
        *(line(part, "link") for part in broken(invited.page, width)),
        [],
        *(line(part) for part in wrap("This is the line for a computer. C copies it:", width)),
        *under,
        *_more(invited, width),
    ]
