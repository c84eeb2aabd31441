"""Hints for somebody who plays a game for the first time on this machine, and lessons in practice."""

from collections import Counter
from collections.abc import Callable, Iterable

from dicegames_client.base.command_line import program
from dicegames_client.play.hints import ENOUGH_MOVES
from dicegames_client.play.scene import Scene
from dicegames_client.views import view_of

WHOLE_GAME = "*"
"""Instead of the id of a hint: a whole game was played, so all of its hints are understood."""


class Adviser:
    def __init__(
        self,
        understood: Iterable[tuple[str, str]] = (),
        learn: Callable[[str, str], None] = lambda game, id: None,
        *,
        hints: bool = False,
        practice: bool = False,
    ) -> None:
        """`understood`: game and id of hints that are not shown again. `learn` is called with each new one."""
        self._understood = set(understood)
        self._learn = learn
        self._hints = hints
        self._practice = practice
        self._moves: Counter[tuple[str, str]] = Counter()

    def hint(self, scene: Scene) -> str:
        """What matters now. Empty: there is nothing to say, or it was understood."""
        found = self._found(scene)
        return found[1] if found and self._hints and not self._practice else ""

    def lesson(self, scene: Scene) -> str:
        """The same in practice, where it is always shown."""
        game = scene.store.info.game
        if not self._practice or not scene.game:
            return ""
        if scene.store.phase == "over":
            return f"That was a whole game. M plays another one; {program()} host {game} opens a table for friends."
        return view_of(game).lesson(scene) if scene.playing else ""

    def warns(self, scene: Scene, id: str) -> bool:
        """Whether to warn about something: until it was answered once, and only where hints are wanted."""
        return (self._hints or self._practice) and (scene.store.info.game, id) not in self._understood

    def answered(self, scene: Scene, id: str) -> None:
        """The player has read the warning and decided."""
        self._understand(scene.store.info.game, id)

    def moved(self, scene: Scene) -> None:
        """The player makes a move with a hint on the screen. After a few of them it is understood."""
        if found := self._found(scene):
            key = scene.store.info.game, found[0]
            self._moves[key] += 1
            if self._moves[key] >= ENOUGH_MOVES:
                self._understand(*key)

    def played(self, game: str) -> None:
        """A whole game was played."""
        if not self._practice and (game, WHOLE_GAME) not in self._understood:
            self._understand(game, WHOLE_GAME)

    def _found(self, scene: Scene) -> tuple[str, str] | None:
        game = scene.store.info.game
        if not scene.playing or not scene.game or (game, WHOLE_GAME) in self._understood:
            return None
        found = view_of(game).hint(scene)
        return found if found and (game, found.id) not in self._understood else None

    def _understand(self, game: str, id: str) -> None:
        self._understood.add((game, id))
        self._learn(game, id)
