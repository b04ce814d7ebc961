// The help sheet: the ways to move, the keys, the way to the rules.

import { el, sheet } from "./dom.js";
import { gameName } from "./options.js";
import { GAMES } from "./protocol.js";
import { t } from "./texts.js";

const KEYS = {
  "← ↑ → ↓": "keyArrows",
  "␣ ↵": "keyChoose",
  "1…0 a…d h": "keyType",
  Esc: "keyEscape",
  U: "undo",
  R: "redo",
};

/** Show how to play, with what *game* has. */
export function open(game) {
  const keys = { ...KEYS, ...(GAMES[game].hints && { H: "hint", G: "gather" }), "?": "help" };
  const ways = ["helpDrag", "helpTap", "helpDouble"].map((key) => el("li", t(`race.${key}`)));
  const rows = Object.entries(keys).flatMap(([key, does]) => [el("dt", el("kbd", key)), el("dd", t(`race.${does}`))]);
  const rules = el("a.button", { href: `/rules/${game}`, target: "_blank" }, t("race.rulesOf", { game: gameName(game) }));
  return sheet(t("race.help"), el("div.hosting", el("ul", ways), el("dl.keys", rows), rules), "wide");
}
