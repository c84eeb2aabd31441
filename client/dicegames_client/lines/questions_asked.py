"""What line mode asks the server about the game: rules, odds, and how well everybody played. And the answers, told."""

from collections.abc import Callable

from dicegames_client.guest.store import Store
from dicegames_client.play.advice import tell_odds, tell_rules
from dicegames_client.play.parse_input import ParsedInput, speaker
from dicegames_client.play.typed_commands import Unclear
from dicegames_client.play.wording import Wording
from dicegames_client.review.cleaned import cleaned
from dicegames_client.review.review_text import told_review
from dicegames_protocol.messages.client import AskOdds, AskReview, AskRules
from dicegames_protocol.messages.review import Review
from dicegames_protocol.messages.server import Odds, RulesPage

Question = AskRules | AskOdds | AskReview
Answer = RulesPage | Odds | Review
_MOST_GAMES = 1_000_000


def question(parsed: ParsedInput, store: Store, new_id: Callable[[], str]) -> Question | None:
    """The question in a typed line. None: it is none. Raises Unclear."""
    match parsed.local:
        case "rules":
            return AskRules(id=new_id())
        case "odds":
            return AskOdds(id=new_id(), seat=speaker(store, "")[0])
        case "review":
            return AskReview(id=new_id(), game_no=_number(parsed.rest))
    return None


def _number(typed: str) -> int | None:
    """The game that is meant. None: the last one."""
    if not typed:
        return None
    if not (typed.isdecimal() and typed.isascii() and len(typed) < 8 and 1 <= int(typed) <= _MOST_GAMES):
        raise Unclear(f"'{typed[:20]}' is not the number of a game. Type 'review', or for example 'review 1'.")
    return int(typed)


def told_answer(answer: Answer, store: Store) -> list[str]:
    match answer:
        case RulesPage():
            return tell_rules(answer, store.info)
        case Odds():
            return tell_odds(answer, Wording(store))
        case Review():
            return told_review(cleaned(answer.review))


def after_the_game(store: Store) -> str:
    """What somebody can type when a game is over."""
    if store.seats:
        return "Type 'rematch' to play again, 'review' for how well everybody played, or 'quit'."
    return "Type 'review' for how well everybody played."
