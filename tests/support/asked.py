"""A user who answers what a command asks, one prepared answer after the other."""

from collections.abc import Sequence

from dicegames_client.enter.prompter import Check


class Asked:
    def __init__(self, *answers: str | bool) -> None:
        """A bool answers a yes-or-no question or an offer, a text anything else. Without answers nobody is there."""
        self.present = bool(answers)
        self.answers = list(answers)
        self.heard: list[str] = []
        """Everything that was said and asked."""

    def _answer(self, text: str) -> str | bool:
        self.heard.append(text)
        assert self.answers, f"nobody expected: {text}"
        return self.answers.pop(0)

    async def question(self, text: str, *, check: Check | None = None, start: str = "") -> str:
        typed = self._answer(text)
        while check and (wrong := check(str(typed))):
            typed = self._answer(wrong)
        assert isinstance(typed, str)
        return typed

    async def secret(self, text: str) -> str:
        return str(self._answer(text))

    async def choose(self, question: str, choices: Sequence[tuple[str, str]], names: Sequence[str] = ()) -> int:
        return int(self._answer(question))

    async def confirm(self, question: str, *, usual: bool = True) -> bool:
        answer = self._answer(question)
        assert isinstance(answer, bool)
        return answer

    async def offer(self, said: str, key: str, verb: str) -> bool:
        return await self.confirm(f"{said} [{key}] {verb}")

    def tell(self, text: str) -> None:
        self.heard.append(text)

    def wait(self, text: str, *, long: bool = False) -> None:
        """Nothing is said while this user waits."""
