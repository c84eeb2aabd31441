// Doubles: the pot, the sevens, and who is still in.
import { number } from "../base/text.js";
import { mySeats, name } from "../guest/store.js";
import { listed } from "../play/words.js";
import generic from "./generic.js";

const absent = (game, store) => (mySeats(store).length ? "YOU PLAY NEXT GAME" : `${game.inside} still in`);
function lastRoll({ last, rolls, pot, sevens }, rolled, store) {
	if (!last || !(rolls || rolled)) return "";
	const [one, two] = last.faces;
	const gain = (rolled?.pot ?? pot) - last.before;
	const seven = one + two === 7 ? `, SEVEN #${rolled?.sevens ?? sevens}${gain > 0 ? ` (+${gain})` : ""}` : "";
	return `${name(store, last.seat)} rolled ${one}+${two} = ${one + two}${seven}`;
}
const isSealed = (game) => game.deciding?.decided !== undefined;
const SEALED = "Sealed: shown when all have decided.";
/** Players in a sentence. */
function named(seats, w) {
	if (seats.length > 6) return `${number(seats.length)} players`;
	return seats.length ? listed(seats.map((seat) => w.whom(seat))) : "nobody";
}
const isOut = (entry, game) => entry.out === game.round;

export default {
	...generic,
	tell: {
		rolled({ seat, faces: [one, two], special, sevens, pot }, w) {
			const rolls = `${w.does(seat, "roll")} ${one} and ${two}.`;
			const now = `The pot is ${number(pot)}.`;
			if (special === "bust") return `${rolls} Seven number 4. The pot is gone.`;
			if (special === "seven")
				return `${rolls} Seven number ${sevens}. ${now}${sevens === 3 ? " The next seven ends the round." : ""}`;
			const doubles = { "first-doubles": " DOUBLES on the first roll!", doubles: " DOUBLES!" }[special] ?? "";
			return `${rolls}${doubles} ${now}`;
		},
		cashed_out: ({ seat, points, score }, w) =>
			`${w.does(seat, "cash")} out ${number(points)}. That makes ${number(score)}.`,
		held: ({ seat, holding, of }, w) => `${w.does(seat, "hold")}. ${number(holding)} of ${number(of)} are holding.`,
		decided({ seat, decided, of }, w) {
			const many = `${number(decided)} of ${number(of)} have.`;
			return `${w.does(seat, "have")} decided. ${seat === w.me && decided < of ? SEALED : many}`;
		},
		decisions_shown: ({ cashed, held }, w) =>
			`The window is closed. Cashing out: ${named(cashed, w)}. Holding: ${named(held, w)}.`,
		window_opened({ ms, sealed }, w) {
			const time = `${Math.floor(ms / 1000)} seconds`;
			const roll = w.room.options.dice === "entered" ? `${time} to decide.` : `Next roll in ${time}.`;
			const left = `${roll}${sealed ? " Decisions are sealed." : ""}`;
			const inside = mySeats(w.store)
				.filter((seat) => w.game.seats[seat] && !isOut(w.game.seats[seat], w.game))
				.map((seat) => name(w.store, seat));
			return !inside.length
				? left
				: `${w.me === null ? `${listed(inside)} can choose` : "You are in"}: cash out or hold. ${left}`;
		},
		window_closed: ({ roller }, w) => `Everyone has had time to decide. ${w.does(roller, "roll")} next.`,
		round_over: ({ round, why }) =>
			`Round ${number(round)} is over: ${why === "bust" ? "the fourth seven has come" : "everyone has cashed out"}.`,
		round_began({ round, roller, last }, w) {
			const of = w.game.rounds && !last ? ` of ${number(w.game.rounds)}` : "";
			const end = last ? " It is the last one." : "";
			return `Round ${number(round)}${of} begins.${end} ${w.does(roller, "roll")} first.`;
		},
	},
	slots: ["hold", "correct", "cash", "roll"],
	headline: ({ game }) => `round ${game.round}${game.rounds ? `/${game.rounds}` : ", end hidden"}`,
	turn: (game) => (game.deciding ? undefined : game.roller),
	dice: ({ game, event }) => (game.last && (game.rolls || event("rolled")) ? game.last.faces : [0, 0]),
	lines({ game, seat, event, store, offers, words }) {
		const { special = "", sevens = game.sevens, pot } = event("rolled") ?? {};
		const mine = game.seats[seat];
		const before = number(game.last?.before);
		const who = words.me === null ? `${name(store, seat)} IS` : "YOU ARE";
		return [
			["soft", lastRoll(game, event("rolled"), store)],
			["big", `POT ${number(game.pot)}`],
			special.endsWith("doubles") && ["hot", `DOUBLES! ${before} → ${number(pot)}`],
			special === "bust" && ["bad", `THE FOURTH SEVEN: ${before} ARE GONE`],
			[
				"",
				`SEVENS: ${sevens} of 4`,
				[["SEVENS", "name"], ...[1, 2, 3, 4].map((at) => ["7", at <= sevens ? "on" : "off"])],
			],
			sevens === 3 && ["bad", "NEXT 7 BUSTS"],
			["you", mine ? `${who} ${isOut(mine, game) ? `OUT +${number(mine.won)}` : "IN"}` : absent(game, store)],
			game.deciding && offers.hold && mine?.held !== game.roll_no && ["bad", "CASH OUT OR HOLD?"],
			isSealed(game) && mine?.decided === game.roll_no && ["you", SEALED],
			game.deciding && [
				"",
				isSealed(game)
					? `${game.deciding.decided} of ${game.deciding.of} decided`
					: `${game.deciding.holding} of ${game.deciding.of} holding`,
			],
		];
	},
	note({ game }, seat, entry) {
		if (isOut(entry, game)) return `OUT +${number(entry.won)}`;
		if (isSealed(game)) return entry.decided === game.roll_no ? "in, decided" : "in, undecided";
		if (game.deciding) return entry.held === game.roll_no ? "in, holding" : "in, undecided";
		return seat === game.roller ? "in, rolls next" : "in";
	},
	lap: (event) => event.kind === "round_over",
};
