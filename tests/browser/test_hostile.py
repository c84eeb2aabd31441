"""Texts of hostile players and servers in a real browser: no script runs, nothing is loaded, no layout breaks out.

The short form tries 4,000 strings, the long one 100,000: DICEGAMES_LONG=1 .ci/browser -k hostile_texts --timeout=3600
"""

import asyncio
import json
import os
import random
import re
from typing import Any

import pytest

from browser.conftest import OpenPhone
from browser.message_relay import MessageRelay
from browser.phone import Phone
from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import AddBot, Chat, Create, Start
from dicegames_server.app.service import Service
from e2e.conftest import Serve
from support.reviews import a_review
from support.settings import quick

STRINGS = 100_000 if os.environ.get("DICEGAMES_LONG") else 4_000
BEGINNINGS = [
    "<img src=x onerror=window.pwned=1>",
    "<script>window.pwned=1</script>",
    "<svg/onload=window.pwned=1>",
    "<iframe srcdoc='<script>parent.pwned=1</script>'>",
    '"><b onmouseover=window.pwned=1>',
    "javascript:window.pwned=1",
    "</li></ol></section><h1>",
    "<style>*{display:none}</style>",
    "<base href=//evil.example/>",
    "{{constructor.constructor('window.pwned=1')()}}",
    "${window.pwned=1}",
    "__proto__",
    "constructor",
    "\u202e\u2066\u200b\ufeff",
    "\x1b[2J\x9b31m\x07",
    "W" * 600,
    "\u4e2d" * 500,
    "e" + "\u0301" * 400,
    "\u0e49" * 300 + "x",
    "\ufdfd" * 60,
    "𒐫" * 60,
    "a\nb\r\nc\td",
    " " * 500 + "x",
    "\U0001f600" * 200,
    "شسيبلاتنم" * 40,
    "-" * 1000,
    "&lt;b&gt;&#x0;",
]
ANY = [*range(1, 0xD800), *range(0xE000, 0xFFFF), *range(0x10000, 0x10FFFF, 97)]
"""Code points of all kinds."""
SPARED = {"type", "id", "kind", "phase", "hash", "head", "prev", "commit", "seat_token", "game", "by", "special", "why"}
"""Fields that are no text for people. Others in their place would only end the connection."""
LOOKS = """() => {
  const page = document.documentElement, wide = [...document.querySelectorAll("body *")].filter((node) => {
    const box = node.getBoundingClientRect();
    return box.width && (box.right > innerWidth + 1 || box.left < -1);
  });
  const strange = document.querySelectorAll(
    "img, iframe, object, embed, style, base, link:not([href^=web]), b, form[action], [onerror], [onload]");
  const control = /[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\u0000-\\u0008\\u001b\\u009b]/.test(document.body.innerText);
  return { wide: wide.map((node) => node.tagName), overflow: page.scrollWidth > innerWidth, control,
    strange: [...strange].map((node) => node.tagName), pwned: window.pwned ?? null, violations: window.violations };
}"""
WATCH_POLICY = (
    "window.violations = []; addEventListener('securitypolicyviolation', (event) => violations.push(event.blockedURI))"
)
CLEAN = {"wide": [], "overflow": False, "strange": [], "pwned": None, "violations": [], "control": False}


class Poison:
    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self.count = 0

    def text(self) -> str:
        self.count += 1
        rng = self._rng
        parts = [rng.choice(BEGINNINGS) for _ in range(rng.choice([1, 1, 2]))]
        parts += ["".join(chr(rng.choice(ANY)) for _ in range(rng.randrange(8)))]
        rng.shuffle(parts)
        return "".join(parts)

    def in_all(self, value: Any, key: str = "") -> Any:
        """The same message with a hostile text in each place for one."""
        if isinstance(value, dict):
            return {name: self.in_all(part, name) for name, part in value.items()}
        if isinstance(value, list):
            return [self.in_all(part, key) for part in value]
        return self.text() if isinstance(value, str) and key not in SPARED else value


async def looks(page: Phone) -> dict[str, Any]:
    found: dict[str, Any] = await page.page.evaluate(LOOKS)
    return found


