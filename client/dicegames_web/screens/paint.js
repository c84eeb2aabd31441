// How the table looks in each of its phases, for players and spectators.
import { draw, h } from "../base/dom.js";
import { clock, number, seconds } from "../base/text.js";
import { gameOf, isHost, mySeats, name, numbers, offersOf, player, roomOf } from "../guest/store.js";
import { spelledOut } from "../play/picking.js";
import { tooFew, waitingFor, won, wording } from "../play/words.js";
import { plot, track } from "./dice.js";
import { button, field, form } from "./enter.js";
import { diceRow, moves, slots } from "./moves.js";
import { addBot, leave, manage, nameForm, odds, options, rules } from "./panels.js";
import { review } from "./review.js";

const MOST_ROWS = 120;
const MANY = 6;
const MAIN = { class: "main" };

/** What views draw from: the table, and what the player is doing. */
export function sceneOf(ui) {
	const { store } = ui.guest;
	const seats = mySeats(store);
	const game = gameOf(store);
	const room = roomOf(store);
	const can = (seat) => Object.values(offersOf(store, seat));
	const needed = (seat) => can(seat).some((offer) => offer.needed);
	const chosen = seats.includes(ui.seat) && can(ui.seat).length ? ui.seat : undefined;
	const seat = chosen ?? seats.find(needed) ?? seats.find((one) => can(one).length) ?? seats[0];
	const able = seat !== undefined && room.phase === "playing" && !ui.lostAt && !ui.ended && !store.table.fair?.pending;
	const scene = {
		store,
		seats,
		seat,
		game,
		room,
		offers: able ? spelledOut(offersOf(store, seat)) : {},
		words: wording(store),
		/** The last event of one of these kinds, among the newest ones. */
		event: (...kinds) => ui.events.findLast((event) => kinds.includes(event.kind)),
	};
	return { ...scene, picked: ui.picked.map((at) => ui.view.dice(scene)[at]) };
}

export function paint(ui) {
	const { root } = ui;
	const scene = sceneOf(ui);
	const { room } = scene;
	const old = ui.lostAt || ui.ended;
	const [text, kind] = (!ui.ended && ui.notice) || [(!ui.ended && ui.alarm) || "", "bad"];
	const acting = () => root.querySelector(".actions")?.contains(document.activeElement);
	const acted = acting();
	const log = root.querySelector("[role=log]");
	const atEnd = !log || log.scrollTop + log.clientHeight > log.scrollHeight - 40;
	if (!ui.panel) root.querySelector("dialog[open]")?.close(); // which gives the focus back
	draw(
		root,
		h("p.notice", { role: "status", class: kind }, text),
		h(
			"header",
			h("h1", `${room.title} ${room.code}`),
			h("p", headline(ui, scene)),
			h("p", { class: old ? "bad" : "soft" }, connection(ui, scene)),
		),
		h(
			"main.table",
			{ class: old ? "old" : "" },
			h("section.picture", { "aria-label": "Table" }, picture(ui, scene)),
			h(
				"section.actions",
				{ "aria-label": "What you can do", tabindex: -1, "aria-busy": `${Boolean(ui.busy)}` },
				actions(ui, scene),
			),
			players(ui, scene),
			story(ui, scene),
		),
		!ui.ended && h("footer", others(ui, scene)),
		ui.panel &&
			h(
				"dialog",
				{ key: "panel", onclose: () => ui.panel && ui.set({ panel: null }), "aria-label": ui.panel[0] },
				h("h2", ui.panel[0]),
				ui.panel[1](),
				h("p.bad", { role: "status" }, ui.notice?.[1] === "bad" && text),
				button(ui.panel[0] === "Leave?" ? "Stay" : "Close", () => ui.set({ panel: null })),
			),
	);
	const dialog = root.querySelector("dialog");
	const lines = root.querySelector("[role=log]");
	if (dialog && !dialog.open) dialog.showModal();
	if (acted && !acting() && !dialog) root.querySelector(".actions").focus(); // its button has gone: stay near
	if (atEnd && ui.drawn !== ui.lines) lines.scrollTop = lines.scrollHeight;
	ui.drawn = ui.lines;
}

