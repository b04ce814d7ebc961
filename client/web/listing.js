// Lists of attempts and of players: one's own line lit, and what is said of an attempt in a word or two.

import { el, icon } from "./dom.js";
import { stateName } from "./options.js";
import { GAMES } from "./protocol.js";
import { identity } from "./settings.js";
import { clock, number, t } from "./texts.js";

/**
 * @param {Array<[string, string, (item: object) => any]>} columns heading, classes and content of each
 * @param {...[string, object[]]} parts title and items of each; one without items is left out
 */
export function listing(label, columns, ...parts) {
  const head = columns.map(([text, kind]) => el(text ? "th" : "td", { class: kind, scope: text ? "col" : null }, text));
  const title = (text) => text && el("tr", el("td"), el("th", { scope: "rowgroup", colspan: columns.length - 1 }, text));
  const bodies = parts.filter(([, items]) => items.length).map(([text, items]) => el("tbody", title(text), rows(columns, items)));
  return el("section.board.panel", el("table", { "aria-label": label }, el("thead", el("tr", head)), bodies));
}

/** @returns {HTMLElement[]} a line for each of *items*. */
export const rows = (columns, items) =>
  items.map((item) => el(isOwn(item) ? "tr.me" : "tr", columns.map(([, kind, told]) => el("td", { class: kind }, told(item)))));

export const isOwn = ({ player }) => player !== undefined && player === identity.get("player");

/** @returns {HTMLElement} a heading, a sentence and one thing to do, in place of an empty list. */
export const nothing = (title, text, action) => el("section.nothing.panel", el("h2", title), el("p.soft", text), action);

/** @returns {HTMLElement} a link by which a line is known, and *more* beside it. */
export const named = (text, href, ...more) => el("span", el("a", { href }, text), ...more);

/** @returns {HTMLElement[]} what sets an attempt apart: clean, practice, imported, by a program. */
export const marks = ({ won, clean, practice, imported, bot }) => [
  won && clean && el("span.tag.good", icon("check"), t("results.clean")),
  ...Object.entries({ practice, imported, bot }).map(([key, holds]) => holds && el("span.tag", t(`results.${key}`))),
];

/** @returns {HTMLElement} how far an attempt came that was not solved. */
export const cameTo = ({ game, progress }) => el("span", { title: came(game, progress) }, `${number(progress)} / ${number(GAMES[game].top)}`);

/** @returns {string} "34 of 48 joined". */
export const came = (game, progress) => t(`results.progress_${game}`, { count: progress, of: GAMES[game].top });

/** @returns {string} when it was solved, or how it ended otherwise. */
export const ending = ({ won, elapsed_ms, state }) => (won ? clock(elapsed_ms) : stateName(state));

/** @returns {HTMLAnchorElement} what opens the replay of an attempt. */
export function replayLink({ attempt, name }) {
  const label = t("results.replayOf", { name });
  return el("a.tool", { href: `/replay/${attempt}`, "aria-label": label, title: label }, icon("play"));
}

/** @returns {string} the day of UTC text, near ones by their names. */
export function day(text) {
  const [date, now, { lang }] = [new Date(text), new Date(), document.documentElement];
  const midnight = (each) => Date.UTC(each.getFullYear(), each.getMonth(), each.getDate());
  const ago = (midnight(now) - midnight(date)) / 86_400_000;
  if (ago < 2) return new Intl.RelativeTimeFormat(lang, { numeric: "auto" }).format(-ago, "day");
  const year = date.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return new Intl.DateTimeFormat(lang, { day: "numeric", month: "short", year }).format(date);
}
