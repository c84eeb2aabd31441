"""The story of one game, gathered update by update: scores over the rounds, and what was remarkable. Pure.

Updates come live while somebody plays, or from the log for somebody who came late; the same fold makes the recap.
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
    """The game was seen from its beginning."""
    laps: tuple[dict[str, int], ...] = ()
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
        """Curves for the plot: those who ended highest first, and no more than can be told apart."""
        names = sorted(self.laps[-1], key=lambda name: -self.laps[-1][name]) if self.laps else []
        return [Series(name, tuple(lap.get(name, 0) for lap in self.laps)) for name in names[:most]]


def from_log(updates: Iterable[Update], tokens: dict[int, str]) -> Recap:
    """The recap of the latest game in a log, told from the side of whoever holds these seats."""
    store, recap = Store(tokens=tokens), Recap()
    for update in updates:
        before = store
        store, verdict = store.receive(update)
        if verdict is Verdict.NEWS:
            recap = recap.hear(update, before, store)
    return recap
