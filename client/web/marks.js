// What is said of an attempt in a word or two, wherever attempts are listed.

import { el, icon } from "./dom.js";
import { stateName } from "./options.js";
import { GAMES } from "./protocol.js";
import { clock, number, t } from "./texts.js";

const DAY_MS = 86_400_000;

/** @returns {HTMLElement[]} what sets an attempt apart: clean, practice, imported, by a program. */
export function marks({ won, clean, practice, imported, bot }) {
  const tag = (kind, ...words) => el("span", { class: `tag ${kind}` }, words);
  return [
    won && clean && tag("good", icon("check"), t("results.clean")),
    practice && tag("", t("results.practice")),
    imported && tag("", t("results.imported")),
    bot && tag("", t("results.bot")),
  ].filter(Boolean);
}

/** @returns {string} when it was solved, or how it ended otherwise. */
export const ending = ({ won, elapsed_ms, state }) => (won ? clock(elapsed_ms) : stateName(state));

/** @returns {HTMLAnchorElement} what opens the replay of an attempt. */
export function replayLink({ attempt, name }) {
  const label = t("results.replayOf", { name });
  return el("a", { class: "tool", href: `/replay/${attempt}`, "aria-label": label, title: label }, icon("play"));
}

/** @returns {string} "34 of 48 joined": how far it came. */
export const came = (game, progress) => t(`results.progress_${game}`, { count: progress, of: GAMES[game].top });

/** @returns {HTMLElement} the same in figures, where there is little room. */
export const cameTo = (game, progress) => el("span", { title: came(game, progress) }, `${number(progress)} / ${number(GAMES[game].top)}`);

/** @returns {string} the day of UTC text, near ones by their names. */
export function day(text) {
  const language = document.documentElement.lang, date = new Date(text), now = new Date();
  const ago = Math.round((Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) - Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())) / DAY_MS);
  if (ago < 2) return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(-ago, "day");
  const year = date.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year }).format(date);
}
