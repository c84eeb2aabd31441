// What opens over the table: rules, odds, options, a name for one more seat, and the question before leaving.
import { h } from "../base/dom.js";
import { name, roomOf } from "../guest/store.js";
import { plain } from "../play/words.js";
import { button, field, form, nameField } from "./enter.js";

export const ODDS = "Odds";
export const LEVELS = ["easy", "steady", "expert"];
const open = (ui, title, content) => ui.set({ panel: [title, content], notice: null });
const close = (ui, answer) => answer && answer.type !== "error" && ui.set({ panel: null });

export async function rules(ui) {
	const { title, text = [], table = [] } = (await ui.act({ type: "rules" })) ?? {};
	const rows = table.map((row) => h("tr", h("td", row.what), h("td", row.points)));
	const points = h("table", h("tbody", rows));
	if (title) open(ui, title, () => [text.map((paragraph) => h("p", paragraph)), points]);
}

export async function odds(ui, seat) {
	const { type, chances = [], note = "There are no odds now." } = (await ui.act({ type: "odds", seat })) ?? {};
	const row = ({ what, good, of }) =>
		h("div", `${what} ${((100 * good) / of).toFixed(1)}%`, h("div.bar", { share: (100 * good) / of }));
	if (type === "odds") open(ui, ODDS, () => (chances.length ? chances.map(row) : h("p", note)));
}

/** Options of the game, as the server tells them. Only what was changed is sent. */
export async function options(ui) {
	const { type, options: known = [] } = (await ui.act({ type: "rules" })) ?? {};
	const now = roomOf(ui.guest.store).options ?? {};
	const text = (value) =>
		plain(value, String)
			.replaceAll(", ", ",")
			.replace(/(\w) (\w)/g, "$1=$2");
	/** What every option is now. Newer ones are not told where they are off. */
	const shown = Object.fromEntries(
		known.map(({ name: called, choices }) => {
			const off = choices?.includes("no") ? false : undefined;
			return [called, text(now[called] ?? off)];
		}),
	);
	const choose = (called, choices) =>
		h(
			"select",
			{ name: called },
			choices.map((choice) => h("option", { value: choice, selected: choice === shown[called] && "" }, choice)),
		);
	const inputs = known.map(({ name: called, about, choices }) =>
		h(
			"label",
			h("strong", called.replaceAll("_", " ")),
			`: ${about}`,
			choices
				? choose(called, choices)
				: h("input", { name: called, value: shown[called], maxlength: 200, autocomplete: "off" }),
		),
	);
	async function change(data) {
		const changed = Object.fromEntries(Object.entries(data).filter(([called, value]) => value !== shown[called]));
		close(ui, await ui.act({ type: "options", options: changed }));
	}
	if (type === "rules") open(ui, "Options", () => form(change, inputs, h("button.main", "Change")));
}

/** One more seat: `sit` for a spectator, `join` for another player at the same phone. */
export function nameForm(ui, type) {
	let suggested = "";
	const joins = type === "join";
	const locked = joins && roomOf(ui.guest.store).locked;
	async function take({ name: called, ...more }) {
		const answer = await ui.act({ type, name: called, ...more, ...(joins && { room: ui.guest.store.room }) });
		suggested = answer?.hint ?? called;
		ui.set({});
		close(ui, answer);
	}
	const password = locked && field("Password", "password", { type: "password", required: true });
	open(ui, joins ? "Another player here" : "Take a seat", () =>
		form(take, nameField(suggested), password, h("button.main", "Take a seat")),
	);
}

/** What the host may do with another player. */
export function manage(ui, seat, called) {
	const ask = async (type, more) => close(ui, await ui.act({ type, target: seat, ...more }));
	const { store } = ui.guest;
	const absent = seat in store.away && roomOf(store).phase === "waiting";
	open(ui, called, () => [
		absent && button("Free the seat", () => ask("kick", { away: true })),
		button("Make host", () => ask("give_host")),
		button("Remove from the table", () => ask("kick"), { class: "main" }),
	]);
}

export function addBot(ui) {
	const add = async (level) => close(ui, await ui.act({ type: "add_bot", level }));
	open(ui, "Add bot", () => LEVELS.map((level) => button(level, () => add(level), { key: level })));
}

export function leave(ui, { store, seats, game, room }) {
	async function go() {
		await ui.guest.leave();
		location.assign(`${ui.prefix}/`);
	}
	if (!seats.length || ui.ended) return go();
	const plays = room.phase === "playing" && seats.some((seat) => game.seats?.[seat]);
	async function one(seat) {
		const answer = await ui.act({ type: "leave", seat });
		if (answer?.type === "ack") ui.guest.forget(seat);
		close(ui, answer);
	}
	return open(ui, "Leave?", () => [
		h("p", plays ? "A bot plays on for you." : "Your seat becomes free."),
		seats.length > 1 && seats.map((seat) => button(`Only ${name(store, seat)}`, () => one(seat), { key: seat })),
		button(seats.length > 1 ? "All leave the table" : "Leave the table", go, { class: "main" }),
	]);
}
