// What is shown where a page can't be: what happened, what stays, and the ways on.

import { button, el } from "./dom.js";
import { setTitle } from "./shell.js";
import { has, refusalText, t } from "./texts.js";

/** @returns {HTMLElement} a heading, a sentence and what to do: *key* names both texts. */
export function notice(key, { heading = t(key), text = t(`${key}Text`), again = false, links = [] } = {}) {
  setTitle(heading);
  return el("section.notice.panel",
    el("h1", heading),
    text && el("p", text),
    el("div.two-up",
      again && button(t("error.again"), { kind: "button go", onclick: () => location.reload() }),
      links,
      el("a", { class: again || links.length ? "button line" : "button go", href: "/" }, t("error.front")),
    ),
  );
}

/** @returns {HTMLElement} why the way into a room is closed; results of a race that was on stay to be read. */
export function closed(refusal, view) {
  const over = view.phase === "finished" && view.race;
  const links = over ? [el("a.button.go", { href: `/race/${view.race}` }, t("error.results"))] : [];
  const known = has(`error.${refusal.reason}`);
  const again = !known || refusal.reason === "TOO_FAST";
  const heading = known ? t(`error.${refusal.reason}`) : t("error.closed");
  return notice("error.closed", { heading, text: refusalText(refusal), again, links });
}

/** @returns {HTMLElement} that there is no network; when it is back the page comes by itself. */
export function offline() {
  addEventListener("online", () => location.reload(), { once: true });
  return notice("error.offline", { again: true });
}

/** @returns {HTMLElement} that the server does not answer; the connection goes on trying. */
export const unreached = () => notice(navigator.onLine ? "error.unreached" : "error.offline", { again: true });
