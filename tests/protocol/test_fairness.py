"""How dice follow from links: worked out a second time by hand, and with the openssl command."""

import hashlib
import hmac
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from dicegames_protocol.fairness import first_scheme
from dicegames_protocol.fairness.chain import (
    LENGTH,
    USABLE,
    Chain,
    chain_of,
    commitment,
    follows,
    hashed,
    server_link,
)
from dicegames_protocol.fairness.scheme import (
    LARGE_COMMITTEE,
    MOST_MEMBERS,
    bot_luck,
    committee,
    hidden_part,
    key,
    roll,
    seal,
    seal_key,
    transcript,
)

SECRET = bytes(range(32))
PAGE = Path(__file__).parent.parent.parent / "docs" / "fair-dice.md"
K = bytes(range(32))


def vector() -> bytes:
    return transcript(
        commit=commitment(SECRET),
        epoch=1,
        game="farkle",
        game_no=1,
        links={1: "bb" * 32, 0: "aa" * 32},
        r=1,
        room="K7Q2-M9XD",
        rules="farkle-1",
    )


def test_the_page_publishes_the_vector() -> None:
    page = PAGE.read_text(encoding="utf-8")
    link, _ = server_link(SECRET, 1)
    k = key(link, vector())
    assert f"commit = {commitment(SECRET)}\n" in page
    assert f"link 1 = {link.hex()}\n" in page
    assert f"T = {vector().decode()}\n" in page
    assert f"K = {k.hex()}\n" in page
    assert f"dice: {' '.join(map(str, roll(k, 1, 6, 6)))}\n" in page


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_the_commands_on_the_page_give_what_it_says(shell: str, tmp_path: Path) -> None:
    if not shutil.which("openssl"):
        pytest.skip("no openssl command here; install openssl to run this")
    page = PAGE.read_text(encoding="utf-8")
    script = re.search(r"```sh\n(.*?)```", page, re.DOTALL)
    assert script
    out = subprocess.run([shell, "-c", script[1]], capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    k = key(server_link(SECRET, 1)[0], vector())
    assert out.split()[:2] == [commitment(SECRET), k.hex()]
    faces = [byte % 6 + 1 for byte in bytes.fromhex(out.split()[2]) if byte < 252][:6]
    assert tuple(faces) == roll(k, 1, 6, 6)


# Chains.


def test_a_chain_leads_from_its_tip_to_its_seed() -> None:
    chain = Chain(b"s" * 32)
    value = b"s" * 32
    for number in range(USABLE, 0, -1):
        value = hashlib.sha256(value).digest()
        assert chain.link(number) == value
    assert hashlib.sha256(value).digest() == chain.tip
    assert follows(chain.link(1).hex(), chain.tip.hex())
    assert follows(chain.link(USABLE).hex(), chain.link(USABLE - 1).hex())
    assert hashed(chain.seed) == chain.link(USABLE)


@pytest.mark.parametrize("number", [0, -1, LENGTH])
def test_the_seed_is_no_link(number: int) -> None:
    with pytest.raises(ValueError, match=r"^a chain has the links 1 to 63$"):
        Chain(b"s" * 32).link(number)


@pytest.mark.parametrize("wrong", ["", "zz" * 32, "aa" * 31, "AA" * 33, "aa" * 32])
def test_what_does_not_follow(wrong: str) -> None:
    assert not follows(wrong, Chain(b"s" * 32).tip.hex())


def test_a_server_goes_on_with_another_chain_from_the_same_secret() -> None:
    before, shown = chain_of(SECRET).tip, []
    for number in range(1, 2 * USABLE + 2):
        link, tip = server_link(SECRET, number)
        assert hashed(link) == before, number
        assert (tip is not None) == (number % USABLE == 0)
        before = tip or link
        shown.append(link)
    assert len(set(shown)) == len(shown) and SECRET not in shown
    second = hmac.new(SECRET, b"chain|1", "sha256").digest()
    assert server_link(SECRET, USABLE + 1)[0] == Chain(second).link(1)
    assert commitment(SECRET) == Chain(SECRET).tip.hex()


# The committee.


def test_everybody_is_in_a_small_committee() -> None:
    for seats in range(MOST_MEMBERS + 1):
        assert committee("c", dict.fromkeys(range(seats), "t")) == tuple(range(seats))


def test_a_large_committee_is_drawn_from_what_all_have_committed_to() -> None:
    tips = {seat: hashlib.sha256(str(seat).encode()).hexdigest() for seat in range(30)}
    drawn = committee("c", tips)
    assert len(drawn) == LARGE_COMMITTEE and list(drawn) == sorted(drawn)
    others = {committee("d", tips), *(committee("c", {**tips, seat: "x"}) for seat in range(30))}
    assert len(others) > 25  # every single tip counts
    counts = Counter(seat for n in range(2000) for seat in committee(str(n), tips))
    assert set(counts) == set(tips) and max(counts.values()) < 1.4 * min(counts.values())


# Dice.


def by_hand(r: int, count: int, sides: int) -> tuple[int, ...]:
    """docs/fair-dice.md, step by step: blocks of HMAC-SHA256, and bytes beyond the last full turn are skipped."""
    usable = 256 // sides * sides
    faces: list[int] = []
    for block in range(count + 1):
        data = f"roll|{r}|{count}|{sides}|".encode() + bytes([0, 0, block // 256, block % 256])
        faces += [byte % sides + 1 for byte in hmac.new(K, data, hashlib.sha256).digest() if byte < usable]
    return tuple(faces[:count])


@pytest.mark.parametrize("sides", [1, 2, 3, 6, 100, 128, 129, 200, 255, 256])
@pytest.mark.parametrize("count", [0, 1, 2, 31, 32, 33, 100])
def test_faces_are_worked_out_as_the_page_says(sides: int, count: int) -> None:
    for r in (1, 2, 10):
        assert roll(K, r, count, sides) == by_hand(r, count, sides)


def test_more_than_256_blocks() -> None:
    assert roll(K, 1, 9000, 6) == by_hand(1, 9000, 6)


def test_every_draw_is_its_own_and_always_the_same() -> None:
    assert roll(K, 1, 6, 6) == roll(K, 1, 6, 6)
    draws = {roll(K, r, n, s) for r in range(1, 20) for n in (5, 6) for s in (6, 100)}
    assert len(draws) == 76


def test_faces_are_fair_for_every_kind_of_die() -> None:
    """Chi-squared for dice of 2, 6 and 200 sides: below the critical value for 1 in 10,000."""
    k = key(b"x" * 32, b"T")
    for sides, limit in ((2, 15.2), (6, 25.8), (200, 280.0)):
        rolls = 600 * sides
        counts = Counter(roll(k, 1, rolls, sides))
        assert set(counts) <= set(range(1, sides + 1))
        chi = sum((counts[face] - 600) ** 2 / 600 for face in range(1, sides + 1))
        assert chi < limit


@pytest.mark.parametrize("sides", [-1, 0, 257, 1000])
def test_a_die_has_1_to_256_sides(sides: int) -> None:
    with pytest.raises(ValueError, match=r"^a die has 1 to 256 sides$"):
        roll(K, 1, 1, sides)


def test_what_decides_a_draw_is_written_in_one_way() -> None:
    text = transcript(
        commit="c", epoch=3, game="doubles", game_no=2, links={10: "0a", 2: "0b"}, r=7, room="KQ7M", rules="doubles-1"
    )
    assert text == (
        b'{"commit":"c","epoch":3,"game":"doubles","game_no":2,"links":[[2,"0b"],[10,"0a"]],"r":7,'
        b'"room":"KQ7M","rules":"doubles-1","v":2}'
    )
    assert key(b"link", text) == hmac.new(b"link", hashlib.sha256(text).digest(), "sha256").digest()


def test_what_follows_from_the_secret_by_hand() -> None:
    assert hidden_part(SECRET, 12) == hmac.new(SECRET, b"hidden|12", "sha256").digest()
    assert seal_key(SECRET) == hmac.new(SECRET, b"seal", "sha256").digest()
    assert bot_luck(SECRET, 3, 40) == int(hmac.new(SECRET, b"bot|3|40", "sha256").hexdigest(), 16)
    data = b'seal|12|{"choice":"17","take":"bid"}'
    assert seal(K, 12, {"take": "bid", "choice": "17"}) == hmac.new(K, data, "sha256").hexdigest()


def test_the_first_scheme_by_hand() -> None:
    agreed = first_scheme.game_transcript(
        commit="c", epoch=3, game="doubles", room="KQ7M", rules="doubles-1", seats=[(10, b"\x0a"), (2, b"\x0b")]
    )
    assert agreed == (
        b'{"commit":"c","epoch":3,"game":"doubles","room":"KQ7M","rules":"doubles-1",'
        b'"seats":[[2,"0b"],[10,"0a"]],"v":1}'
    )
    again = hmac.new(b"secret", hashlib.sha256(agreed).digest(), "sha256").digest()
    assert first_scheme.game_key(b"secret", agreed) == again
    assert first_scheme.seed_hash(b"secret") == hashlib.sha256(b"secret").hexdigest()
