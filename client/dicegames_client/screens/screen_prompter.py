"""The Prompter for the full screen."""

from collections.abc import Sequence

from dicegames_client.base.errors import ClientError
from dicegames_client.enter.prompter import Check
from dicegames_client.screens.forms.confirm_screen import ConfirmScreen, OfferScreen
from dicegames_client.screens.forms.menu import CANCELLED, Menu
from dicegames_client.screens.forms.question_screen import QuestionScreen
from dicegames_client.screens.screen import Prompt
from dicegames_client.screens.terminal.shell import Shell


class Cancelled(ClientError):
    """The user did not want to go on."""

    def __init__(self) -> None:
        super().__init__("", 0)


class ScreenPrompter:
    present = True

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._told: list[str] = []
        self.leave = "Quit"
        """What it means to answer nothing, in a word: the program ends, or there is a list to go back to."""

    async def question(self, text: str, *, check: Check | None = None, start: str = "") -> str:
        return await self._ask(Prompt("> ", text=start), text, check)

    async def secret(self, text: str) -> str:
        return await self._ask(Prompt("> ", secret=True), text, None)

    async def _ask(self, prompt: Prompt, text: str, check: Check | None) -> str:
        ask = QuestionScreen(
            prompt,
            self._shell.display.glyphs,
            before=[*self.told(), text],
            check=check or (lambda typed: None),
            leave=self.leave,
        )
        answer = await self._shell.show(ask)
        if answer == CANCELLED:
            raise Cancelled
        return str(answer)

    async def choose(self, question: str, choices: Sequence[tuple[str, str]], names: Sequence[str] = ()) -> int:
        answer = await self._shell.show(Menu(question, choices, self._shell.display.glyphs, self.leave))
        if answer == CANCELLED:
            raise Cancelled
        return int(answer)

    async def confirm(self, question: str, *, usual: bool = True) -> bool:
        told = [*self.told(), question]
        answer = await self._shell.show(ConfirmScreen(told, self._shell.display.glyphs, usual=usual, leave=self.leave))
        if answer == CANCELLED:
            raise Cancelled
        return bool(answer)

    async def offer(self, said: str, key: str, verb: str) -> bool:
        text = [*self.told(), f"{said} Press {key} to {verb}."]
        screen = OfferScreen(text, self._shell.display.glyphs, key=key, verb=verb, leave=self.leave)
        return bool(await self._shell.show(screen))

    def tell(self, text: str) -> None:
        """The text is shown on the next screen."""
        self._told.append(text)

    def wait(self, text: str, *, long: bool = False) -> None:
        self._shell.waiting.text = text
        self._shell.changed()

    def told(self) -> list[str]:
        told, self._told = self._told, []
        return told