/** What can be done besides moves. */
function others(ui, scene) {
	const { room, store, seats } = scene;
	const waiting = room.phase === "waiting";
	const free = Object.keys(store.table.seats).length < room.capacity;
	return [
		button("Rules", () => rules(ui)),
		room.phase === "playing" && button("Odds", () => odds(ui, scene.seat)),
		waiting && seats.length > 0 && free && button("Another player here", () => nameForm(ui, "join")),
		waiting && isHost(store) && button("Options", () => options(ui)),
		button("Leave", () => leave(ui, scene)),
	];
}

function headline(ui, scene) {
	const { phase, summary } = scene.room;
	return (
		{ waiting: `Waiting room, ${summary}`, over: "game over", dealing: "dealing the dice" }[phase] ??
		ui.view.headline(scene)
	);
}

function connection(ui, { store, seats }) {
	if (ui.ended) return "CLOSED";
	if (ui.lostAt) {
		const lost = Date.now() - ui.lostAt;
		const left = ui.guest.holdMs() - lost;
		const held = left > 0 ? `seat held ${clock(left)}` : "seat no longer held";
		return `RECONNECTING ${seconds(lost)}${seats.length ? `, ${held}` : ""}`;
	}
	return [!seats.length && "WATCHING", store.watching && `${store.watching} watching`].filter(Boolean).join(", ");
}

function picture(ui, scene) {
	const { phase } = scene.room;
	return phase === "over" ? recap(ui, scene) : phase === "playing" ? game(ui, scene) : waiting(scene);
}

function waiting({ store }) {
	return [h("p", waitingFor(store)), h("p.soft", "Friends join here: ", h("code", location.host + location.pathname))];
}

/** Whether the dice are proven. Who has left a table keeps what was said there. */
function verdict(ui, store) {
	if (ui.reading) return "The log of the room is being read…";
	if (!ui.ended || !ui.verdict) ui.verdict = ui.guest.witness.verdict(store);
	return ui.verdict;
}

function recap(ui, { store, room, words }) {
	const people = Object.values(store.table.seats).filter((one) => !one.bot && !one.left);
	const votes = people.filter((one) => one.rematch).length;
	const missing = tooFew(store);
	return [
		h("p.big", won(room.winners ?? [], words)),
		plot(
			ui.laps,
			mySeats(store).map((seat) => name(store, seat)),
		),
		h("p", verdict(ui, store)),
		ui.review
			? review(
					ui.review,
					mySeats(store).map((seat) => name(store, seat)),
				)
			: [ui.unreviewed && h("p.soft", ui.unreviewed), !ui.ended && button("How well did you play?", ui.askReview)],
		votes > 0 && h("p", `${votes} of ${people.length} want a rematch`),
		missing && h("p", missing),
	];
}

function game(ui, scene) {
	const { store, room } = scene;
	const left = ui.deadline && ui.deadline - Date.now();
	return [
		h("p.turn", store.table.fair?.pending ? "The dice are rolling…" : whoseTurn(ui, scene)),
		h("div.rolled", { key: `roll ${ui.rolledAt}` }, diceRow(ui, scene)),
		ui.view
			.lines(scene)
			.filter((line) => line && line[1])
			.map(([kind, text, marks]) => (marks ? track(text, marks) : h("p", { class: kind }, text))),
		left &&
			h(
				"div",
				{ role: "timer" },
				`${seconds(left)} left`,
				h("div.bar", { share: Math.min(100, (100 * Math.max(0, left)) / room.timer?.ms) }),
			),
	];
}

function whoseTurn(ui, { store, seats, words, offers, game: state }) {
	const turn = ui.view.turn(state, store);
	if (turn === undefined) return Object.keys(offers).length > 0 && "EVERYBODY'S TURN";
	if (turn === words.me) return "YOUR TURN";
	return seats.includes(turn)
		? `YOUR TURN, ${name(store, turn)}`
		: `${name(store, turn)}'s turn${turn in store.away ? " (away)" : ""}`;
}

