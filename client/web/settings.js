// What a person chose, kept in this browser; and who they are here.

/** How the page can look: by each choice its values, the usual one first. */
export const LOOKS = {theme: ["", "light", "dark"], suits: ["two", "four"], cards: ["normal", "large"], contrast: ["", "high"]};

/** What is on or off, as it usually is. */
export const SWITCHES = {
	doubleTap: true,
	placementHelp: true,
	autoPlacement: false,
	interactiveRules: true,
	sound: true,
	buzz: true,
	clockHidden: false,
};

const USUAL_LOOKS = Object.fromEntries(Object.entries(LOOKS).map(([key, [usual]]) => [key, usual]));

function read(name) {
	try {
		return JSON.parse(localStorage.getItem(name)) || {};
	} catch {
		return {};
	}
}

/** *usual*, with what *kept* has of the same kind instead. */
export function like(usual, kept) {
	const fits = (key, value) => typeof value === typeof usual[key] && (LOOKS[key]?.includes(value) ?? !(value?.length > 256));
	return Object.fromEntries(Object.keys(usual).map(key => [key, fits(key, kept?.[key]) ? kept[key] : usual[key]]));
}

/** Keep *value*; a browser that refuses keeps it until the page is left. */
function write(name, value) {
	try {
		localStorage.setItem(name, JSON.stringify(value));
	} catch {
		// Private windows may have no storage.
	}
}

function keep(name, defaults) {
	const listeners = new Set();
	let values = like(defaults, read(name));
	const tell = key => listeners.forEach(listener => listener(key, values[key]));
	addEventListener("storage", event => {
		if (event.key !== name) return;
		const before = values;
		values = like(defaults, read(name));
		for (const key of Object.keys(values)) if (values[key] !== before[key]) tell(key);
	});
	return {
		get: key => values[key],
		set(key, value) {
			if (values[key] === value) return;
			values[key] = value;
			write(name, values);
			tell(key);
		},
		on: listener => (listeners.add(listener), () => listeners.delete(listener)),
	};
}

export const settings = keep("samedeal.settings", {...USUAL_LOOKS, ...SWITCHES, language: "", options: {}});

/** Who this browser is: also the secret `token`, the public id `player`, the server's `word`. */
export const identity = keep("samedeal.identity", {name: "", token: "", player: "", word: ""});

/** Forget who this browser was: the next hello makes a new player. */
export function forgetIdentity() {
	identity.set("token", "");
	identity.set("player", "");
}

settings.on((key, value) => {
	if (key in LOOKS) document.documentElement.dataset[key] = value;
});
