// Looks at the updates of a room one by one, and says what is wrong with their dice. It needs no rules of any game.
import { canonical, isObject, merged, same } from "../base/canonical.js";
import { bytes, hex, hmac, sha256, unhex } from "../base/sha256.js";
import { LENGTH, nextValue } from "./chains.js";
import { numbers } from "./store.js";

const CHAIN = "It does not follow the update before it: the log was changed.";
const COMMITMENT = "The server has exchanged its commitment.";
const COMMITTEE = "The committee is not the one that follows from what all have committed to.";
const LINK = "A link is not the one that was promised.";
const ORDER = "Links or dice were shown out of turn.";
const DICE = "The dice do not follow from what all have shown.";
const SECRET = "The secret of the server is not the one that it was bound to.";
const MOST_MEMBERS = 8, LARGE_COMMITTEE = 7, BEGINS = ["start", "ready", "rematch"];

export const hashOf = (data) => hex(sha256(data));
const follows = (link, before) => /^[0-9a-f]{64}$/.test(link) && hashOf(unhex(link)) === before;
const tipOf = (secret) => hex(Array.from({ length: LENGTH }).reduce(sha256, unhex(secret)));

function roll(key, { r, count, sides }) {
	const fair = 256 - (256 % sides), faces = [];
	for (let at = 0; faces.length < count; at++)
		for (const byte of hmac(key, Uint8Array.of(...bytes(`roll|${r}|${count}|${sides}|`), at >> 24, at >> 16, at >> 8, at)))
			if (byte < fair && faces.length < count) faces.push((byte % sides) + 1);
	return faces;
}

function committee(commit, tips) {
	const seats = numbers(tips), drawn = () => hashOf(canonical([commit, seats.map((seat) => [seat, tips[seat]])]));
	if (seats.length <= MOST_MEMBERS) return seats;
	const rank = Object.fromEntries(seats.map((seat, at, all, text = drawn()) => [seat, hashOf(`committee|${text}|${seat}`)]));
	return [...seats].sort((a, b) => (rank[a] < rank[b] ? -1 : 1)).slice(0, LARGE_COMMITTEE).sort((a, b) => a - b);
}

