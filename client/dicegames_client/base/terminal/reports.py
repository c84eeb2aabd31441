"""What a terminal sends without a key: that its window has got or lost the focus, and answers to questions. Pure.

None of it may act as a key, or get into a typed line. Over a slow line an answer comes late, or in several parts; `O`
of a focus report would open the odds.
"""

import re
from collections.abc import Callable, Sequence

FOCUS_IN, FOCUS_OUT = "\x1b[I", "\x1b[O"
REST_SECONDS = 0.5
"""Seconds for which the rest of a sequence is waited for. Its beginning may have acted as Escape meanwhile."""
_REPORT = re.compile(r"\x1b(?:\[[IO]|\[\?[0-9;]{0,30}\$?[a-z]|\]1[01];[0-9A-Za-z:/]{0,40}(?:\x07|\x1b\\))")
_BEGUN = re.compile(r"\x1b(?:\[(?:\?[0-9;]{0,30}\$?)?|\](?:1(?:[01](?:;[0-9A-Za-z:/]{0,40}\x1b?)?)?)?)?\Z")
_SEQUENCE = re.compile(r"\x1b\[[0-9;<]{0,30}[A-Za-z~]")
_PASTE = "\x1b[200~"
_KEYS_LENGTH = 2
"""Most characters of a beginning that a user can have typed: Escape, or Alt with a bracket."""


class Reports:
    """Takes reports out of what a terminal sends."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._begun = ""
        """What may be the beginning of a report."""
        self._acted = 0
        """How many characters of it have acted as keys meanwhile."""
        self._since = 0.0

    @property
    def unfinished(self) -> bool:
        """Whether what comes next may be the rest of a report."""
        return bool(self._begun) and self._now() - self._since <= REST_SECONDS

    def sift(self, text: str) -> tuple[str, Sequence[str]]:
        """The keys in what has come, and the reports. What was pasted stays as it is."""
        begun, acted = (self._begun, self._acted) if self.unfinished else ("", 0)
        self._begun, self._acted = "", 0
        whole = begun + text
        known = (_REPORT, _BEGUN, *([_SEQUENCE] if acted == 1 else []))
        if acted and not any(kind.match(whole) for kind in known):
            whole, acted = text, 0  # the keys that have acted were keys
        if "\x1b" not in whole:
            return whole, ()
        head, paste, rest = whole.partition(_PASTE)
        reports, keys = _REPORT.findall(head), _REPORT.sub("", head)
        found = None if paste else _BEGUN.search(keys)
        if found:
            keys, self._begun, self._since = keys[: found.start()], found[0], self._now()
            self._acted = acted if self._begun == whole else 0
        return keys + paste + rest, reports

    def flush(self) -> str:
        """Nothing has followed in time: the keys that a beginning stands for. A longer one is nothing typed."""
        if len(self._begun) > _KEYS_LENGTH and not self._acted:
            return ""
        keys, self._acted = self._begun[self._acted :], len(self._begun)
        return keys
