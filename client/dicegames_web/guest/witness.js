// The witness: what we hear is checked at once and remembered, so that nobody can tell us something else later.
import { chains } from "./chains.js";
import { hashOf, inspector } from "./inspector.js";
import { mySeats, roomOf, stateHash } from "./store.js";

const MOST_HEADS = 5000, MOST_KEPT = 40;

export function newWitness({ kept }) {
	const told = new Set(), heads = new Map(kept.heads), wrong = new Set();
	let looks = null, seq = 0, id = kept.id, announced = 0;
	const alarm = (sentence) => told.add(sentence), ours = chains(kept, alarm);

	function fork(at) {
		alarm(`The server now tells another history of this room than before: update ${at} is not the one that we saw.`);
		wrong.add(looks?.table.fair?.pending?.seq);
	}
	function compare(at, head) {
		if (!head) return;
		if (heads.has(at)) return void (heads.get(at) !== head && fork(at));
		heads.set(at, head).delete(at - MOST_HEADS);
		kept.heads = [...(kept.heads ?? []), [at, head]].slice(-MOST_KEPT);
	}

	function begin(message, after) { // the whole table has come: look at the updates from here on
		const info = roomOf(after), before = looks?.table, was = before?.room;
		if (looks && id !== info.id) alarm("The server says that this is another room than before, under the same code.");
		else if (was?.phase === "playing" && info.phase === "playing" && was.game_no === info.game_no && before.fair?.commit !== after.table.fair?.commit)
			alarm("The server has exchanged its commitment in the middle of a game.");
		if (id !== info.id) {
			heads.clear(); // that was an earlier room
			kept.heads = [];
		}
		const here = before && id === info.id && message.seq === seq && message.head === heads.get(seq), { game = null, r = null } = looks ?? {};
		if (here && stateHash(before) !== stateHash(after.table)) {
			fork(seq);
			wrong.add(after.table.fair?.pending?.seq);
		} else if (before && id === info.id && message.seq < seq && !message.head) fork(message.seq);
		compare(message.seq, message.head);
		kept.id = id = info.id;
		looks = Object.assign(inspector(after.table, message.head), here && { game, r }); // after a gap the game was not seen wholly
		seq = message.seq;
	}

	/** Look at a message. The result are new alarms, each told once. */
	function hear(message, line, after) {
		const { type } = message;
		ours.answered(message);
		if (type === "joined" || type === "snapshot") begin(message, after);
		else if (type === "update" && message.seq <= seq) compare(message.seq, hashOf(line));
		else if (type === "update" && looks && message.seq === seq + 1) {
			const found = looks.see(line, message);
			if (found.length) wrong.add(message.seq);
			found.forEach(alarm);
			seq = message.seq;
			compare(seq, looks.head);
			const { fair } = after.table, mine = mySeats(after).filter((seat) => Object.values(kept.tips).includes(seat) && !fair?.out?.[seat]);
			if (("commit" in (message.patch.fair ?? {}) || message.events.some((event) => event.kind === "game_started")) && mine.some((seat) => !ours.covers(after, seat)))
				alarm("The server has left our part of the dice out: these dice prove nothing to you.");
		} else if (message.seq <= seq) compare(message.seq, message.head);
		return fresh();
	}
	function fresh() { // alarms that nobody has been told
		const found = [...told].slice(announced);
		announced = told.size;
		return found;
	}

	/** Links that are asked for. None, where the update that asks was wrong. */
	const toShow = (store) => (wrong.has(store.table.fair?.pending?.seq) ? [] : ours.toShow(store));

	/** Looks at the whole log of the room, for somebody who came late or was loaded anew. What we heard ourselves has to be in it. */
	function study() {
		const whole = inspector();
		let last = 0;
		return {
			see(line, update) {
				whole.see(line, update).forEach(alarm);
				last = update.seq;
				if (heads.has(last)) compare(last, whole.head);
				if (last === seq && stateHash(whole.table) !== stateHash(looks.table)) fork(last);
				return fresh();
			},
			/** Only a log that leads to what we have heard proves something. */
			end() { if (looks && last >= seq && heads.get(seq) && !told.size) looks.game = whole.game; },
		};
	}

	/** One sentence at the end of a game: whether its dice are proven to us. */
	function verdict(store) {
		const { game } = looks, mine = mySeats(store), part = mine.filter((seat) => game?.seats.includes(seat)), { out } = store.table.fair ?? {};
		if (told.size) return `The dice are WRONG: ${[...told][0]}`;
		if (roomOf(store).options?.dice === "entered") return "These were real dice: nobody can prove them.";
		if (game && !game.rolls) return "No dice were rolled in this game.";
		const doubts = Object.entries({
			"this page has not seen it from the start": !game,
			[`${game?.without.join(", ")} had no part in the dice`]: game?.without.length,
			[`dice were drawn anew, because ${game?.redrawn.join(", ")} did not answer`]: game?.redrawn.length,
			[`no player had a part in ${game?.alone} of ${game?.rolls} draws`]: game?.alone,
			[`dice were hidden in ${game?.hidden} draws`]: game?.hidden,
			"the server has not shown its secret": game && !game.secret,
			"you were watching, so no part of them was yours": !mine.length,
			"no part of them was yours": game && mine.length && !part.length,
			"your part was left out": part.some((seat) => out?.[seat]),
		}).filter(([, doubt]) => doubt).map(([sentence]) => sentence);
		return doubts.length ? `Nothing was wrong with the dice, but they are not proven to you: ${doubts.join("; ")}.`
			: `The dice are proven: all draws (${game.rolls}) follow from what ${game.members.join(", ")} and the server showed, and your part was in each.`;
	}
	return { hear, toShow, study, verdict, withCommit: ours.withCommit };
}
