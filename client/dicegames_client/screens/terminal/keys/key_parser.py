"""What a terminal sends becomes keys, as prompt_toolkit knows them. Reports of the terminal are told apart first."""

import re
from collections.abc import Callable

from prompt_toolkit.input import Input
from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding.key_processor import KeyPress

from dicegames_client.base.terminal.reports import Reports

_UNKNOWN = re.compile(r"\x1b\[(?!20[01]~)[0-?]*[ -/]*[@-~]|\x1bO[ -~]")
"""A whole sequence, known or not."""
_OTHERS = re.compile(r"\x1b\[(?:[0-9]+;[0-9]+R|<?[0-9;]+[Mm]|M)")
"""Sequences that prompt_toolkit knows without a list: where the cursor is, and the mouse."""


def _known(found: re.Match[str]) -> str:
    """A sequence, if anything knows it. Of another one, the last letter would act as a key."""
    return found[0] if found[0] in ANSI_SEQUENCES or _OTHERS.fullmatch(found[0]) else ""


class KeyParser(Vt100Parser):
    def __init__(
        self, key: Callable[[KeyPress], None], report: Callable[[str], None], now: Callable[[], float]
    ) -> None:
        """`key` gets each key, `report` what the terminal told."""
        super().__init__(key)
        self._report = report
        self._reports = Reports(now)

    @property
    def unfinished(self) -> bool:
        """Whether what comes next may be the rest of a report."""
        return self._reports.unfinished

    def feed(self, data: str) -> None:
        if self._in_bracketed_paste:
            super().feed(data)
            return
        keys, reports = self._reports.sift(data)
        for told in reports:
            self._report(told)
        super().feed(_UNKNOWN.sub(_known, keys))

    def flush(self) -> None:
        super().feed(self._reports.flush())
        super().flush()


def hear_reports(input: Input, report: Callable[[str], None], now: Callable[[], float]) -> None:
    """From now on reports of the terminal are no keys. A Windows console has no parser, and sends none."""
    parser = getattr(input, "vt100_parser", None)
    if parser is not None:
        input.vt100_parser = KeyParser(parser.feed_key_callback, report, now)  # type: ignore[attr-defined]


def type_ahead(input: Input, keys: str) -> None:
    """Keys that were pressed before the screen was there come first."""
    parser = getattr(input, "vt100_parser", None)
    if keys and parser is not None:
        parser.feed(keys)
