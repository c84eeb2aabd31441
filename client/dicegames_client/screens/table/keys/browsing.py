"""What can be read at the table besides the game: rules, odds, the feed, the players, how friends join.

Keys for that do the same in every phase of the table.
"""

from collections.abc import Callable

from dicegames_client.enter.invitation import NO_LINE, Invitation
from dicegames_client.play.room_wording import tell_table
from dicegames_client.play.scene import Scene
from dicegames_client.screens.invitation_page import COPY_KEY, INVITE_KEY, invitation_page
from dicegames_client.screens.screen import Prompt
from dicegames_client.screens.table.asked_review import ONLY_AFTERWARDS, REVIEW_KEY, AskedReview
from dicegames_client.screens.table.pages.overlay import ODDS_KEY, RULES_KEY, Overlay, feed_page
from dicegames_client.screens.table.painting.recap_picture import STORY_KEY, story_page
from dicegames_client.screens.table.stage.stage import Stage
from dicegames_client.screens.table.typing.open_line import OpenLine
from dicegames_client.views import view_of
from dicegames_protocol.messages.client import Request

_SCROLL = {"up": -1, "down": 1, "home": -(10**6), "end": 10**6}


class Browsing:
    def __init__(
        self,
        stage: Stage,
        typing: OpenLine,
        invited: Invitation,
        *,
        send: Callable[[Request], None],
        new_id: Callable[[], str],
        scene: Callable[[float], Scene],
    ) -> None:
        self.overlay = Overlay()
        self.review = AskedReview()
        self.scroll: int | None = None
        """The first player in the list; None: whose turn it is stays in sight."""
        self.copies = ""
        """A text for the clipboard."""
        self._stage, self._typing, self._invited = stage, typing, invited
        self._send, self._new_id, self._scene = send, new_id, scene

    def press(self, key: str, now: float) -> bool:
        """A key that does the same in every phase. False if this is not one of them."""
        shown = self._stage.shown
        match key:
            case "ctrl-f":
                self._typing.open(Prompt("Find in the feed: ", history="find"), self.find, empty_too=True)
            case _ if self._stage.feed.press(key):
                pass
            case "pageup" | "pagedown":  # the window is too narrow for the feed
                self.find("", now)
            case "?" | "o" if self._stage.lost_at is not None:
                return False
            case "?":
                self.ask(RULES_KEY, now)
            case "g" if shown.phase == "waiting":
                self.ask(RULES_KEY, now)
            case "o":
                self.ask(ODDS_KEY, now)
            case _ if key == STORY_KEY and shown.phase == "over":
                self.overlay.page = story_page(self._scene(now), self._stage.recap)
            case _ if key == REVIEW_KEY and shown.phase == "over":
                self._show_review(now)
            case _ if key in (INVITE_KEY, COPY_KEY) and shown.phase == "waiting":
                self.invite(key, now)
            case _ if key in _SCROLL:
                last = len(shown.table.get("seats", {})) - 1
                self.scroll = max(0, min(last, (self.scroll or 0) + _SCROLL[key]))
            case _:
                return False
        return True

    def press_page(self, key: str, rows: int, now: float) -> None:
        """A key while a page is open. `rows`: those that can be seen at once."""
        if key == COPY_KEY and self.overlay.page and self.overlay.page.kind == INVITE_KEY:
            self.invite(key, now)
        elif not self.overlay.press(key, rows):
            self._stage.say("Press Esc to go back to the table.", now)

    def ask(self, kind: str, now: float) -> None:
        """Ask the server for the rules or the odds, and open a page for the answer."""
        shown, scene = self._stage.shown, self._scene(now)
        view = view_of(shown.info.game)
        if kind == ODDS_KEY and shown.phase in ("waiting", "dealing"):
            self._stage.say("There are no odds before the game begins.", now)
        elif kind == ODDS_KEY and shown.phase == "playing" and not view.has_odds(shown, scene.seat):
            self._stage.say(view.no_odds, now)
        else:
            self._send(self.overlay.ask(kind, self._new_id(), scene.seat))

    def typed(self, word: str, rest: str, now: float) -> None:
        """A command that opens a page."""
        match word:
            case "who":
                self.who()
            case "invite":
                self.invite(INVITE_KEY, now)
            case "find" | "feed":
                self.find(rest, now)
            case "review" if rest and rest != f"{self._stage.shown.info.game_no}":
                self._stage.say(f"Here /review tells of the last game. Line mode knows 'review {rest[:8]}', too.", now)
            case "review":
                self._show_review(now)
            case _:
                self.ask(ODDS_KEY if word == "odds" else RULES_KEY, now)

    def ask_review(self) -> None:
        """Ask how well everybody played, once, when the game is over."""
        if question := self.review.question(self._stage.shown, self._new_id):
            self._send(question)

    def _show_review(self, now: float) -> None:
        if self._stage.shown.phase != "over":
            self._stage.say(ONLY_AFTERWARDS, now)
            return
        if self._stage.lost_at is None and (
            question := self.review.question(self._stage.shown, self._new_id, wanted=True)
        ):
            self._send(question)
        self.overlay.page = self.review.page(self._stage.display.glyphs)

    def find(self, word: str, now: float) -> None:
        self.overlay.page = feed_page(self._stage.feed, word)

    def who(self) -> None:
        self.overlay.tell("Who is here", [*tell_table(self._stage.shown), "", *self._invited.told()])

    def invite(self, key: str, now: float) -> None:
        """Show how friends join, or copy the line for them."""
        if not self._invited:
            self._stage.say(NO_LINE, now)
        elif key == COPY_KEY:
            self.copies = self._invited.line
            self._stage.say(f"Copied, if your terminal lets us: {self._invited.line}", now)
        else:
            self.overlay.page = invitation_page(self._invited, self._stage.display.glyphs)
