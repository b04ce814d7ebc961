// The frame of every page: the line at the top, the way from page to page.

import { el, icon, tool } from "./dom.js";
import { t } from "./texts.js";

/** Who shows the page of a path; main.js sets it. */
export const router = { show: () => {} };

/** Go to another page of this site without loading it anew. */
export function go(path, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", path);
  router.show();
}

/** Follow a click on a link of this site, unless it asks for a window of its own. */
export function follow(event) {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  if (link.origin !== location.origin || link.target || link.hasAttribute("download") || isFile(link.pathname)) return;
  event.preventDefault();
  if (link.pathname + link.search === location.pathname + location.search && link.hash) location.hash = link.hash;
  else go(link.pathname + link.search + link.hash);
}

const isFile = (path) => path.startsWith("/api/") || /\.\w+$/.test(path);

/** Give the top line *tools* of a page, before those that every page has. */
export function setTools(...tools) {
  document.querySelector(".top .own").replaceChildren(...tools);
}

/** Name the page in the window's title. */
export function setTitle(...parts) {
  const title = [...parts, t("page.name")].join(" · ");
  if (document.title !== title) document.title = title;
}

/** @returns {HTMLElement} the top line. */
export function topLine() {
  const brand = el("a.brand", { href: "/" }, icon("logo"), t("page.name"));
  const preferences = async (event) => (await import("./preferences.js")).open(event.currentTarget.dataset.opens);
  const language = el(
    "button",
    { type: "button", class: "tool", "aria-label": t("settings.language"), data: { opens: "language" }, onclick: preferences },
    document.documentElement.lang.toUpperCase(),
  );
  const sheet = tool("settings", t("settings.title"), { onclick: preferences });
  const offline = el("span.tag.offline-tag", { role: "status" }, t("page.offline"));
  return el("header.top", brand, el("span.rest", offline, el("span.own"), language, sheet));
}
