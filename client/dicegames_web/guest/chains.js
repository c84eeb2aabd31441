// Our hash chains: our part of the dice. Each link is shown for one draw only. How it works: docs/fair-dice.md.
import { hex, sha256, unhex } from "../base/sha256.js";
import { LENGTH, SCHEME, bindingOf, nextValue } from "./scheme.js";
import { mySeats, player, roomOf } from "./store.js";

const TWICE = "The server asks a second time for a part of the dice that it has already got.";
const made = new Map();

/** All values of a chain in hex: the tip, link 1, link 2 and so on, and the seed at last. */
function chainOf(seed) {
	if (!made.has(seed)) {
		const values = [seed];
		for (let value = unhex(seed); values.length <= LENGTH; values.push(hex(value))) value = sha256(value);
		made.set(seed, values.reverse());
	}
	return made.get(seed);
}

/** `memory`: what is kept of earlier, and of other tabs (base/memory.js). `alarm` is called with a sentence. */
export function newChains({ kept, sync }, alarm) {
	const given = new Map(); // id of a request -> the seat and the tip that went with it

	function freshTip() {
		const seed = hex(crypto.getRandomValues(new Uint8Array(32)));
		kept.seeds = [seed, ...kept.seeds];
		return chainOf(seed)[0];
	}

	/** The link whose hash this is, its number, and the tip of its chain. The seed is never shown. */
	function find(value) {
		for (const chain of kept.seeds.map(chainOf)) {
			const number = chain.indexOf(value) + 1;
			if (number > 0 && number < LENGTH) return { number, link: chain[number], tip: chain[0] };
		}
		return null;
	}

	/** Whether the table names a chain of ours for the next game, or for the one that is played. */
	function covers(store, seat) {
		const fair = store.table.fair ?? {};
		const played = fair.scheme === SCHEME && !fair.out?.[seat] && nextValue(fair, seat);
		return find(player(store, seat).commit || played) !== null;
	}

	/** The same request, with a new tip if its seat needs one. */
	function withCommit(request, store) {
		const later = ["ready", "rematch", "start"].includes(request.type);
		if (!later && !["create", "join", "sit"].includes(request.type)) return request;
		const seat = later ? (request.seat ?? roomOf(store).host) : undefined;
		if (later && covers(store, seat)) return request;
		const commit = freshTip();
		given.set(request.id, { asked: seat, commit });
		return { ...request, commit };
	}

	function answered({ id, type, seat }) {
		const { asked, commit } = given.get(id) ?? {};
		if (commit && (type === "joined" || type === "ack")) kept.tips[commit] = seat ?? asked;
		given.delete(id);
	}

	/** The links that the pending draw asks us for. */
	function toShow(store) {
		const { fair = {} } = store.table;
		if (!fair.pending || fair.pending.seq > store.seq) return []; // the last: nobody has decided that yet
		sync();
		const seats = mySeats(store).filter((seat) => fair.pending.members.includes(seat));
		return seats.map((seat) => linkFor(seat, fair, bindingOf(store.table))).filter(Boolean);
	}

	function linkFor(seat, fair, binding) {
		const found = find(nextValue(fair, seat));
		if (!found) return null;
		const before = kept.shown[found.link];
		if (before ? before.binding !== binding : found.number <= (kept.last[found.tip] ?? 0)) {
			alarm(TWICE);
			return null;
		}
		const tip = before?.tip ?? (found.number === LENGTH - 1 ? freshTip() : undefined);
		kept.shown[found.link] = { binding, tip };
		kept.last[found.tip] = Math.max(found.number, kept.last[found.tip] ?? 0);
		return { type: "show", seat, draw: fair.pending.draw, link: found.link, tip };
	}

	const showed = (link, binding) => Object.hasOwn(kept.shown, link) && kept.shown[link].binding === binding;

	return { withCommit, answered, toShow, covers, showed };
}