@pytest.mark.parametrize("game", ["doubles", "farkle", "sevens", "double-or-nothing"])
async def test_hostile_texts_of_a_server(game: str, serve: Serve, phone: OpenPhone) -> None:
    server = await serve(quick())
    relay = MessageRelay(server.port)
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    room = (await guest.ask(Create(id="1", game=game, name="ana"))).room  # type: ignore[union-attr]
    cy = await phone()
    await cy.page.add_init_script(WATCH_POLICY)
    snapshots: list[dict[str, Any]] = []

    def keep(message: dict[str, Any]) -> list[Any]:
        snapshots.extend([message["snapshot"]] if message["type"] == "joined" else [])
        return [message]

    relay.change = keep
    await cy.open(f"http://127.0.0.1:{await relay.start()}/{room}")
    await cy.sit("cy")
    if game != "double-or-nothing":
        await guest.ask(AddBot(id="2"))
    await guest.ask(Start(id="3"))
    await asyncio.sleep(0)
    table = json.loads(json.dumps(guest.store.table))
    poison = Poison(len(game))
    seq = 10_000
    while poison.count < STRINGS / 4:
        batch: list[dict[str, Any]] = []
        for phase in ("playing", "waiting", "over"):
            seq += 1
            shown = poison.in_all(table)
            shown["room"] |= {"phase": phase, "game": game, "code": "KQ7M", "winners": [0]}
            shown["room"]["options"] |= {"target": 5000}
            batch.append({"type": "snapshot", "epoch": 1, "seq": seq, "snapshot": shown})
            batch += [{"type": "chat", "seat": 0, "name": poison.text(), "text": poison.text()} for _ in range(5)]
            batch.append({"type": "notice", "message": poison.text()})
        seq += 1
        events = [{"kind": poison.text(), "seat": 0, "x": poison.text(), "y": [poison.text()]}]
        events += [
            {"kind": "took_seat", "seat": 3, "name": poison.text()},
            {"kind": "drawn_anew", "seats": [], "names": [poison.text()]},
        ]
        offers = {
            poison.text(): {
                "label": poison.text(),
                "seat": 1,
                "choices": {poison.text(): {"worth": 1, "label": poison.text()}},
                "choice_kind": "name",
            }
        }
        batch.append({"type": "snapshot", "epoch": 1, "seq": seq, "snapshot": {**table, "offers": offers}})
        batch.append({"type": "update", "seq": seq + 1, "cause": {"kind": "move"}, "events": events, "patch": {}})
        seq += 1
        await relay.say(*batch)
        await relay.say({"type": "chat", "name": "marker", "text": f"batch {seq}"})
        await cy.until(f"batch {seq}", "makes no sense")
        assert "makes no sense" not in await cy.text(), re.findall("makes no sense.{0,150}", await cy.text())
        assert await looks(cy) == CLEAN
    await guest.close()
    await relay.stop()


async def test_a_hostile_review(serve: Serve, phone: OpenPhone) -> None:
    server = await serve(quick())
    relay, poison = MessageRelay(server.port), Poison(7)
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    joined = await guest.ask(Create(id="1", game="sevens", name="ana"))
    review = a_review().model_dump(mode="json")
    review["players"] *= 3000
    review["players"][0] |= {"luck": 1e308, "given": -1e308, "accuracy": "x", "costliest": [0, 1, 2, -1, 10**9, "x"]}

    def evil(message: dict[str, Any]) -> list[Any]:
        asked = message["type"] == "error"  # the real server has refused: no game is over
        return [{"type": "review", "id": message["id"], "review": poison.in_all(review)}] if asked else [message]

    relay.change = evil
    cy = await phone()
    await cy.page.add_init_script(WATCH_POLICY)
    await cy.open(f"http://127.0.0.1:{await relay.start()}/{joined.room}")  # type: ignore[union-attr]
    await cy.sit("cy")
    await guest.ask(AddBot(id="2"))
    await guest.ask(Start(id="3"))
    table = json.loads(json.dumps(guest.store.table))
    for seq in range(10_000, 10_010):
        table["room"] |= {"phase": "over", "winners": [0]}
        await relay.say({"type": "snapshot", "epoch": 1, "seq": seq, "snapshot": table})
        await cy.until("Average dice")
        assert await looks(cy) == CLEAN
    await guest.close()
    await relay.stop()


async def test_hostile_texts_of_players(serve: Serve, phone: OpenPhone) -> None:
    """What the real server lets through."""
    server = await serve(quick(chat_per_second=1e6, chat_burst=10**6))
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    room = (await guest.ask(Create(id="1", game="doubles", name="<b>ana</b>"))).room  # type: ignore[union-attr]
    eve = await phone()
    await eve.page.add_init_script(WATCH_POLICY)
    await eve.open(f"http://127.0.0.1:{server.port}/{room}")
    await eve.watch()
    assert "<b>ana</b>" in await eve.text()
    for number, text in enumerate(BEGINNINGS):
        await guest.try_ask(Chat(id=f"c{number}", text=text[:300]))
    await guest.try_ask(Chat(id="last", text="that was all"))
    await eve.until("that was all")
    assert await looks(eve) == CLEAN
    await guest.close()


