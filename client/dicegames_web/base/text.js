// Text from others, without characters that could disturb a line. The server has refused them; it is not trusted.
const MOST_CHARACTERS = 2000;
const MOST_DIGITS = 40;
const UNSAFE = new RegExp(
	`[${[
		"\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}", // control, format, half, private and unknown ones, line breaks
		"\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u2800\\u3164\\uffa0", // blanks that count as letters
		"\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}\\u{1f1e6}-\\u{1f1ff}\\u{1f3fb}-\\u{1f3ff}", // what changes its neighbours
	].join("")}]`,
	"gu",
);
/** At most two marks stay on a letter, and none at the start. */
const MARKS = /(^|[\p{Mn}\p{Me}]{2})[\p{Mn}\p{Me}]+/gu;

export function clean(raw) {
	const text = String(raw).slice(0, MOST_CHARACTERS).normalize("NFC");
	return text.replace(/\s/g, " ").replace(UNSAFE, "").replace(MARKS, "$1");
}

/** A whole number with commas, such as 1,675. What is far too long for one is cut. */
export function number(value) {
	const text = String(value).slice(0, MOST_DIGITS);
	return /^-?\d+$/.test(text) ? text.replace(/\B(?=(\d{3})+$)/g, ",") : text;
}

/** Minutes and seconds, such as 14:54. */
export function clock(ms) {
	const all = Math.ceil(Math.max(0, ms) / 1000);
	return `${Math.floor(all / 60)}:${String(all % 60).padStart(2, "0")}`;
}

/** Whole seconds, rounded up: who can still act never sees 0 s. */
export const seconds = (ms) => `${Math.ceil(Math.max(0, ms) / 1000)}s`;
