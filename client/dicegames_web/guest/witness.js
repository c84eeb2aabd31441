// The witness: what we hear is checked at once and remembered, so that nobody can tell us something else later.
import { newChains } from "./chains.js";
import { inspector } from "./inspector.js";
import { hashOf } from "./scheme.js";
import { mySeats, roomOf, stateHash } from "./store.js";

/** Hashes of updates that a page remembers, and those of them that stay when it is loaded anew. */
const MOST_HEADS = 5000;
const MOST_KEPT = 40;
const MOST_ALARMS = 20;
const ANOTHER_ROOM = "The server says that this is another room than before, under the same code.";
const EXCHANGED = "The server has exchanged its commitment in the middle of a game.";
const NO_HEAD = "The server does not say which update led to this table.";
const LEFT_OUT = "The server has left our part of the dice out: these dice prove nothing to you.";
const wentBack = (seq, last) =>
	`The server goes back to update ${seq} of this room, though it has told us update ${last}.`;
const forked = (seq) =>
	`The server now tells another history of this room than before: update ${seq} is not the one that we saw.`;

export function newWitness(memory) {
	const { kept } = memory;
	const told = new Set(kept.alarms); // alarms, also those of a page that was loaded anew
	let announced = 0; // so many of them were handed out
	const heads = new Map(kept.heads); // seq -> hash of the update
	const wrong = new Set(); // numbers of updates in which something was wrong
	let looks = null; // the inspector of what we hear
	let seq = kept.seq; // the newest update that we know of: history never goes back
	function alarm(sentence) {
		told.add(sentence);
		kept.alarms = [...told].slice(0, MOST_ALARMS);
	}
	const chains = newChains(memory, alarm);

	function fork(at) {
		alarm(forked(at));
		wrong.add(looks?.table.fair?.pending?.seq);
	}

	/** What is told about an update has to be what we know of it. */
	function compare(at, head) {
		if (!head || !(at >= 1)) return;
		if (heads.has(at)) {
			if (heads.get(at) !== head) fork(at);
			return;
		}
		heads.set(at, head);
		if (heads.size > MOST_HEADS) heads.delete(heads.keys().next().value);
		kept.heads = [...kept.heads, [at, head]].slice(-MOST_KEPT);
	}

	/** The whole table has come: look at the updates from here on. */
	function begin(message, after) {
		const { id } = roomOf(after);
		const before = looks?.table;
		const sameRoom = id === kept.id;
		if (looks && !sameRoom) alarm(ANOTHER_ROOM);
		else if (looks && exchanged(before, after.table)) alarm(EXCHANGED);
		if (!sameRoom) {
			heads.clear(); // that was an earlier room
			seq = 0;
			Object.assign(kept, { heads: [], id, alarms: looks ? kept.alarms : [] });
			if (!looks) told.clear();
		}
		if (id && !message.head) {
			alarm(NO_HEAD);
			wrong.add(after.table.fair?.pending?.seq);
		}
		const here = before && sameRoom && message.seq === seq && message.head === heads.get(seq);
		if (here && stateHash(before) !== stateHash(after.table)) {
			fork(seq);
			wrong.add(after.table.fair?.pending?.seq);
		} else if (sameRoom && message.seq < seq) {
			alarm(wentBack(message.seq, seq)); // a table of the future could have asked for our links
			wrong.add(after.table.fair?.pending?.seq);
		}
		compare(message.seq, message.head);
		const { game, r } = looks ?? {};
		looks = inspector(after.table, message.head, chains.showed);
		if (here) Object.assign(looks, { game, r }); // else there is a gap, and the game was not seen as a whole
		seq = kept.seq = Math.max(seq, message.seq);
	}

	/** Look at a message. The result are new alarms, each told once. */
	function hear(message, line, after) {
		const { type } = message;
		chains.answered(message);
		if (type === "joined" || type === "snapshot") begin(message, after);
		else if (type === "update" && message.seq <= seq) compare(message.seq, hashOf(line));
		else if (type === "update" && looks && message.seq === seq + 1) update(message, line, after);
		else if (message.seq <= seq) compare(message.seq, message.head);
		return newAlarms();
	}
	function update(message, line, after) {
		const found = looks.see(line, message);
		if (found.length) wrong.add(message.seq);
		found.forEach(alarm);
		seq = kept.seq = message.seq;
		compare(seq, looks.head);
		if (begins(message) && isLeftOut(after)) alarm(LEFT_OUT);
	}
	const begins = ({ patch, events }) =>
		"commit" in (patch.fair ?? {}) || events.some((event) => event.kind === "game_started");
	function isLeftOut(store) {
		const given = Object.values(kept.tips);
		const mine = mySeats(store).filter((seat) => given.includes(seat) && !store.table.fair?.out?.[seat]);
		return mine.some((seat) => !chains.covers(store, seat));
	}
	function newAlarms() {
		const found = [...told].slice(announced);
		announced = told.size;
		return found;
	}

	/** Links that are asked for. None, where the update that asks was wrong. */
	const toShow = (store) => (wrong.has(store.table.fair?.pending?.seq) ? [] : chains.toShow(store));

	/**
	 * Looks at the whole log of the room, for somebody who came late or was loaded anew. What we heard ourselves has to
	 * be in it.
	 */
	function study() {
		const whole = inspector({}, "", chains.showed);
		let last = 0;
		return {
			see(line, update) {
				whole.see(line, update).forEach(alarm);
				last = update.seq;
				if (heads.has(last)) compare(last, whole.head);
				if (last === seq && stateHash(whole.table) !== stateHash(looks.table)) fork(last);
				return newAlarms();
			},
			/** Only a log that leads to what we have heard proves something. */
			end() {
				if (looks && last >= seq && heads.get(seq) && !told.size) looks.game = whole.game;
			},
		};
	}

	/** One sentence at the end of a game: whether its dice are proven to us. */
	function verdict(store) {
		const { game } = looks;
		if (told.size) return `The dice are WRONG: ${[...told][0]}`;
		if (game?.typed || roomOf(store).options?.dice === "entered") return "These were real dice: nobody can prove them.";
		if (game && !game.rolls) return "No dice were rolled in this game.";
		const doubts = doubtsAbout(game, store);
		if (doubts.length) return `Nothing was wrong with the dice, but they are not proven to you: ${doubts.join("; ")}.`;
		const all = `all draws (${game.rolls}) follow from what ${game.members.join(", ")} and the server showed`;
		return `The dice are proven: ${all}, and your part was in each.`;
	}

	return { hear, toShow, study, verdict, withCommit: chains.withCommit };
}

/** Whether the commitment of a running game is another one than before. */
function exchanged({ room, fair }, after) {
	const sameGame = room.phase === "playing" && after.room.phase === "playing" && room.game_no === after.room.game_no;
	return sameGame && fair?.commit !== after.fair?.commit;
}

/** Why dice that are not wrong are not proven to us either. */
function doubtsAbout(game, store) {
	const mine = mySeats(store);
	const watching = "you were watching, so no part of them was yours";
	if (!game) return ["this page has not seen it from the start", ...(mine.length ? [] : [watching])];
	const part = game.mine ? `your part was in ${game.mine} of ${game.rolls} draws` : "no part of them was yours";
	const doubts = [
		[game.without.length, `${game.without.join(", ")} had no part in the dice`],
		[game.redrawn.length, `dice were drawn anew, because ${game.redrawn.join(", ")} did not answer`],
		[game.alone, `no player had a part in ${game.alone} of ${game.rolls} draws`],
		[game.hidden, `dice were hidden in ${game.hidden} draws`],
		[!game.secret, "the server has not shown its secret"],
		[!mine.length, watching],
		[mine.length && game.mine < game.rolls, part],
	];
	return doubts.filter(([doubt]) => doubt).map(([, sentence]) => sentence);
}
