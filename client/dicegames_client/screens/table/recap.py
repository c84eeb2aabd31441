"""The story of one game, collected update by update: scores over the rounds, and remarkable moments. Pure.

Updates come live during the game, or from the log for a player who came late. The recap is made in the same way.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from dicegames_client.guest.store import Store, Verdict
from dicegames_client.play.highlights import Highlight
from dicegames_client.views import view_of
from dicegames_client.widgets.plot import Series
from dicegames_protocol.messages.server import Update


@dataclass(frozen=True, slots=True)
class Recap:
    whole: bool = False
    """The game was seen from its start."""
    laps: tuple[dict[str, int], ...] = ()
    """The values of the plot by name of the curve, one entry for each round."""
    best: tuple[Highlight, ...] = ()

    def hear(self, update: Update, before: Store, after: Store) -> "Recap":
        """The recap after one more update."""
        recap = self
        if not after.game:
            return recap
        view = view_of(after.info.game)
        for event in update.events:
            if event["kind"] == "game_started":
                recap = Recap(whole=True, laps=(view.tally(after),))
                continue
            for found in view.highlights(event, before, after):
                recap = recap._keep(found)
            if view.lap(event, after):
                recap = replace(recap, laps=(*recap.laps, view.tally(after)))
        return recap

    def _keep(self, found: Highlight) -> "Recap":
        known = {highlight.kind: highlight for highlight in self.best}
        if found.kind in known and known[found.kind].weight >= found.weight:
            return self
        return replace(self, best=tuple({**known, found.kind: found}.values()))

    def series(self, most: int) -> list[Series]:
        """Curves for the plot, the highest at the end first. No more than `most`, so that they can be told apart."""
        names = sorted(self.laps[-1], key=lambda name: -self.laps[-1][name]) if self.laps else []
        return [Series(name, tuple(lap.get(name, 0) for lap in self.laps)) for name in names[:most]]


def from_log(updates: Iterable[Update], tokens: dict[int, str]) -> Recap:
    """The recap of the latest game in a log, from the side of the player with these seats."""
    store, recap = Store(tokens=tokens), Recap()
    for update in updates:
        before = store
        store, verdict = store.receive(update)
        if verdict is Verdict.NEWS:
            recap = recap.hear(update, before, store)
    return recap
