// The settings: how the page looks, how cards are played, what is heard, in which language; and who one is.

import { ask, button, el, say, sheet, shut, toast } from "./dom.js";
import { choice, toggle } from "./options.js";
import { nameField, rename } from "./rooms.js";
import { forgetIdentity, identity, settings } from "./settings.js";
import { go } from "./shell.js";
import { LANGUAGES, refusalText, t } from "./texts.js";

const LOOKS = { theme: ["", "light", "dark"], suits: ["two", "four"], cards: ["normal", "large"], contrast: ["", "high"] };
const SWITCHES = ["doubleTap", "placementHelp", "autoPlacement", "interactiveRules", "sound", "buzz", "clockHidden"];

/** Show the sheet of settings; *at* is the one to begin with. */
export function open(at) {
  const looks = Object.entries(LOOKS).map(([key, values]) => {
    const entries = values.map((value) => [value, t(`settings.${key}_${value || "device"}`)]);
    return choice(key, t(`settings.${key}`), settings.get(key), entries, (value) => settings.set(key, value));
  });
  const speak = (language) => {
    content.closest("dialog").close();
    settings.set("language", language);
  };
  const flips = SWITCHES.map((key) => toggle(key, t(`settings.${key}`), settings.get(key), (on) => settings.set(key, on)));
  const languages = choice("language", t("settings.language"), document.documentElement.lang, Object.entries(LANGUAGES), speak);
  const content = el("div.hosting", languages, looks, el("div", flips), identity.get("token") && self());
  const shown = sheet(t("settings.title"), content, "wide");
  if (at) content.querySelector(`[name="${at}"]:checked`)?.focus();
  return shown;
}

/** Who one is here: another name, and all that is known of one. */
function self() {
  const first = (deed) => (event) => (shut(event), deed());
  return el(
    "section.self.two-up",
    el("p", t("settings.playing", { name: identity.get("name") })),
    el("a.button", { href: `/player/${identity.get("player")}`, onclick: (event) => shut(event) }, t("settings.attempts")),
    button(t("settings.rename"), { onclick: first(askNewName) }),
    button(t("settings.forget"), { onclick: first(askForget) }),
  );
}

function askNewName() {
  const wrong = el("p.wrong", { role: "alert" });
  const onsubmit = async (event) => {
    event.preventDefault();
    try {
      await rename(event.target.elements.name.value.trim());
      shut(event);
      toast(t("settings.renamed", { name: identity.get("name") }));
    } catch (refusal) {
      say(wrong, refusalText(refusal));
    }
  };
  const send = button(t("settings.rename"), { kind: "button go", type: "submit" });
  return sheet(t("settings.rename"), el("form.asks", { onsubmit }, nameField(), wrong, send));
}

/** Forget in this browser who one was. */
async function askForget() {
  if (!(await ask(t("settings.forgetAsk"), t("settings.forgetText"), t("settings.forget"), t("page.no")))) return;
  forgetIdentity();
  identity.set("name", "");
  go("/");
}
