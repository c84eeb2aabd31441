"""The rooms of a server: join, watch, open a room of your own, or type a code. It is also the start screen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dicegames_client.base.address import Address, looks_like_code
from dicegames_client.base.errors import ClientError
from dicegames_client.base.glyphs import Glyphs
from dicegames_client.enter.finding import Found
from dicegames_client.guest.known_servers import typed_address
from dicegames_client.guest.server_link import ONLY_HERE
from dicegames_client.screens.page_layout import Action, small_page, status_line, too_small, whole
from dicegames_client.screens.screen import Prompt, Screen, Size, key_name
from dicegames_client.screens.text_page import TextPage, help_page
from dicegames_client.widgets.lines import Line, fit, inside, line, pad, shorten, wrap
from dicegames_protocol.text import TextError, check_name, columns, strip

MOST_NUMBER_KEYS = 9
_KEYS = [
    ("1-9", "take the room of that number"),
    ("Up, Down", "move to another room; Enter takes it"),
    ("W", "watch the room instead of joining it"),
    ("N", "open a room of your own; it tells you the line that friends type"),
    ("J", "type a code (KQ7M), or an address (192.168.1.23:8765/KQ7M), that somebody gave you"),
    ("U", "change your name"),
    ("S", "settings: colours, characters, motion and bell"),
    ("Q", "quit"),
]
_ONLY_A_CODE = ("J", "type a code (KQ7M) that somebody gave you")
"""Instead of the row for J, where there is one server only."""
NOWHERE = Address("", 0)


@dataclass(frozen=True, slots=True)
class Destination:
    """What the user wants: to join or watch the room of an address, to host, other settings, or to quit."""

    kind: str
    address: Address = NOWHERE


class RoomListScreen(Screen):
    def __init__(
        self,
        title: str,
        glyphs: Glyphs,
        *,
        name: str | None,
        rename: Callable[[str], None],
        intro: Sequence[str] = (),
        said: str = "",
        server: Address | None = None,
        watch: bool = False,
        only_here: bool = False,
    ) -> None:
        """`said` is a sentence about what happened before, such as why a room could not be joined.

        A bare code that is typed means a room on `server`. `watch`: the user came here to watch.
        `only_here`: the user is over ssh, and can't go to other servers.
        """
        self._only_here = only_here
        self._verb = "watch" if watch else "join"
        self._page: TextPage | None = None
        self._server = server
        self._title = title
        self._glyphs = glyphs
        self._name = name
        self._rename = rename
        self._intro = intro
        self._said = said
        self._purpose: Callable[[str], None] | None = None
        self.found: Sequence[Found] = ()
        self.looking = True
        self.trouble = ""
        """Why there is no list."""
        self._at = 0

    def show(self, found: Sequence[Found], trouble: str = "") -> None:
        """Replace the list by the rooms that are there now."""
        before = self.looking, self.found, self.trouble
        self.found = sorted(found, key=lambda one: one.server.shown)  # a number stays with its room
        self.looking, self.trouble = False, trouble
        if (self.looking, self.found, self.trouble) != before:
            self.on_change()

    def paint(self, size: Size, now: float) -> list[Line]:
        if too_small(size):
            return small_page(size)
        if self._page:
            return self._page.paint(size, self._glyphs)
        lines = self._said_above(size)
        lines += (line(text, "dim" if number else "title") for number, text in enumerate(self._intro))
        lines += [[]] if self._intro else []
        several = len({f.server for f in self.found}) > 1 or any(f.server.announced is not None for f in self.found)
        if self.found:
            where = self._where if several else 0
            game = f"{pad('SERVER', where)} {pad('GAME', 30 - where)}" if several else pad("GAME", 30)
            lines.append(line(f"  #  ROOM      {game} SEATS    STATE", "head"))
            room = max(1, size.rows - 6 - len(lines))
            top = max(0, min(self._at - room // 2, len(self.found) - room))
            shown = list(enumerate(self.found))[top : top + room]
            lines += [self._row(number, found, size.columns - 6, several) for number, found in shown]
        elif not self.trouble:
            lines.append(line("Looking for rooms" if self.looking else "There are no open rooms here."))
        if self.trouble:
            lines += [[], *(line(part, "bad") for part in wrap(self.trouble, size.columns - 6))]
        return whole(
            size,
            self._glyphs,
            status=status_line(self._title, f"you are {self._name}" if self._name else "", size.columns),
            lines=inside([[], *lines], 2),
            actions=self._actions(),
        )

    @property
    def _where(self) -> int:
        """Columns for the addresses of several servers."""
        return max(6, min(22, max(columns(found.server.shown) for found in self.found)))

    def _row(self, number: int, found: Found, width: int, several: bool) -> Line:
        room = found.room
        full = room.seated >= room.capacity
        state = {"playing": "PLAYING", "over": "OVER"}.get(room.phase, "WAITING")
        marks = f"{'FULL, ' if full else ''}{state}{', PASSWORD' if room.locked else ''}"
        digit = f"{number + 1:>2}" if number < MOST_NUMBER_KEYS else "  "
        wide = 30 - self._where if several else 30  # several servers: the whole address must be visible
        title = strip(room.title)
        game = shorten(title if several else f"{title}, {strip(room.summary)}", wide, self._glyphs.ellipsis)
        host = f"  {strip(room.host)}" if room.host else ""
        where = f"{pad(found.server.shown, self._where)} " if several else ""
        seats = pad(f"{room.seated}/{room.capacity}", 8)
        chosen = number == self._at
        start = f"{'>' if chosen else ' '}{digit}  {pad(strip(room.code), 8)}  {where}{pad(game, wide)} "
        text = f"{start}{seats} {marks}{host}"
        return fit(line(text, "turn" if chosen else ""), width)

    def _actions(self) -> list[Action]:
        keys = [Action("1-9", self._verb.capitalize()), Action("W", "Watch")] if self.found else []
        return [
            *keys,
            Action("N", "New room"),
            Action("J", "Enter code", True),
            Action("U", "Your name", True),
            Action("S", "Settings", True),
            Action("?", "Help", True),
            Action("Q", "Quit"),
        ]

    def _said_above(self, size: Size) -> list[Line]:
        """What was said last, where it is about the line that is open, or too long for the last line."""
        if not self._said or (self.prompt is None and columns(self._said) <= size.columns - 2):
            return []
        return [*(line(part, "bad") for part in wrap(self._said, size.columns - 6)), []]

    def footer(self, size: Size, now: float) -> Line:
        return [] if self._said_above(size) else line(f" {self._said}", "notice")

    def press(self, key: str, now: float) -> None:
        self._said = ""
        if self._page:
            self._page = self._page if self._page.scroll(key, 10) else None
            return
        last = len(self.found) - 1
        match key:
            case "q" | "ctrl-c" | "ctrl-d":
                self.result = Destination("quit")
            case "s":
                self.result = Destination("settings")
            case "up" | "down":
                self._at = max(0, min(last, self._at + (1 if key == "down" else -1)))
            case "n" | "h":
                self.result = Destination("host")
            case "j":
                label = "Code: " if self._only_here else "Code or address: "
                self.prompt, self._purpose = Prompt(label, history="address"), self._typed
            case "u":
                self.prompt, self._purpose = Prompt("Your name: ", text=self._name or ""), self._renamed
            case "?":
                self._page = help_page("Help", _KEYS if not self._only_here else [*_KEYS[:4], _ONLY_A_CODE, *_KEYS[5:]])
            case "enter" | "w" if not self.found:
                self._said = "There is no room to join. N opens one."
            case "enter" | "w":
                self._choose("watch" if key == "w" else self._verb, min(self._at, last))
            case _ if len(key) == 1 and key.isdigit() and 1 <= int(key) <= last + 1:
                self._choose(self._verb, int(key) - 1)
            case _:
                self._said = f"{key_name(key)} does nothing here. Press ? for the keys, Q to quit."

    def _choose(self, kind: str, number: int) -> None:
        found = self.found[number]
        self.result = Destination(kind, replace(found.server, room=found.room.code))

    def pasted(self, now: float) -> None:
        what = "a code" if self._only_here else "a code or an address"
        self._said = f"Pasted text does nothing here. J opens a line for {what}."

    def submit(self, text: str, now: float) -> bool:
        if not text.strip() or self._purpose is None:
            self.cancel(now)
            return True
        try:
            self._purpose(text.strip())
        except (TextError, ClientError) as error:
            self._said = str(error)
            return False
        self.cancel(now)
        return True

    def edited(self, now: float) -> None:
        self._said = ""

    def _typed(self, text: str) -> None:
        try:
            address = typed_address(text)
        except ClientError as error:
            raise ClientError(ONLY_HERE, error.code) if self._only_here else error from None
        if looks_like_code(text) and self._server:
            address = replace(self._server, room=address.room)
        self.result = Destination(self._verb if address.room else "join", address)

    def _renamed(self, text: str) -> None:
        self._name = check_name(text)
        self._rename(self._name)
