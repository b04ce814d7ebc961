// The frame of every page: the line at the top, and the way from page to page.

import { el, icon, tool } from "./dom.js";
import { t } from "./texts.js";

/** Who shows the page of the address; main.js sets it. */
export const router = { show: () => {} };

/** Go to another page of this site without loading it anew. */
export function go(path) {
  history.pushState(null, "", path);
  router.show();
}

/** Follow a click on a link of this site, unless it asks for a window of its own. */
export function follow(event) {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const file = /^\/api\/|\.\w+$/.test(link.pathname);
  if (link.origin !== location.origin || link.target || link.download || file) return;
  event.preventDefault();
  if (link.pathname + link.search === location.pathname + location.search && link.hash) location.hash = link.hash;
  else go(link.pathname + link.search + link.hash);
}

/** Give the top line *tools* of a page, before those that every page has. */
export const setTools = (...tools) => document.querySelector(".top .own").replaceChildren(...tools);

/** Name the page in the window's title. */
export function setTitle(...parts) {
  const title = [...parts, t("page.name")].join(" · ");
  if (document.title !== title) document.title = title;
}

/** @returns {HTMLElement} the top line. */
export function topLine() {
  const opens = (at) => async () => (await import("./preferences.js")).open(at);
  const language = el("button.tool.speaks", { type: "button", "aria-label": t("settings.language"), onclick: opens("language") });
  language.append(document.documentElement.lang.toUpperCase());
  return el(
    "header.top",
    el("a.brand", { href: "/" }, icon("logo"), t("page.name")),
    el(
      "span.rest",
      el("span.tag.offline-tag", { role: "status" }, t("page.offline")),
      el("span.own"),
      language,
      tool("settings", t("settings.title"), { onclick: opens() }),
    ),
  );
}
