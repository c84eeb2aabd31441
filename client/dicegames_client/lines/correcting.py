"""A typed roll that is corrected in line mode: what would come of it is told first, and 'yes' accepts it."""

from collections.abc import Callable

from dicegames_client.guest.store import Store
from dicegames_client.play.real_dice import HIDDEN, difference, lost_moves
from dicegames_client.views import view_of
from dicegames_protocol.messages.client import AskPreview, MakeMove
from dicegames_protocol.messages.server import Preview
from dicegames_protocol.table import UNDO

_YES = ("yes", "y")


class Correcting:
    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._asked: MakeMove | None = None
        """What would come of this move was asked."""
        self._told = False

    @property
    def open(self) -> bool:
        """The user has read what would come of it, and has not answered yet."""
        return self._asked is not None and self._told

    def ask(self, move: MakeMove) -> AskPreview:
        self._asked, self._told = move, False
        return AskPreview(id=self._new_id(), seq=move.seq, seat=move.seat, move=move.move)

    def tell(self, preview: Preview, store: Store) -> tuple[list[str], MakeMove | None]:
        """Sentences about what would come of it. Or, where there is nothing to ask, the move itself."""
        asked, lost = self._asked, lost_moves(store, preview)
        if asked is None:
            return [], None
        if asked.move.take == UNDO and not lost:
            self._asked = None
            return [], asked
        self._told = True
        view = view_of(store.info.game)
        rows = difference(store, preview, view.state_of_play, view.scores)
        lines = [f"Now: {now or '-'} Then: {then or '-'}" for now, then in rows]
        nothing = HIDDEN if preview.hidden else "Nothing else changes."
        return [*(lines or [nothing]), *([lost] if lost else []), "Type 'yes' to accept it."], None

    def answer(self, word: str) -> MakeMove | None:
        """The move, if the user accepts it. Anything else than yes drops it."""
        accepted = self._asked if self.open and word.lower() in _YES else None
        self._asked = None
        return accepted

    def drop(self) -> None:
        """The game has moved on."""
        self._asked = None
