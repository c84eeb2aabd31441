"""A secret as words that can be written on paper and read aloud.

Each word has five letters, consonants and vowels in turn, and stands for 16 bits. It needs no list of words and no
language. The last word is a checksum, so that a wrong letter is noticed.
"""

import hashlib

_CONSONANTS = "bdfghjklmnprstvz"
_VOWELS = "aiou"
PLAYER_SECRET_BYTES = 16
WORDS = PLAYER_SECRET_BYTES // 2 + 1
"""Number of words, with the checksum."""


class WordsError(ValueError):
    """These are no recovery words. str() is a sentence."""


def to_words(secret: bytes) -> list[str]:
    return [_word(data[0] << 8 | data[1]) for data in _pairs(secret + _checksum(secret))]


def from_words(text: str) -> bytes:
    """The secret. Case, commas and hyphens do not matter. Raises WordsError."""
    words = text.lower().replace(",", " ").replace("-", " ").split()
    if len(words) != WORDS:
        raise WordsError(f"There are {WORDS} recovery words, and these are {len(words)}.")
    whole = b"".join(_number(word).to_bytes(2, "big") for word in words)
    secret, checksum = whole[:PLAYER_SECRET_BYTES], whole[PLAYER_SECRET_BYTES:]
    if checksum != _checksum(secret):
        raise WordsError("These words do not fit together: one of them is wrong, or two are exchanged.")
    return secret


def _checksum(secret: bytes) -> bytes:
    return hashlib.sha256(b"dicegames words 1|" + secret).digest()[:2]


def _pairs(data: bytes) -> list[bytes]:
    return [data[start : start + 2] for start in range(0, len(data), 2)]


def _word(number: int) -> str:
    """16 bits: 4 for each consonant, 2 for each vowel."""
    letters = ""
    for shift, alphabet in ((12, _CONSONANTS), (10, _VOWELS), (6, _CONSONANTS), (4, _VOWELS), (0, _CONSONANTS)):
        letters += alphabet[number >> shift & (len(alphabet) - 1)]
    return letters


def _number(word: str) -> int:
    number = 0
    for place, letter in enumerate(word):
        alphabet = _VOWELS if place % 2 else _CONSONANTS
        if letter not in alphabet or len(word) != 5:
            raise WordsError(f"'{word[:16]}' is no recovery word.")
        number = number * len(alphabet) + alphabet.index(letter)
    return number
