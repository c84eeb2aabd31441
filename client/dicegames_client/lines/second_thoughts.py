"""A move that is asked about before it is made: a typed roll that is put right, or a move that loses at once."""

from collections.abc import Callable

from dicegames_client.guest.store import Store
from dicegames_client.play.real_dice import HIDDEN, MENDING, difference, lost_moves, what_it_does
from dicegames_client.views import view_of
from dicegames_protocol.messages.client import AskPreview, MakeMove, Request
from dicegames_protocol.messages.server import Preview
from dicegames_protocol.table import UNDO

_YES, _NO = ("yes", "y"), ("no", "n")


class SecondThoughts:
    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._asked: MakeMove | None = None
        self._told = False

    @property
    def open(self) -> bool:
        """The user has read what would come of it, and has not answered yet."""
        return self._asked is not None and self._told

    def before(self, message: Request, store: Store) -> tuple[Request | None, str]:
        """What to send instead of a message, if anything, and a question for the user. Most messages need neither."""
        if not isinstance(message, MakeMove):
            return message, ""
        if message.move.take in MENDING:
            self._asked, self._told = message, False
            return AskPreview(id=self._new_id(), seq=message.seq, seat=message.seat, move=message.move), ""
        offer = store.offers(message.seat).get(message.move.take) if message.seat is not None else None
        if offer is None or not offer.loses:
            return message, ""
        self._asked, self._told = message, True
        return None, f"{offer.label} loses at once. Type 'yes' if you mean it."

    def tell(self, preview: Preview, store: Store) -> tuple[list[str], MakeMove | None]:
        """Sentences about what would come of a correction. Or, where there is nothing to ask, the move itself."""
        view = view_of(store.info.game)
        asked, lost = self._asked, lost_moves(store, preview, view.also_undone)
        if asked is None or asked.seat is None:
            return [], None
        if asked.move.take == UNDO and not lost:
            self._asked = None
            return [], asked
        self._told = True
        rows = difference(store, preview, view.state_of_play, view.scores)
        lines = [f"Now: {now or '-'} Then: {then or '-'}" for now, then in rows]
        nothing = HIDDEN if preview.hidden else "Nothing else changes."
        told = [*(lines or [nothing]), *([lost] if lost else []), "Type 'yes' to accept it."]
        return [what_it_does(store, asked.seat, asked.move), *told], None

    def answer(self, typed: str) -> tuple[MakeMove | None, str]:
        """The move, if the user accepts it. Anything else drops it: then what is said, and what is left to do."""
        asked, self._asked = self._asked, None
        word = typed.lower()
        if asked is None or word in _YES:
            return asked, ""
        return None, "" if word in _NO else typed

    def drop(self) -> None:
        """The game has moved on."""
        self._asked = None
