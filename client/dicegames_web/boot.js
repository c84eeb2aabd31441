// Loads the page. If a part does not arrive, it tries again: a phone may have lost its network just now.
const KEY = "dicegames tries";
const MOST_TRIES = 3;

import("./main.js")
	.then(() => sessionStorage.removeItem(KEY))
	.catch(() => {
		let tries = MOST_TRIES;
		try {
			tries = Number(sessionStorage.getItem(KEY) ?? 0);
			sessionStorage.setItem(KEY, tries + 1);
		} catch {
			/* no storage: then it is not tried again */
		}
		if (tries < MOST_TRIES) setTimeout(() => location.reload(), 1000 * (tries + 1));
		else
			document.getElementById("page").textContent =
				"The page could not be loaded. Reload it, or try another browser: it has to be from 2022 or newer.";
	});
