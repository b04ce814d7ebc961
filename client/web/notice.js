// What is shown where a page can't be: what happened, what stays, and the ways on.

import { button, el } from "./dom.js";
import { setTitle } from "./shell.js";
import { has, refusalText, t } from "./texts.js";

/** @returns {HTMLElement} a notice, with a button that loads the page again, or else with *links*. */
export function notice(heading, text, { again = true, links = [] } = {}) {
  setTitle(heading);
  const front = el("a.button.line", { href: "/" }, t("error.front"));
  const retry = again && button(t("error.again"), { kind: "button go", onclick: () => location.reload() });
  return el("section.notice.panel", el("h1", heading), el("p", text), el("div.two-up", retry, links, front));
}

/** @returns {HTMLElement} why the way into a room is closed; results of a race that was on stay to be read. */
export function closed(refusal, { phase, race }) {
  const known = has(`error.${refusal.reason}`);
  const links = phase === "finished" ? [el("a.button.go", { href: `/race/${race}` }, t("error.results"))] : [];
  return notice(t(known ? `error.${refusal.reason}` : "error.closed"), refusalText(refusal), { again: !known, links });
}

/** @returns {HTMLElement} that a page could not be shown; without a network it comes when that is back. */
export function broken(error) {
  if (!navigator.onLine) return unreached();
  console.error(error);
  return notice(t("error.broken"), t("error.brokenText"));
}

/** @returns {HTMLElement} that the server does not answer, or that there is no network. */
export function unreached() {
  const key = navigator.onLine ? "unreached" : "offline";
  if (!navigator.onLine) addEventListener("online", () => location.reload(), { once: true });
  return notice(t(`error.${key}`), t(`error.${key}Text`));
}