async def test_a_server_that_makes_no_sense(serve: Serve, phone: OpenPhone) -> None:
    """Wrong types everywhere: the page goes on or ends with a sentence, and never throws or freezes."""
    server = await serve(quick())
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    room = (await guest.ask(Create(id="1", game="doubles", name="ana"))).room  # type: ignore[union-attr]
    await guest.ask(AddBot(id="2"))
    await guest.ask(Start(id="3"))
    rng = random.Random(5)
    odd: list[Any] = [None, True, -1, 1e308, "", "x" * 9000, [], {}, [[]], [None], {"a": None}, "__proto__"]

    def broken(value: Any) -> Any:
        if rng.random() < 0.03:
            return rng.choice(odd)
        if isinstance(value, dict):
            return {key: broken(part) for key, part in value.items()}
        return [broken(part) for part in value] if isinstance(value, list) else value

    ended = 0
    for trial in range(12):
        relay = MessageRelay(server.port)
        eve = await phone(f"http://127.0.0.1:{await relay.start()}/{room}")
        await eve.watch()
        table = guest.store.table
        for step in range(15):
            message = rng.choice(
                [
                    {"type": "snapshot", "epoch": 1, "seq": 1000 + step, "snapshot": table},
                    {
                        "type": "update",
                        "seq": 1001 + step,
                        "cause": {"kind": "move", "seat": 0},
                        "events": [{"kind": "rolled", "seat": 0, "faces": [1, 2], "pot": 3, "sevens": 0}],
                        "patch": {"game": {"pot": 5}},
                    },
                    {"type": "presence", "away": {"0": 5}, "here": [1], "watching": 2},
                    {"type": "heartbeat", "epoch": 1, "seq": 1, "hash": "x"},
                    {"type": "chat", "name": "x", "text": "y"},
                ]
            )
            try:
                await relay.say(
                    rng.choice([json.dumps(broken(message)), "{", "[]", "null", "7", json.dumps(broken(message))])
                )
            except Exception:
                break  # the page has hung up: that is an answer, too
            await asyncio.sleep(0.01)
        text = await eve.until("WATCHING", "RECONNECTING", "CLOSED", "makes no sense", "does not know")
        ended += "CLOSED" in text
        assert await eve.page.evaluate("1 + 1") == 2
        assert eve.errors == [], (trial, eve.errors)
        await relay.stop()
    await guest.close()


async def test_the_page_asks_for_nothing_but_its_own_files(serve: Serve, phone: OpenPhone) -> None:
    server = await serve(quick())
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    room = (await guest.ask(Create(id="1", game="doubles", name="ana"))).room  # type: ignore[union-attr]
    cy = await phone(f"http://127.0.0.1:{server.port}/{room}")
    await cy.sit("cy")
    here = f"http://127.0.0.1:{server.port}/"
    assert [url for url in cy.requests if not url.startswith(here)] == []
    assert not [url for url in cy.requests if "?" in url]
    assert await cy.page.context.cookies() == []
    assert await cy.page.evaluate("document.cookie") == ""
    kept = await cy.page.evaluate("JSON.stringify(localStorage)")
    tokens = [token for token in guest.store.tokens.values() if token in kept]
    assert tokens == []  # what others hold is not here
    await guest.close()


async def test_another_page_can_not_use_the_server(server: Service, phone: OpenPhone) -> None:
    """A page of another origin tries to connect: the browser says who it is, and the server refuses."""
    cy = await phone(f"http://localhost:{server.port}/")  # the same machine, another origin
    state = await cy.page.evaluate(
        """(url) => new Promise((done) => { const socket = new WebSocket(url);
           socket.onopen = () => done("open"); socket.onerror = () => done("refused"); })""",
        f"ws://127.0.0.1:{server.port}/",
    )
    assert state == "refused"
    cy.errors.clear()  # its own policy has complained


async def test_numbers_that_are_far_too_large(serve: Serve, phone: OpenPhone) -> None:
    """A page that made a list of as many would never answer again."""
    server = await serve(quick())
    relay = MessageRelay(server.port)
    guest = Guest(Address("127.0.0.1", server.port))
    await guest.open()
    room = (await guest.ask(Create(id="1", game="doubles", name="ana"))).room  # type: ignore[union-attr]
    cy = await phone(f"http://127.0.0.1:{await relay.start()}/{room}")
    await cy.sit("cy")
    await guest.ask(Start(id="2"))
    table = json.loads(json.dumps(guest.store.table))
    huge = 10**9
    table["offers"] = {"roll": {"label": "Roll", "seat": 1, "needed": True, "enter": huge, "sides": huge}}
    table["room"] |= {"capacity": huge, "least": 0, "timer": {"kind": "turn", "ms": huge, "since": 1}}
    table["game"] |= {"rounds": huge, "pot": 2**53, "sevens": huge, "inside": huge}
    await relay.say({"type": "snapshot", "epoch": 1, "seq": 1000, "snapshot": table})
    await cy.tap("Roll")
    await cy.until("Tap the faces that you rolled")
    assert await cy.page.locator(".actions .die").count() == 100
    assert (await looks(cy))["overflow"] is False
    await guest.close()
    await relay.stop()
