// Before the table: the list of rooms, and a name.
import { draw, h } from "../base/dom.js";
import { saveName, savedName } from "../base/memory.js";
import { listed } from "../play/words.js";

export const NOT_YET = "One moment: the server has not answered yet.";
export const SLOW_MS = 1000;
export const CODE = /^[2-4679cdfghjkmnpqrtvwxz-]{4,9}$/i;
const PHASES = { waiting: "waiting for players", playing: "playing", over: "game over" };

export const field = (label, name, more) => h("label", label, h("input", { name, autocomplete: "off", ...more }));
export const nameField = (value) => field("Your name", "name", { required: true, maxlength: 16, value });
export const button = (text, onclick, more) => h("button", { type: "button", onclick, ...more }, text);
/** A form. `done` gets its fields. */
export const form = (done, ...children) =>
	h(
		"form",
		{
			onsubmit: (event) => {
				event.preventDefault();
				done(Object.fromEntries(new FormData(event.target)), event.target);
			},
		},
		children,
	);
export const page = (root, title, said, ...children) =>
	draw(root, h("p.notice", { role: "status" }, said), h("main.enter", h("h1", title), children));
const noRoom = (code) => `No room ${code} here. Check the code with the host.`;

/** A line about a room of the list. */
export function aboutRoom({ summary, seated, capacity, phase, locked }) {
	const stage = Object.hasOwn(PHASES, phase) ? PHASES[phase] : "starting";
	return `${summary}, ${seated} of ${capacity} seats, ${stage}${locked ? ", with a password" : ""}`;
}

/** The list of open tables. `wrong`: a code that is none. */
export async function lobby(root, guest, prefix, wrong = "") {
	const to = (code) => `${prefix}/${encodeURIComponent(code)}`;
	const { rooms, message = wrong && noRoom(wrong) } = await guest.ask({ type: "rooms" }).catch((error) => error);
	function go({ code }) {
		const typed = code.trim().toUpperCase();
		if (CODE.test(typed)) location.assign(to(typed));
		else lobby(root, guest, prefix, typed);
	}
	const row = (one) =>
		h("li", { key: one.code }, h("a", { href: to(one.code) }, `${one.code} ${one.title}`), h("span", aboutRoom(one)));
	page(
		root,
		"Dice games",
		message,
		form(go, field("Room code", "code", { required: true, maxlength: 12 }), h("button.main", "Go to the table")),
		h("h2", "Open tables"),
		rooms?.length ? h("ul.rooms", rooms.map(row)) : rooms && h("p", "There is no open table now."),
		button("Look again", () => lobby(root, guest, prefix)),
		h("p", h("a", { href: `${prefix}/?terminal` }, "Play in a terminal")),
	);
}

/**
 * Ask for a name. `names`: of the seats that this browser holds. `enter` sends a request, or takes these seats back
 * where there is none, and gives an error if there is one.
 */
export function door(root, room, names, enter, said = "", more = {}) {
	function password() {
		const typed = more.locked && root.querySelector("[name=password]").value;
		return typed ? { password: typed } : {};
	}
	async function go(request) {
		const slow = setTimeout(() => {
			root.querySelector(".notice").textContent = NOT_YET;
		}, SLOW_MS);
		const { message, code, hint } = (await enter(request)) ?? {};
		clearTimeout(slow);
		if (!message) return;
		const unknown = code === "no_such_room";
		const again = more.locked ? " Or is the password another one?" : " If it has a password, type it.";
		door(root, room, [], enter, `${message}${unknown ? again : ""}`, {
			hint: hint ?? request?.name,
			locked: more.locked || unknown || code === "wrong_password",
			sure: more.sure || code === "wrong_password",
			about: more.about,
		});
	}
	function join({ name }) {
		saveName(name);
		go({ type: "join", room, name, ...password() });
	}
	page(
		root,
		`Room ${room}`,
		said,
		more.about && h("p", more.about),
		names.length > 0 && button(`Come back as ${listed(names)}`, () => go(null), { class: "main" }),
		form(
			join,
			nameField(more.hint ?? savedName()),
			more.locked && field(more.sure ? "Password" : "Password, if it has one", "password", { type: "password" }),
			h("button.main", "Take a seat"),
		),
		button("Only watch", () => go({ type: "watch", room, ...password() })),
		h("p", h("a", { href: "./" }, "Other tables"), " · ", h("a", { href: "?terminal" }, "Play in a terminal")),
	);
}
