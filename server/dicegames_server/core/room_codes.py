"""Room codes: short enough to read to a friend, long enough not to be guessed.

They use only consonants and digits that can't be confused when read aloud or in a bad font. Without vowels no code
spells a word.
"""

import re
import secrets

ALPHABET = "CDFGHJKMNPQRTVWXZ234679"
SHORTEST_CODE, LONGEST_CODE = 4, 8
_ROOMS_PER_CODE = 1 / 2**14
"""Largest share of all codes of one length that may be in use. So it is the chance that one guess finds a room."""


def new_code(rooms: int) -> str:
    """A code for one more room. `rooms`: how many there are already; with more rooms the codes get longer."""
    length = SHORTEST_CODE
    while length < LONGEST_CODE and (rooms + 1) > len(ALPHABET) ** length * _ROOMS_PER_CODE:
        length += 1
    return tidy("".join(secrets.choice(ALPHABET) for _ in range(length)))


def tidy(typed: str) -> str:
    """The standard form of a code that somebody typed: in any case, with or without blanks and hyphen."""
    code = "".join(char for char in typed.upper() if char.isalnum())
    return f"{code[:4]}-{code[4:]}" if len(code) == LONGEST_CODE else code


def path_to(url: str, code: str) -> str:
    """The address of a room on the node at `url`. Empty where `url` is empty."""
    return f"{url}/r/{code}" if url else ""


def code_in(path: str) -> str:
    """The room code at the end of a connection's path, whatever comes before it. Empty where there is none."""
    found = re.search(r"/r/([A-Za-z0-9-]{4,9})$", path)
    return tidy(found[1]) if found else ""


def possible_code(text: str) -> str:
    """The standard form of a text that can be a room code. Empty where no room can ever have it.

    No word passes, whatever a stranger writes: codes have no vowels. Use it where a text of others is shown.
    """
    if not re.fullmatch(r"[A-Za-z0-9]{4,8}|[A-Za-z0-9]{4}-[A-Za-z0-9]{4}", text):
        return ""
    code = tidy(text)
    return code if set(code) <= {*ALPHABET, "-"} else ""
