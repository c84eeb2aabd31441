"""The page's part of the dice: a link is shown for one draw only, after the draw was decided, also by a page that was
loaded anew. Else a server could ask for the next links in advance and choose its dice."""

from typing import Any

from dicegames_protocol.fairness.chain import Chain
from support.node import needs_node, run

pytestmark = needs_node

SEED = bytes(range(32))
CHAIN = Chain(SEED)
ROOM = {"id": "a", "code": "KQ7M", "game": "doubles", "rules": "doubles-1", "phase": "playing", "host": 0}

SHOW = """
import { newChains } from "./guest/chains.js";
import { EMPTY } from "./guest/store.js";
const said = [], told = [];
let kept = { seeds: [given.seed], shown: {}, last: {}, tips: {} };
for (const { links, tips, draw, seq, members, anew, game, seen } of given.asked) {
  if (anew) kept = JSON.parse(JSON.stringify(kept));
  const ours = newChains({ kept, sync() {} }, (sentence) => said.push(sentence));
  const room = { ...given.room, game_no: game ?? 1 }, seats = { 0: { name: "cy" }, 1: { name: "ana" } };
  const pending = draw === undefined ? undefined : { draw, seq, members: members ?? [0] };
  const fair = { scheme: 2, commit: "c", epoch: 1, links, tips, pending };
  const table = { room, seats, offers: {}, fair };
  told.push(ours.toShow({ ...EMPTY, seq: seen ?? seq, room: "KQ7M", tokens: { 0: "t" }, table }));
}
console.log(JSON.stringify({ told, said, seeds: kept.seeds }));
"""


