"""The page on which a typed roll is corrected: which roll, its right faces, what would come of it, yes or no."""

from collections.abc import Callable
from dataclasses import replace

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.guest.store import Store
from dicegames_client.play.real_dice import (
    HIDDEN,
    Correctable,
    correctable_rolls,
    difference,
    lost_moves,
    undo_of,
    what_it_does,
)
from dicegames_client.screens.page_layout import Action, status_line, whole
from dicegames_client.screens.screen import Size
from dicegames_client.screens.table.keys.confirmation import DEAF_SECONDS
from dicegames_client.screens.table.keys.dice_entry import DiceEntry
from dicegames_client.views import view_of
from dicegames_client.widgets.die import Die, row_of
from dicegames_client.widgets.lines import Line, inside, line, pad, wrap
from dicegames_protocol.messages.client import AskPreview, MakeMove, Request
from dicegames_protocol.messages.server import Error, Preview
from dicegames_protocol.table import UNDO, Move
from dicegames_protocol.text import columns, strip

Keys = tuple[Action, ...]
_CLOSING = ("escape", "q", "n", "ctrl-c")


class CorrectionPage:
    def __init__(
        self, store: Store, rolls: list[Correctable], new_id: Callable[[], str], send: Callable[[Request], None]
    ) -> None:
        """`rolls`: those that can be chosen. `send` gets the question what would come of it, and then the move."""
        self._store = store
        self._rolls = rolls
        self._new_id, self._send = new_id, send
        self._at = len(rolls) - 1
        self._entry: DiceEntry | None = None
        self._asked: AskPreview | None = None
        self._preview: Preview | None = None
        self._shown_at = 0.0
        self.said = ""
        """A sentence about what is wrong."""
        self.closed = False

    @property
    def quiet(self) -> bool:
        """Nothing is shown yet: a roll is taken back, and most often there is nothing to ask."""
        return self._asked is not None and self._asked.move.take == UNDO and self._preview is None

    # What is asked.

    def try_move(self, seat: int, move: Move) -> None:
        """Ask the server what a move would lead to."""
        self._asked = AskPreview(id=self._new_id(), seq=self._store.seq, seat=seat, move=move)
        self._send(self._asked)

    def goes_on(self, store: Store) -> bool:
        """The game has changed: ask again what would come of it. False: the roll can't be corrected any more."""
        now = {(roll.seat, roll.choice, roll.faces): roll for roll in correctable_rolls(store)}
        kept = [now.get((roll.seat, roll.choice, roll.faces)) for roll in self._rolls]
        if None in kept or (self._asked and self._asked.move.take == UNDO and not undo_of(store)):
            return False
        self._store, self._rolls = store, [roll for roll in kept if roll]
        if self._asked and self._asked.seat is not None:
            self._preview = None
            self.try_move(self._asked.seat, self._asked.move)
        return True

    def hear(self, answer: Preview | Error, now: float) -> bool:
        """Take the answer. False: it is for something else."""
        if self._asked is None or answer.id != self._asked.id:
            return False
        if isinstance(answer, Error):
            self.said, self._asked = strip(answer.message), None
            self.closed = self._entry is None
        elif self.quiet and not self._lost(answer):
            self._accept(self._asked)
        else:
            self._preview, self._shown_at = answer, now
        return True

    def _lost(self, preview: Preview) -> str:
        """What is taken back besides the roll."""
        return lost_moves(self._store, preview, view_of(self._store.info.game).also_undone)

    def _accept(self, asked: AskPreview) -> None:
        self._send(MakeMove(id=self._new_id(), seq=asked.seq, seat=asked.seat, move=asked.move))
        self.closed = True

    # Keys.

    def press(self, key: str, now: float) -> None:
        self.said = ""
        if self._preview and self._asked:
            if key == "y" and now - self._shown_at >= DEAF_SECONDS:
                self._accept(self._asked)
            elif key in _CLOSING:
                self.closed = True
            else:
                self.said = "Not so fast: y once more." if key == "y" else "Press y to accept it, n to leave it."
        elif key in _CLOSING and (self._entry is None or key != "escape"):
            self.closed = True
        elif self._entry:
            self._type(self._entry, key)
        else:
            self._choose(key)

    def _choose(self, key: str) -> None:
        last = len(self._rolls) - 1
        match key:
            case "up" | "down":
                self._at = max(0, min(last, self._at + (1 if key == "up" else -1)))
            case "pageup" | "end" | "home" | "pagedown":
                self._at = last if key in ("home", "pageup") else 0
            case "enter" | " ":
                self.begin(self._rolls[self._at])
            case _:
                self.said = "Up and Down choose the roll that was wrong, Enter takes it, Esc goes back."

    def begin(self, roll: Correctable) -> None:
        """The roll is chosen: its faces come next."""
        self._at = self._rolls.index(roll)
        self._entry = DiceEntry(Move(take="correct", choice=roll.choice), roll.offer, roll.seat)

    def _type(self, entry: DiceEntry, key: str) -> None:
        if self._asked:
            return  # the answer is on its way
        after = entry.press(key)
        if isinstance(after, str):
            self.said = after
        else:
            self._entry = after
            self.closed = after is None and len(self._rolls) == 1
        if isinstance(after, DiceEntry) and after.done:
            self.try_move(after.seat, after.filled)
            self._entry = replace(after, faces=())

    # The picture.

    def paint(self, size: Size, glyphs: Glyphs) -> list[Line]:
        width = size.columns - 6
        keys: Keys
        if self._preview and self._asked:
            lines, keys = self._outcome(self._asked, self._preview, width, glyphs), _YES
        elif self._entry:
            lines, keys = self._typing(self._entry, width, glyphs), _TYPE
        else:
            lines, keys = self._list(size.rows - 7), _CHOOSE
        status = status_line("A roll that was typed wrong", "", size.columns)
        return whole(size, glyphs, status=status, lines=inside([[], *lines], 3), actions=keys)

    def _list(self, rows: int) -> list[Line]:
        newest_first = list(enumerate(self._rolls))[::-1]
        place = len(self._rolls) - 1 - self._at
        top = max(0, min(place - rows // 2, len(newest_first) - rows))
        wide = max(columns(self._store.name(roll.seat)) for roll in self._rolls)
        shown: list[Line] = [line("Which roll was wrong?", "head"), []]
        for number, roll in newest_first[top : top + rows]:
            chosen = number == self._at
            text = f"{'>' if chosen else ' '} {pad(self._roll(roll), 8)}  {pad(self._store.name(roll.seat), wide)}  "
            shown.append(line(f"{text}{roll.faces}", "turn" if chosen else ""))
        return shown

    def _roll(self, roll: Correctable) -> str:
        return f"roll {roll.choice[1:]}" if roll.choice else "the last roll"

    def _typing(self, entry: DiceEntry, width: int, glyphs: Glyphs) -> list[Line]:
        roll = self._rolls[self._at]
        was = f", which was typed as {roll.faces}" if roll.faces else ""
        asked = f"{self._store.name(roll.seat)}, {self._roll(roll)}{was}: press the right faces."
        waits = [[], line("Asking the server what comes of it.", "dim")] if self._asked else []
        faces = (self._asked.move.faces if self._asked else None) or entry.dice
        dice = row_of([Die(face, style="die" if face else "die-gone") for face in faces], glyphs, width, 5)
        return [*(line(part, "head") for part in wrap(asked, width)), [], *dice, *waits]

    def _outcome(self, asked: AskPreview, preview: Preview, width: int, glyphs: Glyphs) -> list[Line]:
        roll = self._rolls[self._at]
        head = what_it_does(self._store, roll.seat, asked.move)
        lines: list[Line] = [*(line(part, "head") for part in wrap(head, width)), []]
        view = view_of(self._store.info.game)
        rows = difference(self._store, preview, view.state_of_play, view.scores)
        for now, then in rows:
            lines += [line(f"now   {part}", "dim") for part in wrap(now, width - 6)[:1] if now]
            lines += [line(f"then  {part}", "big") for part in wrap(then, width - 6)[:1] if then]
        if not rows:
            lines += [line(part) for part in wrap(HIDDEN if preview.hidden else "Nothing else changes.", width)]
        lost = self._lost(preview)
        return lines + ([[], *(line(part, "bad") for part in wrap(lost, width))] if lost else [])


_CHOOSE: Keys = (Action("Up/Down", "Choose"), Action("Enter", "This roll"), Action("Esc", "Back", True))
_TYPE: Keys = (Action("1-6", "Faces"), Action("Backspace", "One back"), Action("Esc", "Back", True))
_YES: Keys = (Action("Y", "Accept"), Action("N", "Leave it as it is"))
