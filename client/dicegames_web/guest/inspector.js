// Looks at the updates of a room one by one, and says what is wrong with their dice. It needs no rules of any game.
// Its checks and their words are those of protocol/dicegames_protocol/fairness/inspector.py; a test compares the two.
import { isObject, merged, same } from "../base/canonical.js";
import {
	SCHEME,
	bindingOf,
	committee,
	follows,
	gameNumber,
	hashOf,
	inOrder,
	nextValue,
	opens,
	possible,
	roll,
} from "./scheme.js";
import { numbers } from "./store.js";

const BEGINS = ["start", "ready", "rematch"];
const DECIDES = [...BEGINS, "move", "time", "redraw"];
/** Kinds of updates that may show links without dice. */
const USES_LINKS = ["roll", "redraw", "abandon"];
const PLAYS = ["move", "time", "roll", "redraw"];
/** What is known about a room and stays the same while a game is played. */
const SETTLED = ["id", "code", "game", "rules", "options"];
/** Names of the dice on the table in the state of a game. */
const DICE = ["dice", "faces"];

/** The dice in a change of the game, wherever they are. */
function lying(game) {
	if (!isObject(game)) return [];
	const mine = DICE.map((name) => game[name]).filter((dice) => (dice ?? null) !== null);
	return [...mine, ...Object.values(game).flatMap(lying)];
}

/** Whether all these dice were drawn. */
function among(dice, drawn) {
	const left = [...drawn];
	const taken = (face) => left.includes(face) && left.splice(left.indexOf(face), 1).length > 0;
	return Array.isArray(dice) && dice.every(taken);
}

/**
 * `table` and `head`: where it begins, and the hash of the update that led there. `showed` tells whether we have shown
 * a link ourselves, for a draw that was decided like this.
 */
