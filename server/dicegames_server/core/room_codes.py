"""Room codes: short enough to read to a friend, long enough not to be guessed.

Only consonants and digits that can't be mistaken for each other when read aloud or in a bad font, so that no code
spells a word either.
"""

import re
import secrets

ALPHABET = "CDFGHJKMNPQRTVWXZ234679"
SHORTEST, LONGEST = 4, 8
_ROOMS_PER_CODE = 1 / 2**14
"""At most so large a share of all codes of a length is in use: what one guess is worth."""


def new_code(rooms: int) -> str:
    """A code for one more room on a server that has so many already."""
    length = SHORTEST
    while length < LONGEST and (rooms + 1) > len(ALPHABET) ** length * _ROOMS_PER_CODE:
        length += 1
    return tidy("".join(secrets.choice(ALPHABET) for _ in range(length)))


def tidy(typed: str) -> str:
    """A code as it is written, from how somebody typed it: any case, with or without blanks and hyphen."""
    code = "".join(char for char in typed.upper() if char.isalnum())
    return f"{code[:4]}-{code[4:]}" if len(code) == LONGEST else code


def path_to(url: str, code: str) -> str:
    """Where a room is found on the node at this address; nothing where there is no address."""
    return f"{url}/r/{code}" if url else ""


def code_in(path: str) -> str:
    """The room that is named in the path of a connection, whatever comes before it; nothing where there is none."""
    found = re.search(r"/r/([A-Za-z0-9-]{4,9})$", path)
    return tidy(found[1]) if found else ""
