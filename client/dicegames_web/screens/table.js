// The table: what happens at it, and what the player is doing there. What is drawn follows from both (paint.js).
import { EMPTY, gameOf, mySeats, name, receive, roomOf } from "../guest/store.js";
import { tell, tellPresence, wording } from "../play/words.js";
import { NOT_YET, SLOW_MS } from "./enter.js";
import { paint } from "./paint.js";
import { ODDS } from "./panels.js";
import { FEW, shown } from "./review.js";

const MOST_LINES = 150;
const NOTICE_MS = 6000;
const MOST_PAGES = 500;
const MOST_REMEMBERED = 20;
const MOST_UPDATES = 3000; // of a log that is read only to tell what happened last
const MOST_LAPS = 600;

/** Shows the table at which a guest is. The result is called with everything that the guest hears. */
export function newTable(root, guest, view, prefix) {
	const ui = {
		root,
		guest,
		view,
		prefix,
		/** The newest lines of what happens, and how many there were. */
		feed: [],
		lines: 0,
		/** Events of the newest update that had some. */
		events: [],
		/** Points of the plot: name -> score, after each round. */
		laps: [],
		/** Places of the dice that are picked. */
		picked: [],
		/** Offers in the order of their places. */
		slots: [...view.slots],
		set,
		say,
		act,
		actAll,
	};
	let quiet; // timer: the notice goes
	let whole = false; // this game was seen from its start
	let missed = []; // sentences about what happened while we were away
	let unsure = false; // nobody knows whether our last move arrived

	function set(change) {
		Object.assign(ui, change);
		paint(ui);
	}
	/** Show a sentence for a while. */
	function say(text, kind = "") {
		clearTimeout(quiet);
		quiet = setTimeout(() => set({ notice: null }), NOTICE_MS);
		set({ notice: [text, kind] });
	}
	function note(text, kind, who) {
		ui.feed = [...ui.feed, { text, kind, who, key: ++ui.lines }].slice(-MOST_LINES);
	}
	function setTimer() {
		ui.deadline = guest.store.timer_ms === undefined ? null : Date.now() + guest.store.timer_ms;
	}

	/** Send a request. Every tap is answered: by the server, or by a sentence here. */
	async function act(request) {
		if (ui.busy) return say(NOT_YET);
		set({ busy: true, notice: null });
		const slow = setTimeout(() => say(NOT_YET), SLOW_MS);
		const failed = (error) => ({ type: "error", message: error.message, unsure: error.unsure });
		const answer = await guest.ask(request).catch(failed);
		clearTimeout(slow);
		if (answer.type !== "error" && request.type === "move") ui.seat = undefined;
		unsure ||= Boolean(answer.unsure && request.type === "move");
		ui.busy = false;
		if (answer.type === "error") say(answer.message, "bad");
		else set(ui.notice?.[0] === NOT_YET ? { notice: null } : {});
		return answer;
	}
	/** How well everybody played. `ui.review` is null until it is known, and while a game is on. */
	ui.askReview = async () => {
		const { game_no } = roomOf(guest.store);
		set({ unreviewed: "How well everybody played is being worked out." });
		const answer = await guest.ask({ type: "review", game_no }).catch((error) => error);
		const found = shown(answer.review);
		if (roomOf(guest.store).game_no === game_no) set({ review: found, unreviewed: found ? null : answer.message });
	};
	function gameOver() {
		Object.assign(ui, { review: null, unreviewed: null });
		if (Object.keys(guest.store.table.seats).length <= FEW) ui.askReview();
	}
	async function actAll(make) {
		for (const seat of mySeats(guest.store)) await act(make(seat));
	}

	function hear({ kind, sentence, why, said, message, before, after }) {
		if (kind === "alarm") note(`ALARM: ${(ui.alarm = sentence)}`, "bad");
		if (kind === "ended") ui.ended = sentence;
		if (kind === "news") news(message, before, after);
		if (kind === "lost") {
			Object.assign(ui, { lostAt: Date.now(), fill: null, notice: null });
			missed = [];
			note(`${why || "The connection is lost."} Trying to come back.`, "bad");
		}
		if (kind === "back") back(said);
		paint(ui);
	}
	/** `told`: a sentence, if it is not as it was. */
	function back(told) {
		const lost = unsure ? " Your last move did not arrive." : "";
		[ui.lostAt, unsure] = [null, false];
		note(told || "You are back.");
		if (told) say(told, "good");
		else if (missed.length) say(`While you were away: ${missed.join(" ")}${lost}`, "good");
		else say(lost ? `You are back.${lost}` : "You are back; nothing was missed.", "good");
	}

	function news(message, before, after) {
		const { type, seat, text, message: said } = message;
		const { phase } = roomOf(after);
		if (type === "update") update(message, after);
		if (type === "presence") for (const sentence of tellPresence(before, after)) note(sentence, "bad");
		if (type === "chat") note(text, "talk", `<${message.name}${seat === undefined ? ", watching" : ""}>`);
		if (type === "notice") say(said);
		if (type === "notice" || type === "left") note(said, "bad");
		if (type === "left" && !mySeats(after).length) ui.ended = said;
		if (type === "left" && message.reason === "closed") ui.gone = true;
		if (type === "joined" || type === "snapshot") {
			ui.events = [];
			whole = false;
			if (phase === "over") {
				readLog();
				gameOver();
			}
			if (!ui.lines) remember();
			if (seat !== undefined) {
				const when = phase === "playing" ? " You play from the next game on." : "";
				say(`You have a seat now, as ${name(after, seat)}.${when}`, "good");
			}
		}
		if (type !== "update" || "timer" in (message.patch.room ?? {})) setTimer();
	}
	function update({ seq, events, patch, cause }, after) {
		const words = wording(after);
		const told = events.flatMap((event) => tell(event, words, view));
		for (const sentence of told) note(sentence);
		if (ui.lostAt) missed = [...missed, ...told].slice(-3);
		if (cause.kind === "move" && cause.seat in after.tokens) unsure = false;
		if (events.length) ui.events = events;
		if (events.some((event) => event.faces)) ui.rolledAt = seq;
		if ("offers" in patch) {
			if (ui.fill) say("The table has moved on. Begin again.", "bad");
			Object.assign(ui, { picked: [], fill: null });
		}
		if (ui.panel?.[0] === ODDS) ui.panel = null; // they are of the moment before
		const has = (kind) => events.some((event) => event.kind === kind);
		ui.laps = lapsAfter(ui.laps, events, after);
		if (has("game_started")) whole = true;
		if (has("game_over") && !whole) readLog();
		if (has("game_over")) gameOver();
	}

	/** The points of the plot. */
	function lapsAfter(before, events, after) {
		return events.reduce((found, event) => {
			if (event.kind === "game_started") return [view.tally(after)];
			if (!after.table.game || !view.lap(event, gameOf(after))) return found;
			const thinner = found.length < MOST_LAPS ? found : found.filter((_, at) => at % 2 === 0); // a very long match
			return [...thinner, view.tally(after)];
		}, before);
	}
	/** All updates of the room, as they were sent. Each is given with the table that it led to. */
	async function eachUpdate(see) {
		const { room, tokens } = guest.store;
		const seat_token = Object.values(tokens)[0];
		let store = EMPTY;
		for (let page = 0; page < MOST_PAGES; page++) {
			const { lines = [] } = await guest.ask({ type: "log", room, after: store.seq, seat_token }).catch(() => ({}));
			for (const line of lines) {
				const update = JSON.parse(line);
				store = receive(store, update);
				see(update, store, line);
			}
			if (!lines.length) break;
		}
	}
	/** Who comes in the middle reads what happened last. There is no "you" in it: who sat there may have been another. */
	async function remember() {
		const { seq } = guest.store;
		note("Here is how it stands now.");
		if (seq > MOST_UPDATES) return;
		let told = [];
		await eachUpdate(({ seq: number, events }, after) => {
			const words = wording(after);
			const sentences = number <= seq ? events.flatMap((event) => tell(event, words, view)) : [];
			told = [...told, ...sentences].slice(-MOST_REMEMBERED);
		});
		set({ feed: [...told.map((text) => ({ text, kind: "soft", key: ++ui.lines })), ...ui.feed] });
	}
	/** A game that was not seen from its start is read in the log: for the plot, and for the proof of its dice. */
	async function readLog() {
		const study = guest.witness.study();
		let laps = [];
		ui.reading = true;
		await eachUpdate((update, after, line) => {
			laps = lapsAfter(laps, update.events, after);
			for (const sentence of study.see(line, update)) hear({ kind: "alarm", sentence });
		});
		study.end();
		set({ reading: false, ...(laps.length > ui.laps.length && { laps }) });
	}

	setTimer();
	if (roomOf(guest.store).phase === "over") {
		readLog();
		gameOver();
	}
	setInterval(() => (ui.deadline || ui.lostAt) && paint(ui), 500);
	paint(ui);
	return hear;
}
