// Sentences about what happens, in the words of the terminal's line mode. A test compares the two.
import { number } from "../base/text.js";
import { gameOf, mySeats, name, numbers, player, roomOf } from "../guest/store.js";

export const listed = (items) =>
	items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
const MOST_NAMES = 3;
const IRREGULAR = { have: "has", are: "is", do: "does" };

/** Words for a table from the side of its player. "You" is somebody with exactly one seat. */
export function wording(store) {
	const seats = mySeats(store);
	const me = seats.length === 1 ? seats[0] : null;
	const who = (seat) => (seat === me ? "You" : name(store, seat));
	const whom = (seat) => (seat === me ? "you" : name(store, seat));
	const all = (some) => listed([...some].sort((a, b) => (b === me) - (a === me)).map(who));
	const does = (seat, verb) =>
		seat === me
			? `You ${verb}`
			: `${name(store, seat)} ${IRREGULAR[verb] ?? verb + (/(s|sh|ch|x|o)$/.test(verb) ? "es" : "s")}`;
	return { store, me, who, whom, all, does, game: gameOf(store), room: roomOf(store) };
}

const overSsh = (seat, w) => `${w.does(seat, "play")} over ssh: that share of the dice comes from the server.`;
export const won = (winners, w) =>
	winners.length === 1 ? `${w.does(winners[0], "win")}!` : `${w.all(winners)} share the win.`;
const OF_ROOM = {
	took_seat: ({ seat, name }, w) => (seat === w.me ? `You sit down as ${name}.` : `${name} sits down.`),
	left_seat({ name, why, bot_plays }) {
		const how = { kicked: "was removed by the host", expired: "did not come back" }[why] ?? "has left";
		return `${name} ${how}.${bot_plays ? " A bot plays on." : ""}`;
	},
	host_changed: ({ seat }, w) => `${w.does(seat, "are")} the host now.`,
	ready_changed: ({ seat, ready }, w) => `${w.does(seat, "are")} ${ready ? "ready" : "not ready"}.`,
	options_changed: () => "The host has changed the options.",
	wants_rematch: ({ seat, votes, of }, w) => `${w.does(seat, "want")} a rematch (${votes} of ${of}).`,
	drawn_anew: ({ names }) => `The dice were drawn anew because ${listed(names)} did not answer.`,
	not_dealt: () => "Too few are left at the table; the game waits again.",
	game_started: (_, w) => ["The game begins.", ...withoutPart(w)],
	time_up: ({ seat }, w) => `${w.who(seat)} took too long.`,
	over_ssh: ({ seat, on }, w) => (on ? overSsh(seat, w) : `${w.does(seat, "have")} a client of their own now.`),
	stand_in: ({ seat, on }, w) => (on ? `A bot plays for ${w.whom(seat)}.` : `${w.does(seat, "are")} back at the dice.`),
	corrected({ seat, faces, was, back, undone = [] }, w) {
		const which = (back ?? 1) > 1 ? "an earlier roll" : "the last roll";
		const from = was?.length ? ` from ${was.join(" ")}` : "";
		return `${w.does(seat, "correct")} ${which}${from} to ${faces.join(" ")}.${takenBack(undone, w)}`;
	},
	taken_back: ({ seat, faces, undone = [] }, w) =>
		`${w.does(seat, "take")} ${faces.join(" ")} back, to type it again.${takenBack(undone, w)}`,
	game_goes_on: () => "So the game is not over: it goes on.",
	game_over: ({ winners }, w) => `The game is over. ${won(winners, w)}`,
	room_opened: () => [],
	dealing: () => [],
	dealt: () => [],
};

/** Whose later moves no longer fit a corrected roll. */
function takenBack(undone, w) {
	const whose = [...new Set(undone)].map((seat) => `${undone.filter((one) => one === seat).length} of ${w.whom(seat)}`);
	return undone.length ? ` Moves that are taken back: ${listed(whose)}.` : "";
}

function withoutPart(w) {
	// who has no part in the dice, though others have
	const { without = [], committee = [] } = w.store.table.fair ?? {};
	const ssh = without.filter((seat) => player(w.store, seat).over_ssh);
	if (!committee.length) return ssh.length > 1 ? ["All play over ssh: the dice come from the server alone."] : [];
	const others = without.filter((seat) => !ssh.includes(seat)).map((seat) => name(w.store, seat));
	return [
		...(others.length ? [`Without a part in the dice: ${listed(others)}.`] : []),
		...ssh.map((seat) => overSsh(seat, w)),
	];
}

/** How many players are still needed. Empty: there are enough. */
export function tooFew(store) {
	const there = Object.values(store.table.seats).filter((one) => !one.left).length;
	const missing = roomOf(store).least - there;
	return missing > 0 ? `${missing} more ${missing === 1 ? "player is" : "players are"} needed (or a bot).` : "";
}

/** What a waiting room waits for. */
export function waitingFor(store) {
	const { seats } = store.table;
	if (tooFew(store)) return tooFew(store);
	if (!mySeats(store).length) return "The game has not begun yet.";
	const people = numbers(seats).filter((seat) => !seats[seat].bot);
	const late = people.filter((seat) => !seats[seat].ready);
	if (!late.length && Object.keys(seats).length === 1)
		return "Nobody else is here yet. Wait for somebody, add a bot, or start alone.";
	const w = wording(store);
	const names = late.slice(0, MOST_NAMES).map(w.whom);
	const more = late.length > MOST_NAMES ? [`${late.length - MOST_NAMES} more`] : [];
	const ready = `${people.length - late.length} of ${people.length} ready`;
	if (!late.length) return `${ready}.`;
	const whom = listed([...names, ...more]);
	const are = late.length === 1 && names[0] !== "you" ? "is" : "are";
	return `${ready}: ${whom} ${are} missing. The host can start without.`;
}

/** Sentences about one event, of the room or of the game. */
export function tell(event, w, view) {
	const table = [OF_ROOM, view.tell].find((one) => Object.hasOwn(one, event.kind)); // a kind may be "constructor"
	return [(table ? table[event.kind] : view.other)(event, w)].flat();
}

/** A value in words. `digits` writes its whole numbers. */
export const plain = (value, digits = number) =>
	Array.isArray(value)
		? value.map((one) => plain(one, digits)).join(" ") || "none"
		: value === true
			? "yes"
			: value === false
				? "no"
				: value && typeof value === "object"
					? Object.entries(value)
							.map(([key, one]) => `${key} ${plain(one, digits)}`)
							.join(", ") || "none"
					: typeof value === "number"
						? digits(value)
						: String(value);

export function tellPresence(before, after) {
	const w = wording(after);
	const new_ = (one, other) =>
		Object.keys(one)
			.filter((seat) => !(seat in other) && !(seat in after.tokens) && after.table.seats[seat])
			.map(Number);
	return [
		...new_(after.away, before.away).map(
			(seat) => `${w.who(seat)} lost the connection. The seat is held for ${held(after.away[seat])}.`,
		),
		...new_(before.away, after.away).map((seat) => `${w.does(seat, "are")} here again.`),
	];
}
function held(ms) {
	const minutes = Math.round(ms / 60000);
	return minutes ? `${minutes} minute${minutes === 1 ? "" : "s"}` : `${Math.floor(ms / 1000)} seconds`;
}
