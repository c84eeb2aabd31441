"""What must still be typed for a move: a name or a number to choose, and the faces of real dice. Pure."""

from dataclasses import dataclass, replace

from dicegames_client.play.parse_move import choice_from, dice_to_enter, faces_of
from dicegames_client.play.room_wording import word
from dicegames_client.screens.screen import Prompt, Word
from dicegames_protocol.table import CORRECT, Move, Offer
from dicegames_protocol.text import strip


@dataclass(frozen=True, slots=True)
class FillIn:
    move: Move
    offer: Offer
    whose: str = ""
    """The name of the player to move, if several share a keyboard."""

    @property
    def _asks_choice(self) -> bool:
        return self.offer.asks in ("name", "number") and self.move.choice is None

    @property
    def done(self) -> bool:
        """Whether nothing more must be typed."""
        return not self._asks_choice and (self.offer.enter is None or self.move.faces is not None)

    @property
    def only_faces(self) -> bool:
        """Whether nothing but the faces of real dice must be typed."""
        return not self._asks_choice and not self.done

    def prompt(self) -> Prompt:
        whose = f"{self.whose}, " if self.whose else ""
        if self._asks_choice and self.offer.asks == "number":
            return Prompt(f"{whose}{strip(self.offer.label)}, {word(self.offer.least)} to {word(self.offer.most)}: ")
        if self._asks_choice:
            return Prompt(f"{whose}{strip(self.offer.label)}, which (Tab lists them): ")
        what = "the last roll, put right" if self.move.take == CORRECT else "the faces you rolled"
        return Prompt(f"{whose}{what}: ")

    def typed(self, text: str) -> "FillIn":
        """The same move with what was typed. Raises NotUnderstood with a sentence."""
        if self._asks_choice:
            return replace(self, move=self.move.but(choice=choice_from(text, self.move.take, self.offer)))
        count = dice_to_enter(self.offer, self.move.choice)
        faces = faces_of(text.replace(",", " ").split(), count, self.offer.sides or 6)
        return replace(self, move=self.move.but(faces=faces))

    def complete(self, text: str) -> list[Word]:
        """The names that can be chosen and begin with `text`, and what each is worth."""
        return choice_words(self.offer, text) if self._asks_choice and self.offer.asks == "name" else []


def choice_words(offer: Offer, text: str) -> list[Word]:
    """The choices of an offer that begin with `text`: names, or faces with blanks between them."""
    wanted = "".join(text.split()) if offer.asks == "faces" else text.lower()
    found = {key: choice for key, choice in (offer.choices or {}).items() if key.startswith(wanted)}
    about = {key: f"{strip(choice.label or '')} {choice.worth:,}".strip() for key, choice in found.items()}
    written = {key: " ".join(key) if offer.asks == "faces" else key for key in found}
    return [Word(strip(written[key]), len(text), about[key]) for key in found]
