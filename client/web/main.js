// The page's beginning: its texts, then the module that shows what is at its address.

import {broken, button, closeSheets, el, follow, looking, setTitle, setTools, sheet, style, topLine} from "./dom.js";
import {settings} from "./settings.js";
import {LANGUAGES, load, t} from "./texts.js";

const LISTS = ["./boards.js", "page boards open", looking];

/** By the first part of the path: module, classes of the body, what fetches the rest, and what shows the page. */
const PAGES = {
	"": ["./landing.js", "landing open", () => style("/landing.css")],
	r: ["./rooms.js", "room open"],
	race: ["./results.js", "page results open", looking],
	replay: ["./replay.js", "replay", looking],
	deal: [...LISTS, "deal"],
	leaderboards: [...LISTS, "boards"],
	player: [...LISTS, "player"],
	rules: ["./rules.js", "page rules open", () => style("/rules.css")],
};

const {documentElement: root} = document;
let cleanUp = null;
let shown = 0;

function decoded(part) {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

async function show() {
	const turn = ++shown;
	const parts = location.pathname.split("/").slice(1).map(decoded);
	const [module, kind, rest, name = "show"] = PAGES[parts[0]] ?? PAGES[""];
	const main = el("main", {id: "main", tabindex: "-1"});
	closeSheets();
	cleanUp?.();
	cleanUp = null;
	setTools();
	setTitle();
	document.getElementById("main").replaceWith(main);
	document.body.className = kind;
	scrollTo(0, 0);
	try {
		const [{[name]: fill}] = await Promise.all([import(module), rest?.()]);
		if (turn !== shown) return;
		const end = await fill(main, {parts, query: new URLSearchParams(location.search), hash: location.hash});
		if (turn === shown) cleanUp = end;
		else end?.();
	} catch (error) {
		if (turn === shown) main.replaceChildren(broken(error));
	}
}

/** The language chosen here, else the first of the browser's that the page speaks. */
function preferred() {
	const asked = [settings.get("language"), ...navigator.languages].map(language => String(language).slice(0, 2).toLowerCase());
	return asked.find(language => language in LANGUAGES) ?? "en";
}

async function speak() {
	await load(settings.get("language"));
	document.querySelector(".top").replaceWith(topLine());
	document.querySelector(".skip").textContent = t("page.skip");
	if (!cleanUp?.retell?.()) await show();
}

/** Let the browser keep the page for times without a network. */
async function keepShell() {
	const workers = navigator.serviceWorker;
	await workers?.register("/sw.js");
	const loaded = performance.getEntriesByType("resource").map(({name}) => new URL(name).pathname);
	(await workers?.ready)?.active.postMessage(loaded);
}

/** What was to be shown, a part that loads when it is needed, did not come: say so, and let it be tried again. */
function failed({reason}) {
	if (reason?.name === "AbortError" || document.querySelector("dialog.failed")) return;
	const again = button(t("error.again"), {kind: "button go", onclick: () => location.reload()});
	sheet(t("error.broken"), el("div.asks", el("p", t("error.brokenText")), again), "failed");
}

const tellNetwork = () => root.classList.toggle("no-net", !navigator.onLine);

addEventListener("popstate", show);
addEventListener("unhandledrejection", failed);
addEventListener("online", tellNetwork);
addEventListener("offline", tellNetwork);
document.addEventListener("click", follow);
settings.on(key => key === "language" && speak());
tellNetwork();
await load(preferred());
document.body.prepend(el("a.skip", {href: "#main"}, t("page.skip")), topLine());
await show();
keepShell().catch(() => {}); // a browser may be told to keep nothing
