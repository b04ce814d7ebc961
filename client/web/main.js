// The page's beginning: its texts, then the module that shows what is at its address.

import { el } from "./dom.js";
import { settings } from "./settings.js";
import { follow, router, setTitle, setTools, topLine } from "./shell.js";
import { load, t } from "./texts.js";

/** By the first part of the path: the module, and the classes of the body. */
const PAGES = {
  "": [() => import("./landing.js"), "landing open"],
  r: [() => import("./rooms.js"), "room open"],
  race: [() => import("./results.js"), "page results open"],
  replay: [() => import("./replay.js"), "replay"],
  deal: [() => import("./deal.js"), "page boards open"],
  leaderboards: [() => import("./boards.js"), "page boards open"],
  player: [() => import("./player.js"), "page boards open"],
  rules: [() => import("./rules.js"), "page rules open"],
};

const { documentElement: root } = document;
let cleanUp = null;
let shown = 0;

/** Show the page of the address, in place of the one before. */
async function show() {
  const turn = ++shown;
  const parts = location.pathname.split("/").slice(1).map(decodeURIComponent);
  const [module, kind] = PAGES[parts[0]] ?? PAGES[""];
  const main = el("main", { id: "main", tabindex: "-1" });
  cleanUp?.();
  cleanUp = null;
  setTools();
  setTitle();
  document.getElementById("main").replaceWith(main);
  document.body.className = kind;
  scrollTo(0, 0);
  try {
    const { show: fill } = await module();
    if (turn !== shown) return;
    const end = await fill(main, { parts, query: new URLSearchParams(location.search), hash: location.hash });
    if (turn === shown) cleanUp = end;
    else end?.();
  } catch (error) {
    if (turn !== shown) return;
    const { broken } = await import("./notice.js");
    main.replaceChildren(broken(error));
  }
}

/** Change the language: everything that is shown is made anew. */
async function speak() {
  await load(settings.get("language"));
  document.querySelector(".top").replaceWith(topLine());
  document.querySelector(".skip").textContent = t("page.skip");
  await show();
}

/** Let the browser keep the page for times without a network, where it can (over https, or on this machine). */
async function keepShell() {
  const workers = navigator.serviceWorker;
  await workers?.register("/sw.js");
  const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
  (await workers?.ready)?.active.postMessage(loaded);
}

const tellNetwork = () => root.classList.toggle("no-net", !navigator.onLine);

router.show = show;
addEventListener("popstate", show);
addEventListener("online", tellNetwork);
addEventListener("offline", tellNetwork);
document.addEventListener("click", follow);
settings.on((key) => key === "language" && speak());
tellNetwork();
await load(root.lang);
document.body.prepend(el("a.skip", { href: "#main" }, t("page.skip")), topLine());
await show();
keepShell().catch(() => {}); // a browser may be told to keep nothing
