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

/** Those that the root element shows as data-… for the style sheets. */
const SHOWN = ["theme", "suits", "cards", "contrast"];

/** @returns {object} what is kept under *name*, {} where there is nothing that can be read. */
function read(name) {
  try {
    return JSON.parse(localStorage.getItem(name)) || {};
  } catch {
    return {};
  }
}

/** Keep *value*; a browser that refuses keeps it until the page is left. */
function write(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Private windows may have no storage.
  }
}

class Kept {
  #name;
  #values;
  #listeners = new Set();

  constructor(name, defaults) {
    this.#name = name;
    this.#values = { ...defaults, ...read(name) };
    addEventListener("storage", (event) => {
      if (event.key === name) this.#takeOver({ ...defaults, ...read(name) });
    });
  }

  get(key) {
    return this.#values[key];
  }

  set(key, value) {
    if (this.#values[key] === value) return;
    this.#values[key] = value;
    write(this.#name, this.#values);
    for (const listener of this.#listeners) listener(key, value);
  }

  /** Call *listener* with key and value at every change; return what ends that. */
  on(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Another tab has changed something. */
  #takeOver(values) {
    const before = this.#values;
    this.#values = values;
    for (const key of Object.keys(values))
      if (values[key] !== before[key]) for (const listener of this.#listeners) listener(key, values[key]);
  }
}

/** How the page looks and plays. */
export const settings = new Kept("samedeal.settings", DEFAULTS);

/** Who this browser is: `name`, the secret `token`, the public id `player`, the server's `word`; "" where there is none. */
export const identity = new Kept("samedeal.identity", { name: "", token: "", player: "", word: "" });

/** Forget who this browser was: the next hello makes a new player. */
export function forgetIdentity() {
  identity.set("token", "");
  identity.set("player", "");
}

settings.on((key, value) => {
  if (SHOWN.includes(key)) document.documentElement.dataset[key] = value;
});
