"""Dice from seeds: the published test vector, computed a second time with the openssl command, and fair faces."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from dicegames_protocol.fairness import commitment, key, roll, seal, transcript

SECRET = bytes(range(32))
PAGE = Path(__file__).parent.parent.parent / "docs" / "fair-dice.md"


def vector() -> bytes:
    return transcript(
        commit=commitment(SECRET),
        epoch=1,
        game="farkle",
        room="K7Q2-M9XD",
        rules="farkle-1",
        seats=[(1, b"\xbb" * 16), (0, b"\xaa" * 16)],
    )


def test_the_page_publishes_the_vector() -> None:
    page = PAGE.read_text(encoding="utf-8")
    k = key(SECRET, vector())
    assert f"T = {vector().decode()}\n" in page
    assert f"K = {k.hex()}\n" in page
    for r in (1, 2, 3):
        assert f"roll {r}: {' '.join(map(str, roll(k, r, 6, 6)))}\n" in page


def openssl(data: bytes, *arguments: str) -> bytes:
    found = subprocess.run(
        ["openssl", "dgst", "-sha256", "-binary", *arguments], input=data, capture_output=True, check=True
    )
    return found.stdout


@pytest.mark.skipif(not shutil.which("openssl"), reason="no openssl command here; install openssl to run this")
def test_openssl_finds_the_same() -> None:
    t = vector()
    k = openssl(openssl(t), "-mac", "HMAC", "-macopt", f"hexkey:{SECRET.hex()}")
    assert openssl(SECRET).hex() == commitment(SECRET)
    assert k == key(SECRET, t)
    for r in (1, 2, 3):
        block = openssl(f"roll|{r}|6|6|".encode() + bytes(4), "-mac", "HMAC", "-macopt", f"hexkey:{k.hex()}")
        faces = [byte % 6 + 1 for byte in block if byte < 252][:6]
        assert tuple(faces) == roll(k, r, 6, 6)


def test_the_commands_on_the_page_give_what_it_says(tmp_path: Path) -> None:
    if not shutil.which("openssl"):
        pytest.skip("no openssl command here; install openssl to run this")
    page = PAGE.read_text(encoding="utf-8")
    script = re.search(r"```sh\n(.*?)```", page, re.DOTALL)
    assert script
    out = subprocess.run(["bash", "-c", script[1]], capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    assert key(SECRET, vector()).hex() in out


def test_every_draw_is_its_own_and_always_the_same() -> None:
    k = key(SECRET, vector())
    assert roll(k, 1, 6, 6) == roll(k, 1, 6, 6)
    draws = {roll(k, r, n, s) for r in range(1, 20) for n in (5, 6) for s in (6, 100)}
    assert len(draws) == 76
    assert len(roll(k, 1, 500, 6)) == 500  # more than one block


def test_faces_are_fair_for_every_kind_of_die() -> None:
    """Chi-squared for dice of 2, 6 and 200 sides: below the critical value for 1 in 10,000."""
    k = key(b"x" * 32, b"T")
    for sides, limit in ((2, 15.2), (6, 25.8), (200, 280.0)):
        rolls = 600 * sides
        counts = Counter(roll(k, 1, rolls, sides))
        assert set(counts) <= set(range(1, sides + 1))
        chi = sum((counts[face] - 600) ** 2 / 600 for face in range(1, sides + 1))
        assert chi < limit


@pytest.mark.parametrize("sides", [0, 257])
def test_a_die_has_1_to_256_sides(sides: int) -> None:
    with pytest.raises(ValueError, match="1 to 256 sides"):
        roll(b"k", 1, 1, sides)


def test_a_seal_depends_on_key_update_and_move() -> None:
    move = {"take": "bid", "choice": "17"}
    found = seal(b"k" * 32, 12, move)
    assert found == "11ed08306e96306c3bce58ddce48cf7ecb8199cf7b3bafe2137baec08c2cc4a0"
    others = [
        seal(b"l" * 32, 12, move),
        seal(b"k" * 32, 13, move),
        seal(b"k" * 32, 12, {"take": "bid", "choice": "18"}),
    ]
    assert len({found, *others}) == 4
