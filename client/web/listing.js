// Lists of attempts and of players: tables with a head, one's own line lit, and what is said where there is nothing.

import { el } from "./dom.js";

/**
 * @param {Array<[string, string]>} head for each column its heading and its classes
 * @param {...{title?: string, rows: HTMLElement[]}} parts parts of the list, each under its title where it has one
 * @returns {HTMLElement}
 */
export function listing(label, head, ...parts) {
  const cells = head.map(([text, kind = ""]) => (text ? el("th", { class: kind, scope: "col" }, text) : el("td", { class: kind })));
  return el(
    "section",
    { class: "board panel" },
    el(
      "table",
      { "aria-label": label },
      el("thead", {}, el("tr", {}, cells)),
      parts.filter(({ rows }) => rows.length).map((part) => body(part, head.length)),
    ),
  );
}

function body({ title, rows }, width) {
  const heading = title && el("tr", {}, el("td"), el("th", { scope: "rowgroup", colspan: width - 1 }, title));
  return el("tbody", {}, heading, rows);
}

/** @returns {HTMLElement} a line of *cells*, each [classes, ...content]. */
export function row(own, ...cells) {
  return el("tr", { class: own ? "me" : null }, cells.map(([kind, ...content]) => el("td", { class: kind }, ...content)));
}

/** @returns {Array} a cell with a link by which an attempt or a player is known, and *tags* beside it. */
export const named = (text, href, ...tags) => ["name", el("span", {}, el("a", { href }, text), ...tags)];

/** @returns {HTMLElement} a heading, a sentence and one thing to do, in place of an empty list. */
export const nothing = (title, text, action) => el("section", { class: "nothing panel" }, el("h2", {}, title), el("p", { class: "soft" }, text), action);

/** @returns {HTMLElement} links side by side, of which *chosen* is where one is: [value, text, address] each. */
export function tabs(label, chosen, entries) {
  const links = entries.map(([value, text, href]) => el("a", { href, "aria-current": value === chosen ? "page" : null }, text));
  return el("nav", { class: "tabs", "aria-label": label }, links);
}