def shown(*asked: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = run(SHOW, {"seed": SEED.hex(), "asked": list(asked), "room": ROOM})
    return found


def link(number: int) -> str:
    return CHAIN.link(number).hex()


def test_links_are_shown_one_after_the_other() -> None:
    found = shown(
        {"links": {"0": CHAIN.tip.hex()}, "draw": 1, "seq": 10},
        {"links": {"0": link(1)}, "draw": 2, "seq": 12},
        {"links": {"0": link(2)}, "draw": 3, "seq": 14},
    )
    assert [told[0]["link"] for told in found["told"]] == [link(1), link(2), link(3)]
    assert found["said"] == []


def test_the_same_draw_is_answered_again() -> None:
    """After a lost connection, and after the page was loaded anew."""
    asked = {"links": {"0": CHAIN.tip.hex()}, "draw": 1, "seq": 10}
    found = shown(asked, asked, {**asked, "anew": True})
    assert [told[0]["link"] for told in found["told"]] == [link(1)] * 3


def test_another_draw_does_not_get_a_link_that_was_shown() -> None:
    first = {"links": {"0": CHAIN.tip.hex()}, "draw": 1, "seq": 10}
    for other in ({"draw": 2}, {"seq": 11}, {"game": 2}):
        for anew in (False, True):
            found = shown(first, {**first, **other, "anew": anew})
            assert found["told"][1] == []
            assert found["said"] == ["The server asks a second time for a part of the dice that it has already got."]


def test_nothing_is_shown_that_is_not_asked_for() -> None:
    tip = {"0": CHAIN.tip.hex()}
    found = shown(
        {"links": tip},
        {"links": tip, "draw": 1, "seq": 10, "members": [1]},
        {"links": {"0": "0" * 64}, "draw": 1, "seq": 10},
    )
    assert found["told"] == [[], [], []]


def test_the_seed_itself_is_never_shown_and_a_new_chain_begins_in_time() -> None:
    last = {"links": {"0": link(62)}, "draw": 63, "seq": 200}
    found = shown(last, last, {"links": {"0": link(63)}, "draw": 64, "seq": 202})
    [one], [again], beyond = found["told"]
    assert one["link"] == again["link"] == link(63)
    assert one["tip"] == again["tip"] == Chain(bytes.fromhex(found["seeds"][0])).tip.hex()
    assert beyond == []


def test_a_new_tip_goes_with_what_needs_one() -> None:
    script = """
import { newChains } from "./guest/chains.js";
import { EMPTY } from "./guest/store.js";
const kept = { seeds: [], shown: {}, last: {}, tips: {} }, ours = newChains({ kept, sync() {} }, () => {});
const asks = (type, store, more) => "commit" in ours.withCommit({ type, id: type, ...more }, store);
const empty = EMPTY, join = ours.withCommit({ type: "join", id: "1" }, empty);
ours.answered({ type: "joined", id: "1", seat: 0 });
const table = (commit) => ({ room: { host: 0 }, seats: { 0: { name: "cy", commit } }, offers: {} });
const at = (commit) => ({ ...EMPTY, tokens: { 0: "t" }, table: table(commit) });
console.log(JSON.stringify([...["create", "sit", "move", "chat", "watch"].map((type) => asks(type, empty)),
  asks("ready", at(join.commit), { seat: 0 }), asks("ready", at("0".repeat(64)), { seat: 0 }),
  asks("start", at(undefined)),
  kept.tips[join.commit]]));
"""
    assert run(script) == [True, True, False, False, False, False, True, True, 0]


def test_nothing_is_shown_before_the_roll_is_decided() -> None:
    """A snapshot that names a draw of an update to come: a server would know the link in advance."""
    assert shown({"links": {"0": CHAIN.tip.hex()}, "draw": 1, "seq": 13, "seen": 12})["told"] == [[]]


def test_links_of_long_ago_are_not_shown_again() -> None:
    asked = [{"links": {"0": link(n) if n else CHAIN.tip.hex()}, "draw": n, "seq": 10 + n} for n in range(62)]
    more = Chain(bytes(reversed(SEED)))
    script = SHOW.replace("seeds: [given.seed]", "seeds: [given.seed, given.other]")
    other = [{"links": {"0": (more.link(n) if n else more.tip).hex()}, "draw": n, "seq": 100 + n} for n in range(62)]
    again = {"links": {"0": CHAIN.tip.hex()}, "draw": 500, "seq": 500}
    given = {"seed": SEED.hex(), "other": more.seed.hex(), "asked": [*asked, *other, again], "room": ROOM}
    found = run(script, given)
    assert found["told"][-1] == []
    assert found["said"] == ["The server asks a second time for a part of the dice that it has already got."]


def test_two_tabs_do_not_show_the_same_link_for_two_draws() -> None:
    """Each tab of a browser has a page of its own. What one has shown is known to the other at once."""
    script = """
import { memory } from "./base/memory.js";
import { newChains } from "./guest/chains.js";
import { EMPTY } from "./guest/store.js";
const held = new Map();
globalThis.localStorage = { getItem: (key) => held.get(key) ?? null, setItem: (key, value) => held.set(key, value) };
globalThis.sessionStorage = { getItem: () => null, setItem() {} };
held.set("dicegames KQ7M", JSON.stringify({ seeds: [given.seed], tokens: { 0: "t" } }));
const said = [];
const tabs = [1, 2].map(() => memory("KQ7M")).map((one) => ({ one, ours: newChains(one, (what) => said.push(what)) }));
const told = given.asked.map(({ tab, value, draw, seq }) => {
  const table = { room: given.room, seats: { 0: { name: "cy" } }, offers: {},
    fair: { scheme: 2, commit: "c", epoch: 1, links: { 0: value }, pending: { draw, seq, members: [0] } } };
  const shows = tabs[tab].ours.toShow({ ...EMPTY, seq, room: "KQ7M", tokens: { 0: "t" }, table });
  tabs[tab].one.save({ 0: "t" });
  return shows.map((show) => show.link);
});
console.log(JSON.stringify({ told, said }));
"""
    asked = [
        {"tab": 0, "value": CHAIN.tip.hex(), "draw": 1, "seq": 10},
        {"tab": 0, "value": link(1), "draw": 2, "seq": 12},
        {"tab": 1, "value": CHAIN.tip.hex(), "draw": 1, "seq": 11},
        {"tab": 1, "value": link(1), "draw": 2, "seq": 12},
        {"tab": 1, "value": link(2), "draw": 3, "seq": 14},
        {"tab": 0, "value": link(2), "draw": 4, "seq": 15},
    ]
    found = run(script, {"seed": SEED.hex(), "asked": asked, "room": ROOM})
    assert found["told"] == [[link(1)], [link(2)], [], [link(2)], [link(3)], []]
    assert len(found["said"]) == 2
