// What a person chose, kept in this browser; and who they are here.

const DEFAULTS = {
	theme: "",
	suits: "two",
	cards: "normal",
	contrast: "",
	doubleTap: true,
	placementHelp: true,
	autoPlacement: false,
	interactiveRules: true,
	sound: true,
	buzz: true,
	clockHidden: false,
	language: "",
	options: {},
};

const SHOWN = ["theme", "suits", "cards", "contrast"];

function read(name) {
	try {
		return JSON.parse(localStorage.getItem(name)) || {};
	} catch {
		return {};
	}
}

function write(name, value) {
	try {
		localStorage.setItem(name, JSON.stringify(value));
	} catch {
		// Private windows may have no storage.
	}
}

function keep(name, defaults) {
	const listeners = new Set();
	let values = {...defaults, ...read(name)};
	const tell = key => listeners.forEach(listener => listener(key, values[key]));
	addEventListener("storage", event => {
		if (event.key !== name) return;
		const before = values;
		values = {...defaults, ...read(name)};
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

export const settings = keep("samedeal.settings", DEFAULTS);

/** Who this browser is: also the secret `token`, the public id `player`, the server's `word`. */
export const identity = keep("samedeal.identity", {name: "", token: "", player: "", word: ""});

/** Forget who this browser was: the next hello makes a new player. */
export function forgetIdentity() {
	identity.set("token", "");
	identity.set("player", "");
}

settings.on((key, value) => {
	if (SHOWN.includes(key)) document.documentElement.dataset[key] = value;
});