/** `table` and `head`: where it begins, and the hash of the update that led there. */
export function inspector(table = {}, head = "") {
	const me = { table, head, game: null, r: null, see };

	/** Sentences about what is wrong. `line`: the update as it was sent. */
	function see(line, update) {
		const wrong = new Set();
		try { look(update, (bad, sentence) => bad && wrong.add(sentence)); } catch { wrong.add(DICE); }
		me.table = merged(me.table, update.patch);
		me.head = hashOf(line);
		return [...wrong];
	}

	function look({ seq, prev, cause, events, patch }, say) {
		const info = me.table.room ?? {}, seats = me.table.seats ?? {}, fair = me.table.fair ?? {}, told = patch.fair;
		const after = told === undefined ? fair : told ? merged(fair, told) : {}, drawn = cause.drawn ?? {}, rolled = drawn.r !== undefined;
		const is = (...kinds) => kinds.includes(cause.kind), has = (kind) => events.some((event) => event.kind === kind);
		const typed = info.options?.dice === "entered", begun = told?.commit !== undefined, goesOn = has("game_goes_on");
		const links = after.links ?? {}, before = fair.links ?? {}, was = fair.committee ?? [], members = after.committee ?? [];
		const { pending } = fair, asked = after.pending, name = (seat) => seats[seat]?.name ?? `seat ${seat}`;
		const parts = [told ?? {}, links, before, after.tips ?? {}, after.out ?? {}, cause, ...events];
		if (!parts.every(isObject) || ![was, members, after.without ?? []].every(Array.isArray) || isObject(cause.seat)) throw new Error("odd");
		say(seq > 1 && me.head && (prev === undefined ? info.id : prev !== me.head), CHAIN);
		say(info.id && has("game_started") && after.scheme !== 2, "The game begins without fair dice.");
		say(!cause.kind || !rolled && ((is("roll") && !has("not_dealt")) || (cause.drawn && !typed)), DICE);
		say(!typed && events.some(({ faces }) => Array.isArray(faces) && !same(faces, drawn.faces ?? [])), "Other dice are told than those that were drawn.");
		say(fair.scheme === 2 && fair.secret === undefined && after.scheme !== 2, "The game goes on without fair dice.");
		if (begun) {
			say((fair.scheme === 2 && fair.secret === undefined) || (!goesOn && !is(...BEGINS)), COMMITMENT);
			const people = numbers(seats).filter((seat) => !seats[seat].bot && !seats[seat].left), tips = {};
			for (const seat of people) {
				const going = fair.scheme === 2 && me.table.game?.seats?.[seat] && !fair.out?.[seat] && nextValue(fair, seat);
				const tip = (seat === cause.seat && cause.args?.commit) || seats[seat].commit || going;
				if (tip) tips[seat] = tip;
			}
			const chosen = committee(after.commit, tips), without = people.filter((seat) => !tips[seat]);
			if (goesOn) say(!typed || ["committee", "links", "tips"].some((part) => !same(after[part], fair[part])), COMMITMENT);
			else if (after.scheme === 2) say(!same([members, links, numbers(Object.fromEntries((after.without ?? []).map((seat) => [seat])))],
				[chosen, Object.fromEntries(chosen.map((seat) => [seat, tips[seat]])), without]), COMMITTEE);
			me.game = { rolls: 0, alone: 0, hidden: 0, redrawn: [], seats: chosen, members: chosen.map(name), without: without.map(name) };
			me.r = goesOn ? me.r : 0;
		}
		if (after.scheme !== 2) return;
		const changed = !begun && !same(links, before), server = after.link !== (begun ? undefined : fair.link);
		say(server && !follows(after.link, begun ? after.commit : fair.tip || fair.link || fair.commit), LINK);
		if (!begun) {
			say(Object.keys(links).some((seat) => links[seat] !== before[seat] && !follows(links[seat], nextValue(fair, seat))), LINK);
			say(Object.keys(after.tips ?? {}).some((seat) => after.tips[seat] !== fair.tips?.[seat] && links[seat] === before[seat]), LINK);
			say(!server && after.tip !== fair.tip, LINK);
			say((changed && !rolled && !is("roll", "redraw", "abandon")) || (server && !rolled), ORDER);
			const out = numbers(after.out).filter((seat) => !fair.out?.[seat]), leaver = is("leave") ? cause.seat : is("kick") ? cause.args?.target : null;
			say(was.some((seat) => !members.includes(seat) && !out.includes(seat) && seat !== leaver) || members.some((seat) => !was.includes(seat)), COMMITTEE);
			if (is("redraw")) {
				say(!out.length || out.some((seat) => links[seat] !== before[seat]) || !same(out, [...(cause.args?.seats ?? [])].sort((a, b) => a - b)), COMMITTEE);
				me.game?.redrawn.push(...out.map(name));
			}
		}
		say(pending && (is("move", "time") || (!asked && !is("roll", "abandon"))), ORDER);
		if (asked && !same(asked, pending)) say(!same(asked.members, members) || asked.seq !== seq || cause.draw !== asked.draw || !is(...BEGINS, "move", "time", "redraw"), ORDER);
		if (rolled) dice(drawn, say, { info, after, links, members: pending?.members ?? members, before, pending, shown: server });
		if (after.secret !== undefined && fair.secret === undefined) say(!/^[0-9a-f]{64}$/.test(after.secret) || tipOf(after.secret) !== after.commit, SECRET);
		else say(after.secret !== undefined && is("move", "time", "roll", "redraw") && !cause.move?.faces, "The game is played on, although the secret of its dice is known.");
		if (me.game) me.game.secret = after.secret;
	}

	function dice(drawn, say, { info, after, links, members, before, pending, shown }) {
		me.r = me.r === null ? drawn.r : me.r + 1; // who came in the middle takes the first number as it is
		if (me.game) Object.assign(me.game, { rolls: me.game.rolls + 1, alone: me.game.alone + !members.length, hidden: me.game.hidden + !drawn.faces });
		const { count, sides, faces } = drawn, whole = sides >= 1 && sides <= 256 && count >= 0 && count <= 1000;
		say(!whole || drawn.r !== me.r || (pending && (count !== pending.count || sides !== pending.sides)), DICE);
		say(members.some((seat) => links[seat] === before[seat]) || (faces && !shown), ORDER);
		if (!faces || !whole) return; // hidden dice follow from the secret, for those who know the rules
		const { code: room, game, rules, phase, game_no = 0 } = info, { commit, epoch } = after;
		const text = canonical({ commit, epoch, game, game_no: game_no + (phase !== "playing"), links: [...members].sort((a, b) => a - b).map((seat) => [seat, links[seat]]), r: drawn.r, room, rules, v: 2 });
		say(!same(faces, roll(hmac(unhex(after.link), sha256(text)), drawn)), DICE);
	}
	return me;
}