function actions(ui, scene) {
	const { store, room, seats } = scene;
	const all = (key) => seats.every((seat) => player(store, seat)[key]);
	if (ui.ended)
		return [
			h("p.bad", { role: "status" }, ui.ended),
			!ui.gone && [
				h("a", { href: location.pathname }, "This table again"),
				h("a", { href: `${ui.prefix}/` }, "Other tables"),
			],
		];
	if (!seats.length) return button("Take a seat", () => nameForm(ui, "sit"), MAIN);
	if (room.phase === "playing") return moves(ui, scene);
	if (room.phase !== "waiting" && room.phase !== "over") return null;
	const there = Object.values(store.table.seats).filter((one) => !one.left);
	const host = isHost(store);
	const bots = host && room.bots !== false;
	const over = room.phase === "over";
	const votes = () => ui.actAll((seat) => ({ type: "rematch", seat }));
	const ready = !all("ready");
	const sayReady = () => ui.actAll((seat) => ({ type: "ready", seat, ready }));
	return slots({
		add: bots && there.length < room.capacity && button("Add bot", () => addBot(ui)),
		drop: bots && there.some((one) => one.bot) && button("Drop bot", () => ui.act({ type: "remove_bot" })),
		want: over
			? all("rematch")
				? h("span", "You want a rematch.")
				: button("Rematch", votes, MAIN)
			: button(ready ? "Ready" : "Not ready", sayReady, MAIN),
		start: host && there.length >= room.least && button("Start", () => ui.act({ type: "start" }), MAIN),
	});
}

function players(ui, scene) {
	const { store, game: state, room, seats } = scene;
	const turn = room.phase === "playing" ? ui.view.turn(state, store) : undefined;
	const score = (seat) => state.seats?.[seat] && ui.view.score(state.seats[seat]);
	const over = room.phase === "over";
	const many = Object.keys(store.table.seats).length > MANY;
	const first = (seat) => seats.includes(seat) && !over && many; // else in the order of their turns
	const all = numbers(store.table.seats).sort(
		(a, b) => first(b) - first(a) || (over && (score(b) ?? -1) - (score(a) ?? -1)) || a - b,
	);
	const rows = all.slice(0, MOST_ROWS).map((seat) => {
		const one = player(store, seat);
		const mine = seats.includes(seat);
		const marks = [
			mine && "you",
			seat === room.host && "host",
			one.bot ? `bot, ${one.bot}` : one.program && "bot",
			one.over_ssh && "ssh",
		].filter(Boolean);
		return h(
			"tr",
			{ key: seat, class: mine ? "you" : "" },
			h("th", { scope: "row" }, seat === turn && "▸ ", who(ui, scene, seat), h("small", ` ${marks.join(", ")}`)),
			h("td", room.phase !== "waiting" && number(score(seat) ?? "")),
			h("td", stateOf(ui, scene, seat, one)),
		);
	});
	const heads = ["Player", room.phase !== "waiting" && "Score", "State"].map((head) =>
		h("th", { scope: "col" }, head || ""),
	);
	return h(
		"table.players",
		{ class: many ? "many" : "" },
		h("caption", "Players"),
		h("thead", h("tr", heads)),
		h("tbody", rows, all.length > MOST_ROWS && h("tr", h("td", { colspan: 3 }, `and ${all.length - MOST_ROWS} more`))),
	);
}

/** The name. The host may tap it, and make somebody else the host or remove them. */
function who(ui, { store, seats }, seat) {
	const { name: called, bot, left } = player(store, seat);
	if (!isHost(store) || seats.includes(seat) || bot || left || ui.lostAt) return h("bdi", called);
	return button(h("bdi", called), () => manage(ui, seat, called), { class: "plain" });
}

function stateOf(ui, scene, seat, one) {
	const { store, room, game: state } = scene;
	if (room.phase === "over" && room.winners?.includes(seat)) return "WINNER";
	if (one.left) return "left";
	if (one.standin) return "AWAY, a bot plays";
	if (seat in store.away) return "AWAY";
	if (room.phase === "waiting") return one.ready || one.bot ? "READY" : "not ready";
	if (!state.seats?.[seat]) return "next game";
	return room.phase === "playing" && ui.view.note(scene, seat, state.seats[seat]);
}

function story(ui, { seat, seats, store }) {
	const as = seats.length > 1 ? ` as ${name(store, seat)}` : "";
	async function talk({ text }, { elements }) {
		if (text.trim() && (await ui.act({ type: "chat", text, seat }))?.type === "ack") elements.text.value = "";
	}
	return h(
		"section.story",
		h("h2", "What happens"),
		h(
			"div",
			{ role: "log", "aria-live": "polite", "aria-label": "What happens", tabindex: 0 },
			ui.feed.map(({ key, kind, text, who: by }) => h("p", { key, class: kind }, by && [h("bdi", by), " "], text)),
		),
		!ui.ended && form(talk, field(`Talk${as}`, "text", { maxlength: 300 }), h("button", "Say")),
	);
}
