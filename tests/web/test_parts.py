"""Small parts of the page: hashes, text, patches, offers, picking and where a server may send us."""

import hashlib
import hmac
import random
import unicodedata
from typing import Any

import pytest

from dicegames_client.base.address import parse_address
from dicegames_client.base.errors import ClientError
from dicegames_client.play import picking
from dicegames_protocol import patch
from dicegames_protocol.base import PROTOCOL_MAX
from dicegames_protocol.codec import canonical
from dicegames_protocol.table import Choice, Offer
from dicegames_protocol.text import strip
from support.node import WEB, needs_node, run

pytestmark = needs_node

VECTORS = {  # FIPS 180-4 and NIST's examples
    "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq": (
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    "a" * 1_000_000: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
}
HMAC_VECTORS = [  # RFC 4231, cases 1, 2, 3 and 6
    ("0b" * 20, b"Hi There".hex(), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    (
        b"Jefe".hex(),
        b"what do ya want for nothing?".hex(),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ),
    ("aa" * 20, "dd" * 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    (
        "aa" * 131,
        b"Test Using Larger Than Block-Size Key - Hash Key First".hex(),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ),
]


def test_our_own_sha256() -> None:
    script = """
import { hex, hmac, sha256, unhex } from "./base/sha256.js";
console.log(JSON.stringify([given.texts.map((text) => hex(sha256(text))),
  given.data.map((text) => hex(sha256(unhex(text)))),
  given.keyed.map(([key, text]) => hex(hmac(unhex(key), unhex(text))))]));
"""
    rng = random.Random(1)
    data = [rng.randbytes(size).hex() for size in range(200)]
    keyed = [[rng.randbytes(size).hex(), rng.randbytes(2 * size).hex()] for size in range(140)]
    known = [[key, text] for key, text, _ in HMAC_VECTORS]
    texts, hashes, macs = run(script, {"texts": list(VECTORS), "data": data, "keyed": keyed + known})
    assert texts == list(VECTORS.values())
    assert hashes == [hashlib.sha256(bytes.fromhex(text)).hexdigest() for text in data]
    expected = [hmac.digest(bytes.fromhex(k), bytes.fromhex(t), "sha256").hex() for k, t in keyed + known]
    assert macs == expected
    assert macs[-len(known) :] == [mac for _, _, mac in HMAC_VECTORS]


def some_text(rng: random.Random) -> str:
    """Characters of all kinds that this Python knows: what is newer may be known to one side only."""
    picked: list[str] = []
    while len(picked) < rng.randrange(1, 30):
        kind = rng.random()
        code = (
            rng.randrange(0x20, 0x7F)
            if kind < 0.3
            else rng.randrange(0x3000)
            if kind < 0.7
            else rng.randrange(0x110000)
        )
        char = chr(code)
        if unicodedata.category(char) not in ("Cn", "Cs"):
            picked.append(char)
        if rng.random() < 0.1:
            picked.append("\u0301" * rng.randrange(1, 6))
    return "".join(picked)


def test_text_is_cleaned_as_in_the_terminal() -> None:
    script = """
import { clean } from "./base/text.js";
console.log(JSON.stringify(given.map(clean)));
"""
    rng = random.Random(2)
    texts = [some_text(rng) for _ in range(4000)]
    texts += [
        "\u202eevil",
        "a\u200bb",
        "\x1b[31mred",
        "e\u0301\u0302\u0303\u0304x",
        "\u0301x",
        "👩\u200d👩",
        "🇩🇪",
        "\u00a0x\ty",
        "\ufeff",
    ]
    for text, shown in zip(texts, run(script, texts), strict=True):
        assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cf", "Co", "Zl", "Zp")]
        assert letters(strip(shown)) == letters(strip(text)), repr(text)


def letters(text: str) -> list[str]:
    """Without blanks, which the two see in different control characters, and without the order of marks."""
    return sorted(unicodedata.normalize("NFD", text.replace(" ", "")))


def test_patches_and_canonical_json() -> None:
    script = """
import { canonical, merged } from "./base/canonical.js";
console.log(JSON.stringify(given.map(([target, patch]) => canonical(merged(target, patch)))));
"""
    rng = random.Random(3)

    def value(depth: int) -> Any:
        if depth and rng.random() < 0.6:
            keys = rng.sample(["a", "b", "10", "9", "__proto__", "constructor", "toString", "é"], rng.randrange(5))
            return {key: value(depth - 1) for key in keys}
        return rng.choice([1, -5, 'x\u2028\x7f"\\\n', "é😀", True, [1, [2]], [], {}])

    def change(depth: int) -> Any:
        if depth and rng.random() < 0.8:
            keys = rng.sample(["a", "b", "10", "9", "__proto__", "constructor", "toString", "é"], rng.randrange(5))
            return {key: change(depth - 1) for key in keys}
        return rng.choice([None, 1, "y", {}, []])

    pairs = [({"a": value(3), "b": value(2)}, {"a": change(3) or {}, "b": change(2) or {}}) for _ in range(500)]
    assert run(script, pairs) == [canonical(patch.apply(target, change)).decode() for target, change in pairs]


def test_nothing_of_a_patch_reaches_a_prototype() -> None:
    script = """
import { merged } from "./base/canonical.js";
merged({}, JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}'));
console.log(JSON.stringify([{}.polluted ?? null, Object.keys(Object.prototype)]));
"""
    assert run(script) == [None, []]


def test_dice_are_picked_like_by_keys() -> None:
    """A die can be tapped if and only if its face can be added to the pick."""
    script = """
import { choicesOf, placesOf } from "./play/picking.js";
console.log(JSON.stringify(given.map(({ keys, dice, picked }) => dice.map((_, at) =>
  picked.includes(at) || Object.keys(choicesOf({ roll: { choices: Object.fromEntries(keys.map((key) => [key, {}])) } }))
    .some((key) => placesOf(key, dice, [...picked, at]))))));
"""
    rng, cases, expected = random.Random(4), [], []
    for _ in range(500):
        dice = [rng.randrange(1, 7) for _ in range(6)]
        subsets = [rng.sample(dice, rng.randrange(1, 7)) for _ in range(rng.randrange(1, 5))]
        keys = sorted({"".join(str(face) for face in sorted(some)) for some in subsets})
        offers = {"roll": Offer(label="Roll", choices={key: Choice(worth=1) for key in keys})}
        picked: list[int] = []
        for _ in range(rng.randrange(4)):
            can = [
                at
                for at in range(6)
                if at not in picked and str(dice[at]) in picking.can_add(offers, _faces(dice, picked))
            ]
            picked += [rng.choice(can)] if can else []
        cases.append({"keys": keys, "dice": dice, "picked": picked})
        addable = picking.can_add(offers, _faces(dice, picked))
        expected.append([at in picked or str(dice[at]) in addable for at in range(6)])
    assert run(script, cases) == expected


def _faces(dice: list[int], picked: list[int]) -> str:
    return "".join(str(dice[at]) for at in picked)


@pytest.mark.parametrize(
    "url",
    [
        "wss://dice.example.org/n/2/r/KQ7M",
        "wss://n2.dice.example.org/r/KQ7M",
        "wss://dice.example.org:444/r/KQ7M",
        "ws://dice.example.org/r/KQ7M",
        "wss://evil.example/r/KQ7M",
        "wss://evildice.example.org/r/KQ7M",
        "wss://dice.example.org.evil.example/r/KQ7M",
        "wss://example.org/r/KQ7M",
        "https://dice.example.org/r/KQ7M",
        "javascript:alert(1)",
        "nonsense",
    ],
)
def test_it_is_sent_nowhere_that_the_terminal_is_not(url: str) -> None:
    script = """
import { sentTo } from "./guest/guest.js";
try { console.log(JSON.stringify(Boolean(sentTo(given[0], given[1])))); } catch { console.log("false"); }
"""
    try:
        allowed = bool(parse_address("wss://dice.example.org").sent_to(url))
    except ClientError:
        allowed = False
    assert run(script, ["wss://dice.example.org/r/KQ7M", url]) == allowed


def test_the_page_speaks_the_newest_protocol() -> None:
    assert f"PROTOCOL = {PROTOCOL_MAX}" in (WEB / "guest" / "guest.js").read_text()
