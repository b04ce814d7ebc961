// The page's beginning: its texts and drawings, then the module that shows what is at its address.

import { el, symbols } from "./dom.js";
import { follow, router, setTools, setTitle, topLine } from "./shell.js";
import { load, t } from "./texts.js";
import { settings } from "./settings.js";

/** By the first part of the path: the module, and the classes of the body. */
const PAGES = {
  "": { load: () => import("./landing.js"), kind: "landing open" },
  r: { load: () => import("./door.js"), kind: "room open" },
  race: { load: () => import("./results.js"), kind: "page results open" },
  replay: { load: () => import("./replay.js"), kind: "replay" },
  deal: { load: () => import("./deal.js"), kind: "page boards open" },
  leaderboards: { load: () => import("./boards.js"), kind: "page boards open" },
  player: { load: () => import("./player.js"), kind: "page boards open" },
  rules: { load: () => import("./rules.js"), kind: "page rules open" },
};

let cleanUp = () => {};
let shown = 0;

/** Show the page of the address, in place of the one before. */
async function show() {
  const turn = ++shown;
  const parts = location.pathname.split("/").slice(1).map(decodeURIComponent);
  const page = PAGES[parts[0]] ?? PAGES[""];
  cleanUp();
  cleanUp = () => {};
  setTools();
  setTitle();
  const root = el("main", { id: "main", tabindex: "-1" });
  document.getElementById("main").replaceWith(root);
  document.body.className = page.kind;
  scrollTo(0, 0);
  try {
    const module = await page.load();
    if (turn !== shown) return;
    const end = await module.show(root, { parts, query: new URLSearchParams(location.search), hash: location.hash });
    if (turn === shown) cleanUp = end ?? cleanUp;
    else end?.();
  } catch (error) {
    if (turn === shown) root.replaceChildren(await broken(error));
  }
}

/** @returns {Promise<HTMLElement>} what is shown where a page can't be: what happened, and the ways on. */
async function broken(error) {
  const { notice, offline } = await import("./notice.js");
  if (navigator.onLine) console.error(error);
  return navigator.onLine ? notice("error.broken", { again: true }) : offline();
}

async function begin() {
  router.show = show;
  addEventListener("popstate", show);
  addEventListener("online", tellNetwork);
  addEventListener("offline", tellNetwork);
  tellNetwork();
  document.addEventListener("click", follow);
  settings.on((key) => key === "language" && speak());
  await Promise.all([load(document.documentElement.lang), symbols()]);
  document.body.prepend(el("a.skip", { href: "#main" }, t("page.skip")), topLine());
  await show();
  keepShell();
}

/** Change the language: everything that is shown is made anew. */
async function speak() {
  await load(settings.get("language") || document.documentElement.lang);
  document.querySelector(".top").replaceWith(topLine());
  document.querySelector(".skip").textContent = t("page.skip");
  await show();
}

/** Let the browser keep the page for times without a network, where it can (over https, or on this machine). */
async function keepShell() {
  try {
    await navigator.serviceWorker?.register("/sw.js");
    const worker = (await navigator.serviceWorker?.ready)?.active;
    worker?.postMessage(performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname));
  } catch {
    // A browser may be told to keep nothing.
  }
}

/** Say in the top line when there is no network. */
function tellNetwork() {
  document.documentElement.classList.toggle("no-net", !navigator.onLine);
}

await begin();
