// JSON as hashes need it, and the merge patches of updates.

/** Sorted keys, no blanks, ASCII. */
export function canonical(value) {
	if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
	if (value && typeof value === "object")
		return `{${Object.keys(value)
			.sort()
			.map((key) => `${canonical(key)}:${canonical(value[key])}`)
			.join(",")}}`;
	return JSON.stringify(value).replace(
		/[\u007f-\uffff]/g,
		(c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}

export const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
export const same = (one, other) => canonical(one ?? null) === canonical(other ?? null);

/** JSON merge patch, RFC 7396. The target is not changed. Objects have no prototype that a key could reach. */
export function merged(target, patch) {
	if (!isObject(patch)) return patch;
	const result = Object.assign(Object.create(null), isObject(target) ? target : {});
	for (const [key, value] of Object.entries(patch)) {
		if (value === null) delete result[key];
		else result[key] = merged(result[key], value);
	}
	return result;
}