export function inspector(table = {}, head = "", showed = () => false) {
	const me = { table, head, game: null, r: null, see };
	let last = null; // the dice that were drawn last, as far as they are known

	/** Look at the next update. `line`: as it was sent. The result are sentences about what is wrong. */
	function see(line, update) {
		const wrong = [];
		const say = (bad, sentence) => bad && wrong.push(sentence);
		chained(update, say);
		try {
			look(stepOf(update), say);
		} catch {
			say(true, "What it says about the dice makes no sense.");
		}
		me.table = merged(me.table, update.patch);
		me.head = hashOf(line);
		return wrong;
	}

	function chained({ seq, prev }, say) {
		if (seq === 1 || !me.head) return;
		if (prev === undefined) say(me.table.room?.id, "It does not name the update before it.");
		else say(prev !== me.head, "It does not follow the update before it: the log was changed.");
	}

	/** An update, with what is known about the dice before it (`fair`) and `after` it. Throws for nonsense. */
	function stepOf({ seq, cause, events, patch }) {
		const room = me.table.room ?? {};
		const fair = me.table.fair ?? {};
		const told = patch.fair;
		const after = told === undefined ? fair : told === null ? {} : merged(fair, told);
		const objects = [cause, cause.drawn ?? {}, after, after.links ?? {}, after.tips ?? {}, after.out ?? {}, ...events];
		const lists = [after.committee ?? [], after.without ?? []];
		if (!objects.every(isObject) || !lists.every(Array.isArray) || typeof cause.kind !== "string")
			throw new Error("odd");
		return {
			seq,
			cause,
			events,
			change: patch,
			room,
			fair,
			after,
			args: cause.args ?? {},
			drawn: cause.drawn,
			rolled: cause.drawn?.r !== undefined,
			/** People roll real dice here, and type the faces. */
			typed: room.options?.dice === "entered",
			/** The server commits itself: a new game, or one that goes on after its secret was shown. */
			begun: told?.commit !== undefined,
			is: (...kinds) => kinds.includes(cause.kind),
			has: (kind) => events.some((event) => event.kind === kind),
		};
	}

	function look(step, say) {
		const { fair, after, begun } = step;
		told(step, say);
		if (fair.scheme === SCHEME && fair.secret === undefined) settled(step, say);
		if (begun) begins(step, say);
		else if (after.scheme === SCHEME) shown(step, say);
		if (after.scheme !== SCHEME) return;
		draws(step, say);
		secret(step, say);
	}

	/** Whether the dice that are told are dice that were drawn. */
	function told({ change, room, after, drawn, rolled, typed, events, is, has }, say) {
		const unfair = room.id && has("game_started") && after.scheme !== SCHEME;
		say(unfair, "The game begins without fair dice.");
		say(is("roll") && !rolled && !has("not_dealt"), "A roll does not tell its dice.");
		say(drawn && !rolled && !typed, "Dice are said to be typed, but nobody types dice here.");
		const others = ({ faces }) => (faces ?? null) !== null && !same(faces, drawn?.faces ?? []);
		if (typed) {
			if (me.game && me.table.fair?.secret === undefined) me.game.typed = true;
			return;
		}
		say(events.some(others), "Other dice are told than those that were drawn.");
		last = drawn?.faces ?? last;
		const strange = last && lying(change.game).some((dice) => !among(dice, last));
		say(strange, "Other dice lie on the table than those that were drawn.");
	}

	/** What decides dice, or how they are told, stays as it is until the secret is shown. */
	function settled({ change, room, fair, after, begun }, say) {
		if (after.scheme !== SCHEME) return say(true, "The game goes on without fair dice.");
		const now = { ...room, ...change.room };
		const dealt = now.phase === "playing" && room.phase !== "playing" && now.game_no === (room.game_no ?? 0) + 1;
		const other = SETTLED.some((name) => change.room && name in change.room && !same(change.room[name], room[name]));
		const changed = other || (now.game_no !== room.game_no && !dealt) || (after.epoch !== fair.epoch && !begun);
		return say(changed, "What the game is played with was changed in the middle of it.");
	}

	function begins({ cause, args, fair, after, typed, is, has }, say) {
		const hidden = fair.scheme === SCHEME && fair.secret === undefined;
		const goesOn = has("game_goes_on");
		say(hidden, "The server has exchanged its commitment, and never showed the secret of the one before.");
		say(!goesOn && !is(...BEGINS), "The server has exchanged its commitment in the middle of a game.");
		me.r = goesOn ? me.r : 0;
		me.game = null;
		if (after.scheme !== SCHEME) return;
		if (after.link !== undefined) linkOfServer({ commit: after.commit }, after, say);
		const tips = tipsOf(cause.seat, args.commit, fair);
		const chosen = committee(after.commit, tips);
		const without = people().filter((seat) => !tips[seat]);
		me.game = {
			rolls: 0,
			/** Draws in which no player had a part. */
			alone: 0,
			hidden: 0,
			/** Draws for which we showed a link ourselves, after they were decided as they were rolled. */
			mine: 0,
			/** Real dice were typed in at some time. */
			typed: false,
			redrawn: [],
			seats: chosen,
			members: chosen.map(nameOf),
			without: without.map(nameOf),
		};
		if (goesOn) {
			const changed = ["committee", "links", "tips"].some((part) => !same(after[part], fair[part]));
			say(changed || !typed, "A game that was over goes on, though nobody could have corrected a roll.");
			return;
		}
		const links = Object.fromEntries(chosen.map((seat) => [seat, tips[seat]]));
		const wrongMembers = !same(after.committee ?? [], chosen);
		say(wrongMembers, "The committee is not the one that follows from what all have committed to.");
		say(!same(after.links, links), "The tips of the committee are not those that its members gave.");
		say(!same(inOrder(after.without ?? []), without), "It is not said right whose clients gave no tip.");
	}

	const people = () =>
		numbers(me.table.seats).filter((seat) => !me.table.seats[seat].bot && !me.table.seats[seat].left);
	const nameOf = (seat) => String(me.table.seats?.[seat]?.name ?? `seat ${Number(seat) + 1}`);

	/** Seat -> the tip from which its links have to come. `commit`: what `mover` gave with this update. */
	function tipsOf(mover, commit, fair) {
		const played = me.table.game?.seats ?? {};
		const goingOn = (seat) => fair.scheme === SCHEME && seat in played && !(seat in (fair.out ?? {}));
		const tipOf = (seat) =>
			(seat === mover && commit) || me.table.seats[seat].commit || (goingOn(seat) && nextValue(fair, seat));
		const tips = people().map((seat) => [seat, tipOf(seat)]);
		return Object.fromEntries(tips.filter(([, tip]) => tip));
	}

	/** Links that were shown, and changes of the committee. */
	function shown({ change, cause, args, fair, after, rolled, is }, say) {
		const before = fair.links ?? {};
		const links = after.links ?? {};
		const changed = Object.keys(links).filter((seat) => links[seat] !== before[seat]);
		for (const seat of changed)
			say(
				!follows(links[seat], nextValue(fair, seat)),
				`The link of ${nameOf(seat)} is not the one that was promised.`,
			);
		for (const [seat, tip] of Object.entries(after.tips ?? {}))
			say(tip !== fair.tips?.[seat] && !changed.includes(seat), `The chain of ${nameOf(seat)} was exchanged.`);
		say(!same(links, before) && !rolled && !is(...USES_LINKS), "Links were shown without a roll.");
		if (after.link !== fair.link) {
			linkOfServer(fair, after, say);
			say(!rolled, "The server has shown a link without a roll.");
		} else say(after.tip !== fair.tip, "The chain of the server was exchanged.");

		const was = fair.committee ?? [];
		const members = after.committee ?? [];
		const out = numbers(after.out).filter((seat) => !(seat in (fair.out ?? {})));
		const who = is("leave") ? cause.seat : is("kick") ? args.target : undefined;
		const seat = change.seats?.[who];
		const leaver = seat === null || seat?.left ? who : undefined;
		const gone = was.filter((seat) => !members.includes(seat) && !out.includes(seat) && seat !== leaver);
		const added = members.some((seat) => !was.includes(seat));
		say(added || gone.length, "The committee was changed without a reason.");
		if (!is("redraw")) return;
		me.game?.redrawn.push(...out.map(nameOf)); // none: we came in the middle of the game
		const hadShown = out.some((seat) => changed.includes(String(seat)));
		say(hadShown, "A seat was left out although it had shown its link.");
		say(!out.length || !same(out, inOrder(args.seats ?? [])), "The dice were drawn anew without a reason.");
	}

	function linkOfServer(fair, after, say) {
		const bound = follows(after.link, fair.tip || fair.link || fair.commit);
		say(!bound, "The link of the server is not the one that it was bound to.");
	}

	/** Dice, and draws that are decided. */
	function draws(step, say) {
		const { seq, cause, fair, after, rolled, is } = step;
		const { pending } = fair;
		const asked = after.pending;
		say(pending && is("move", "time"), "Somebody moved while the dice were rolling.");
		say(pending && !asked && !is("roll", "abandon"), "Dice that were decided were never rolled.");
		if (asked && !same(asked, pending)) {
			const whole = same(asked.members, after.committee ?? []) && asked.seq === seq;
			say(!whole, "Not all members of the committee are asked for their links.");
			const decided = cause.draw === asked.draw && is(...DECIDES);
			say(!decided, "Links are asked for, though nobody has decided to roll.");
		}
		if (rolled) dice(step, say);
	}

	function dice({ drawn, room, fair, after, begun }, say) {
		const { pending } = fair;
		me.r = me.r === null ? drawn.r : me.r + 1; // who came in the middle takes the first number as it is
		const others = pending && (drawn.count !== pending.count || drawn.sides !== pending.sides);
		say(others, "Other dice were rolled than those that were decided.");
		const members = pending ? pending.members : (after.committee ?? []);
		const links = after.links ?? {};
		const early = members.some((seat) => links[seat] === fair.links?.[seat]);
		say(early, "The dice were drawn before all links were shown.");
		if (early) return;
		if (me.game) {
			me.game.rolls += 1;
			me.game.alone += members.length === 0;
			me.game.mine += Boolean(pending) && members.some((seat) => showed(links[seat], bindingOf(me.table)));
			me.game.hidden += drawn.faces === undefined;
		}
		say(drawn.r !== me.r, "A draw is missing, or was done twice.");
		if (drawn.faces === undefined) return; // hidden dice follow from the secret, for those who know the rules
		const noLink = after.link === undefined || (after.link === fair.link && !begun);
		say(noLink, "The server has not shown its link.");
		say(!noLink && !possible(drawn), "There are no such dice.");
		if (noLink || !possible(drawn)) return;
		const faces = roll(
			after.link,
			{
				commit: after.commit,
				epoch: after.epoch,
				game: room.game,
				game_no: gameNumber(room),
				links: inOrder(members).map((seat) => [seat, links[seat]]),
				room: room.code,
				rules: room.rules,
			},
			drawn,
		);
		say(!same(faces, drawn.faces), "The dice do not follow from what all have shown.");
	}

	function secret({ cause, fair, after, is, has }, say) {
		const known = after.secret !== undefined;
		if (known && fair.secret === undefined) {
			say(!opens(after.secret, after.commit), "The secret of the server is not the one that it was bound to.");
			const early = !is("abandon") && !has("game_over") && !has("not_dealt");
			say(early, "The secret of the server is shown in the middle of a game.");
		} else {
			const playedOn = known && is(...PLAYS) && !cause.move?.faces;
			say(playedOn, "The game is played on, although the secret of its dice is known.");
		}
		if (me.game) me.game.secret = after.secret;
	}

	return me;
}
