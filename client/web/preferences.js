// The settings: how the page looks, how cards are played, what is heard, in which language.

import { button, el, sheet } from "./dom.js";
import { toggle } from "./options.js";
import { identity, settings } from "./settings.js";
import { LANGUAGES, t } from "./texts.js";

const LOOKS = {
  theme: ["", "light", "dark"],
  suits: ["two", "four"],
  cards: ["normal", "large"],
  contrast: ["", "high"],
};
const SWITCHES = ["doubleTap", "placementHelp", "autoPlacement", "interactiveRules", "sound", "buzz", "clockHidden"];

/** Show the sheet of settings; *at* is the one to begin with. */
export function open(at = "") {
  const content = el("div.preferences",
    languages(),
    Object.entries(LOOKS).map(([key, values]) => looks(key, values)),
    el("div.switches", SWITCHES.map(flip)),
    self(),
  );
  const shown = sheet(t("settings.title"), content, { kind: "wide" });
  if (at) content.querySelector(`[name="${at}"]:checked`)?.focus();
  return shown;
}

function languages() {
  const now = document.documentElement.lang;
  return radios("language", t("settings.language"), Object.entries(LANGUAGES), now, (value, event) => {
    event.target.closest("dialog").close();
    settings.set("language", value);
  });
}

const looks = (key, values) =>
  radios(key, t(`settings.${key}`), values.map((value) => [value, t(`settings.${key}_${value || "device"}`)]), settings.get(key), (value) => settings.set(key, value));

function radios(name, legend, entries, chosen, onpick) {
  const one = ([value, text]) =>
    el("label", el("input", { type: "radio", name, value, checked: value === chosen, onchange: (event) => onpick(value, event) }), el("span", text));
  return el("fieldset.setting", el("legend", legend), el("div.choice", entries.map(one)));
}

const flip = (key) => toggle(key, t(`settings.${key}`), settings.get(key), { onchange: (event) => settings.set(key, event.target.checked) });

/** Who one is here: another name, and all that is known of one. */
function self() {
  if (!identity.get("token")) return null;
  const more = (name) => async (event) => {
    event.target.closest("dialog").close();
    (await import("./self.js"))[name]();
  };
  return el("section.self",
    el("p", t("settings.playing", { name: identity.get("name") })),
    el("a.button", { href: `/player/${identity.get("player")}`, onclick: (event) => event.target.closest("dialog").close() }, t("settings.attempts")),
    button(t("settings.rename"), { onclick: more("askNewName") }),
    button(t("settings.forget"), { onclick: more("askForget") }),
  );
}
