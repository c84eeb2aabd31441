// Sevens: six dice, of which every pair that makes seven is gone.
import { number } from "../base/text.js";
import { listed } from "../play/words.js";
import generic from "./generic.js";

const sum = (faces) => faces.reduce((all, face) => all + face, 0);
const shown = ({ game, event }) =>
	event("rolled", "rolled_for_start") ?? (game.roll && game.faces ? game : { faces: [0, 0, 0, 0, 0, 0] });

/** These are the last dice of the player before: whose turn it is has not rolled yet. */
const isOfBefore = ({ game, event }) => game.stage !== "start" && !game.roll && event("rolled") !== undefined;

export default {
	...generic,
	tell: {
		rolled_for_start: ({ seat, faces, sum }, w) => `${w.does(seat, "roll")} ${faces.join(" ")} for the start: ${sum}.`,
		start_tied: ({ seats, sum }, w) => `${w.all(seats)} tied with ${sum} and roll again.`,
		starts: ({ seat }, w) => `${w.does(seat, "begin")}.`,
		rolled({ seat, faces, pairs, left, worth }, w) {
			const gone = pairs.map(([one, two]) => `${faces[one]} and ${faces[two]} go`).join(", ");
			const rest = left.length ? `Left ${listed(left)}, worth ${worth}.` : "Nothing is left.";
			return `${w.does(seat, "roll")} ${faces.join(" ")}. ${gone && `${gone}. `}${rest}`;
		},
		scored({ seat, points, total, why }, w) {
			const last = why === "nothing-left" ? "No dice are left. " : "";
			return `${last}${w.does(seat, "score")} ${number(points)}. That makes ${number(total)}.`;
		},
		round_began: ({ round, extra, seats }, w) =>
			extra
				? `It is a tie. ${w.all(seats)} play an extra round.`
				: `Round ${number(round)} of ${number(w.game.rounds)} begins.`,
	},
	headline: ({ game }) =>
		game.stage === "start"
			? "rolling for the start"
			: game.extra
				? "extra round"
				: `round ${game.round}/${game.rounds}`,
	slots: ["undo", "correct", "keep", "roll"],
	turn: (game) => game.turn,
	dice: (scene) => shown(scene).faces,
	look(scene, face, at) {
		if (isOfBefore(scene)) return ["gone"];
		const pair = shown(scene).pairs?.findIndex((one) => one.includes(at));
		return pair === undefined || !face ? [] : pair < 0 ? ["good", "left"] : ["gone", `gone ${"abc"[pair]}`];
	},
	lines(scene) {
		const { game, event, words } = scene;
		const { pairs, faces, roll } = shown(scene);
		const scored = event("scored");
		const opened = event("rolled_for_start");
		if (game.stage === "start")
			return [
				["", "Everyone rolls for the start: the highest sum begins"],
				opened && ["", `${words.who(opened.seat)} rolled ${opened.sum}`],
			];
		if (!pairs) return [["soft", "all six dice are to be rolled"]];
		if (isOfBefore(scene) && scored) {
			const { seat, points, total } = scored;
			return [["good", `${words.who(seat)} scored ${points}, that makes ${total}`]];
		}
		const left = faces.filter((_, at) => !pairs.flat().includes(at));
		return [
			["soft", `roll ${roll} of 3 ${pairs.map(([one, two]) => `${faces[one]}+${faces[two]}=7 gone`).join(", ")}`],
			["big", left.length ? `LEFT: ${listed(left)} = ${sum(left)} points` : "NOTHING IS LEFT"],
		];
	},
	note({ game }, seat, { status, opening, round = 0 }) {
		if (game.stage === "start") return opening === undefined ? "to roll" : `start: ${opening}`;
		return status === "turn"
			? game.left?.length
				? `now: ${sum(game.left)}`
				: "to roll"
			: status === "done"
				? `this round: ${round}`
				: status;
	},
	lap: (event) => event.kind === "game_over" || (event.kind === "round_began" && event.round > 1),
};
