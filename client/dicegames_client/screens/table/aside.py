"""What the panels of a large window show besides the table: your chances, and the rules. Both come from the server.

Nothing is asked where there is no panel for it. At a large table the odds are not asked for by themselves: there every
roll would bring a question from each player. `O` still asks.
"""

from collections.abc import Callable

from dicegames_client.guest.store import Store
from dicegames_client.views import view_of
from dicegames_protocol.base import JsonObject
from dicegames_protocol.messages.client import AskOdds, AskRules, Request
from dicegames_protocol.messages.review import Review
from dicegames_protocol.messages.server import Error, Odds, RulesPage

MOST_SEATS = 8
"""Most players at a table where the odds are asked for by themselves."""


class Aside:
    def __init__(self) -> None:
        self.odds: Odds | None = None
        self.rules: RulesPage | None = None
        self._odds_id = self._rules_id = ""
        self._odds_for: tuple[int, int] | None = None
        """The roll that the odds were asked for after, and the seat."""
        self._rules_for: JsonObject | None = None
        """The options that the rules were asked for."""

    def questions(self, store: Store, seat: int | None, rolled: int, new_id: Callable[[], str]) -> list[Request]:
        """What to ask the server now. `rolled`: the number of the update with the last dice."""
        asked: list[Request] = []
        if store.phase != "dealing" and self._rules_for != store.info.options:
            self._rules_for, self._rules_id = store.info.options, new_id()
            asked.append(AskRules(id=self._rules_id))
        moment = None if seat is None else (rolled, seat)
        if moment is None or store.phase != "playing" or not store.offers(moment[1]):
            self.odds, self._odds_for = None, None
        elif self._odds_for != moment and self._worth_asking(store, moment[1]):
            self.odds, self._odds_for, self._odds_id = None, moment, new_id()
            asked.append(AskOdds(id=self._odds_id, seat=seat))
        return asked

    def _worth_asking(self, store: Store, seat: int) -> bool:
        return view_of(store.info.game).has_odds(store, seat) and len(store.table["seats"]) <= MOST_SEATS

    def hear(self, answer: RulesPage | Odds | Review | Error) -> bool:
        """Take an answer to one of the questions. False: it answers something else."""
        if answer.id == self._odds_id and answer.id:
            self.odds = answer if isinstance(answer, Odds) else None
        elif answer.id == self._rules_id and answer.id:
            self.rules = answer if isinstance(answer, RulesPage) else None
        else:
            return False
        return True
