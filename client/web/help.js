// The help sheet: the ways to move, the keys, the way to the rules.

import { el, sheet } from "./dom.js";
import { gameName } from "./options.js";
import { GAMES } from "./protocol.js";
import { t } from "./texts.js";

const WAYS = ["helpDrag", "helpTap", "helpDouble"];
const KEYS = [
  ["← ↑ → ↓", "keyArrows"],
  ["␣ ↵", "keyChoose"],
  ["1…0 a…d h", "keyType"],
  ["Esc", "keyEscape"],
  ["U", "undo"],
  ["R", "redo"],
  ["?", "help"],
];
const HINT_KEYS = [
  ["H", "hint"],
  ["G", "gather"],
];

/** Show how to play, with what *game* has. */
export function open(game) {
  const keys = GAMES[game]?.hints ? [...KEYS.slice(0, -1), ...HINT_KEYS, KEYS.at(-1)] : KEYS;
  const content = el("div.help",
    el("ul", WAYS.map((key) => el("li", t(`race.${key}`)))),
    el("dl.keys", keys.flatMap(([key, does]) => [el("dt", el("kbd", key)), el("dd", t(`race.${does}`))])),
    el("a.button", { href: `/rules/${game}`, target: "_blank" }, t("race.rulesOf", { game: gameName(game) })),
  );
  return sheet(t("race.help"), content, { kind: "wide" });
}
