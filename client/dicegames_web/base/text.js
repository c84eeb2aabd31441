// Text from others, without characters that could disturb a line. The server has refused them; it is not trusted.
const UNSAFE =
	/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}]/gu;
const MOST_CHARACTERS = 2000;

/** At most two marks stay on a letter. */
export const clean = (raw) =>
	String(raw)
		.slice(0, MOST_CHARACTERS)
		.normalize("NFC")
		.replace(/\s/g, " ")
		.replace(UNSAFE, "")
		.replace(/(^|[\p{Mn}\p{Me}]{2})[\p{Mn}\p{Me}]+/gu, "$1");
/** A whole number with commas, such as 1,675. */
export const number = (value) => String(value).replace(/^-?\d+$/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ","));
/** Whole seconds, rounded up: who can still act never sees 0 s. */
export const seconds = (ms) => `${Math.ceil(Math.max(0, ms) / 1000)}s`;
