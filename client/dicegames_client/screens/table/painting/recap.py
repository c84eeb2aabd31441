"""The story of one game, collected update by update: scores over the rounds, and remarkable moments. Pure.

Updates come live during the game, or from the log for a player who came late (stage/past.py). It is the same recap.
"""

from collections.abc import Container
from dataclasses import dataclass, field, replace
from itertools import pairwise

from dicegames_client.guest.store import Store
from dicegames_client.play.highlights import Highlight
from dicegames_client.play.real_dice import typed_by_hand
from dicegames_client.play.room_wording import of_room
from dicegames_client.play.wording import with_mine
from dicegames_client.views import view_of
from dicegames_client.widgets.plot import Series
from dicegames_protocol.base import JsonObject
from dicegames_protocol.messages.server import Update

MOST_LAPS = 512
"""Points of a curve. Of a longer game every second one is dropped."""
MOST_ROUNDS = 40
"""Rounds that the score sheet remembers."""
MOST_TYPED = 60
"""Typed rolls that can be taken out of a recap again."""
MOST_STORY = 60
"""Events that the story of a round remembers."""


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """What everybody has won in the last rounds."""

    scores: tuple[dict[int, int], ...] = ()
    """The score of each seat: before the first round that is remembered, and after each round."""
    first: int = 1
    """The number of the first round that is remembered."""

    def after(self, scores: dict[int, int]) -> "ScoreSheet":
        """The sheet with one more round."""
        dropped = len(self.scores) > MOST_ROUNDS
        return ScoreSheet((*self.scores[dropped:], scores), self.first + dropped)

    def heads(self, most: int) -> list[str]:
        numbers = range(self.first, self.first + len(self.scores) - 1)
        return [str(number) for number in numbers[-most:]]

    def cells(self, seat: int, most: int) -> list[str]:
        """A round without points has a dash. Empty: the seat is not in this game."""
        pairs = list(pairwise(self.scores))[-most:]
        gains = [after[seat] - before[seat] if seat in after and seat in before else None for before, after in pairs]
        return ["" if gain is None else f"{gain:,}" if gain else "-" for gain in gains]


@dataclass(frozen=True, slots=True)
class Recap:
    whole: bool = False
    """The game was seen from its start."""
    laps: tuple[dict[str, int], ...] = ()
    """The values of the plot by name of the curve, one entry for each round."""
    best: tuple[Highlight, ...] = ()
    sheet: ScoreSheet = field(default_factory=ScoreSheet)
    story: tuple[JsonObject, ...] = ()
    """The events of this round, or of what the game tells as one story."""
    before_rolls: tuple["Recap", ...] = ()
    """The recap before each of the last rolls, where real dice are typed: a roll may be corrected or taken back."""

    def hear(self, update: Update, before: Store, after: Store) -> "Recap":
        """The recap after one more update."""
        recap = self
        if not after.game:
            return recap
        view = view_of(after.info.game)
        mended = False
        for event in update.events:
            if event["kind"] in ("corrected", "taken_back"):
                recap, mended = recap._without_rolls(event.get("back") or 1), True
                continue
            if typed_by_hand(update) and view.thrown(event):
                recap = replace(recap, before_rolls=(*recap.before_rolls, recap)[-MOST_TYPED:])
            if event["kind"] == "game_started":
                recap = Recap(whole=True, laps=(view.tally(after),), sheet=ScoreSheet().after(view.scores_of(after)))
                continue
            if not of_room(event):
                story = () if view.story_begins(event, before) else recap.story
                recap = replace(recap, story=(*story, event)[-MOST_STORY:])
            if not mended:  # else `before` is the table with the wrong roll, and nothing can be compared with it
                for found in view.highlights(event, before, after):
                    recap = recap._keep(found)
            if view.lap(event, after):
                laps = (*recap.laps, view.tally(after))
                recap = replace(recap, laps=laps if len(laps) < MOST_LAPS else (laps[0], *laps[1::2]))
            if view.round_ends(event, after):
                recap = replace(recap, sheet=recap.sheet.after(view.scores_of(after)))
        return recap

    def _without_rolls(self, count: int) -> "Recap":
        """The recap before so many of the last rolls, as far as they are known."""
        return self.before_rolls[-count] if count <= len(self.before_rolls) else self

    def _keep(self, found: Highlight) -> "Recap":
        known = {highlight.kind: highlight for highlight in self.best}
        if found.kind in known and known[found.kind].weight >= found.weight:
            return self
        return replace(self, best=tuple({**known, found.kind: found}.values()))

    def series(self, most: int, mine: Container[str] = ()) -> list[Series]:
        """Curves for the plot, the highest at the end first. No more than `most`, so that they can be told apart.

        `mine`: names that belong to those who are shown.
        """
        names = sorted(self.laps[-1], key=lambda name: -self.laps[-1][name]) if self.laps else []
        return [
            Series(name, tuple(lap.get(name, 0) for lap in self.laps), name in mine)
            for name in with_mine(names, most, mine)
        ]
