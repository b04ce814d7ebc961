// Elements, and the frame of every page. Text is only ever set as text.

import {more, refusalText, t} from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";
const COLOURS = 8;

/**
 * Make an element of *spec*, a tag and its classes ("p.small.soft"). In *props*, which may be left out, `onclick` and the
 * like are listeners, `vars` custom properties, `data` data-attributes, `label` is for screen readers.
 */
export function el(spec, props, ...children) {
	const [tag, ...classes] = spec.split(".");
	const element = document.createElement(tag);
	if (classes.length) element.className = classes.join(" ");
	if (props?.constructor === Object) for (const [name, value] of Object.entries(props)) give(element, name, value);
	else children.unshift(props);
	element.append(...children.flat().filter(child => child || child === "" || child === 0));
	return element;
}

function give(element, name, value) {
	if (value === null || value === undefined) return;
	if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
	else if (name === "vars") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
	else if (name === "data") Object.assign(element.dataset, value);
	else if (name === "value") element.value = value;
	else if (name === "label") element.ariaLabel = value;
	else if (typeof value === "boolean" && !name.startsWith("aria-")) element.toggleAttribute(name, value);
	else element.setAttribute(name, value);
}

/** Set *text* where it is another: what stays is not told to screen readers again. */
export function say(element, text) {
	if (element.textContent !== text) element.textContent = text;
}

/** How large the drawings of index.html are, by name or kind, where it is not 24 by 24. */
const BOXES = {logo: "0 0 40 32", rank: "0 0 14 20", "rank ten": "0 0 18 20", crown: "0 0 32 16"};

const called = ({href, ariaLabel, textContent}) => href ?? ariaLabel ?? textContent;

/** Give the focus, where *had* lost it by going, to what is called the same, else to the page. */
export function refocus(had) {
	if (had === document.body || document.activeElement !== document.body) return;
	const same = had.isConnected ? had : [...document.querySelectorAll("main :is(a, button)")].find(each => called(each) === called(had));
	(same ?? document.getElementById("main")).focus({preventScroll: true});
}

/** Put *children* in place of what is in *place*: what is alike stays, no press on it is lost, nor the focus. */
export function refill(place, ...children) {
	const had = document.activeElement;
	children.forEach((child, at) => {
		const there = place.children[at] ?? place.appendChild(child);
		if (!there.isEqualNode(child)) there.replaceWith(child);
	});
	while (place.children[children.length]) place.lastChild.remove();
	refocus(had);
}

export function icon(name, kind = "icon") {
	const [drawing, use] = ["svg", "use"].map(tag => document.createElementNS(SVG, tag));
	drawing.setAttribute("class", kind);
	drawing.setAttribute("viewBox", BOXES[name] ?? BOXES[kind] ?? "0 0 24 24");
	drawing.ariaHidden = "true";
	use.setAttribute("href", `#${name}`);
	drawing.append(use);
	return drawing;
}

/** A button; *kind* are its classes, *sign* an icon before its text. */
export const button = (text, {kind = "button", sign, ...props} = {}) =>
	el("button", {type: "button", class: kind, ...props}, sign && icon(sign), text && el("span", text));

export const submit = text => button(text, {kind: "button go", type: "submit"});

export const tool = (sign, label, props) => button("", {kind: "tool", sign, label, title: label, ...props});

export const colour = seat => `p${(seat % COLOURS) + 1}`;

export const dot = (seat, name) => el(`span.dot.${colour(seat)}`, {"aria-hidden": "true"}, [...name][0]?.toUpperCase());

export const toasts = () => el("div.toasts", {role: "status"});

export const bones = () => el("div.bones.soft", {role: "status"}, t("page.loading"), el("i"), el("i"), el("i"));

export function style(href) {
	const there = document.querySelector(`link[href="${href}"]`);
	if (there) return there.loaded;
	const link = el("link", {rel: "stylesheet", href});
	link.loaded = new Promise((resolve, reject) => {
		link.onload = resolve;
		link.onerror = error => (link.remove(), reject(error)); // to be asked for again
	});
	document.head.append(link);
	return link.loaded;
}

/** Fetch what looking back takes. */
export const looking = () => Promise.all([style("/look.css"), more("look")]);

// Over every page

/** Show *content* above all else; resolves with what it was closed with. */
export function sheet(title, content, kind = "") {
	const dialog = el(
		"dialog",
		{class: `sheet panel ${kind}`, label: title},
		el("header.sheet-head", el("h2", title), tool("close", t("page.close"), {onclick: () => dialog.close("")})),
		content,
	);
	dialog.addEventListener("click", ({target}) => target === dialog && dialog.close(""));
	const had = document.activeElement;
	document.body.append(dialog);
	dialog.showModal();
	return new Promise(resolve => {
		dialog.addEventListener("close", () => {
			dialog.remove();
			refocus(had);
			resolve(dialog.returnValue);
		});
	});
}

/** Close what lies over a page or a stage that is over. */
export function closeSheets() {
	for (const each of document.querySelectorAll("dialog")) each.close("");
}

export const shut = (event, value = "") => event.target.closest("dialog").close(value);

/** A button in a sheet, whose *deed* is done when the sheet is out of the way. */
export const deed = (text, done, props) => button(text, {...props, onclick: event => (shut(event), done())});

/** Ask before what can't be taken back. */
export async function ask(title, text, yes, no) {
	const safe = button(no, {onclick: shut, autofocus: true});
	const sure = button(yes, {kind: "button line", onclick: event => shut(event, "yes")});
	return (await sheet(title, el("div.asks", el("p", text), el("div.two-up", safe, sure)))) === "yes";
}

/** Copy *link* and return whether that is done; where a page may not (plain http) show it, to be copied by hand. */
export async function copyLink(link, label) {
	try {
		await navigator.clipboard.writeText(link);
	} catch {
		const field = el("input.link", {value: link, readonly: true, autofocus: true, label, onfocus: () => field.select()});
		sheet(label, el("div.asks", el("p", t("room.selected")), field));
		if (!document.execCommand("copy")) return false;
		field.closest("dialog").close();
	}
	return true;
}

/** Tell a screen reader, when it has nothing else to say. */
export function announce(text) {
	const region = document.getElementById("announced");
	region.textContent = "";
	requestAnimationFrame(() => (region.textContent = text));
}

let toasted = 0;

export function toast(text, {link, ms = 3000} = {}) {
	const place = document.querySelector("main .toasts") ?? document.getElementById("toasts");
	clearTimeout(toasted);
	place.replaceChildren(el("div.toast", el("span", text), link));
	toasted = setTimeout(() => place.replaceChildren(), ms);
}

export function save(name, value) {
	const href = URL.createObjectURL(new Blob([`${JSON.stringify(value)}\n`], {type: "application/json"}));
	el("a", {href, download: name}).click();
	setTimeout(() => URL.revokeObjectURL(href), 1000);
}

/** Do *deed* and return whether that is done: what is refused is said. */
export async function tried(deed) {
	try {
		await deed();
		return true;
	} catch (refusal) {
		toast(await refusalText(refusal));
		return false;
	}
}

// From page to page

/** Show the page at *path*: main.js hears of every new address alike. */
export function go(path) {
	history.pushState(null, "", path);
	dispatchEvent(new Event("popstate"));
}

/** Follow a click on a link of this site, unless it asks for a window of its own. */
export function follow(event) {
	const link = event.target.closest?.("a[href]");
	if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
	const file = /^\/api\/|\.\w+$/.test(link.pathname);
	if (link.origin !== location.origin || link.target || link.download || file) return;
	event.preventDefault();
	const here = link.pathname + link.search === location.pathname + location.search;
	if (here && link.hash) document.querySelector(link.hash)?.focus();
	else go(link.pathname + link.search + link.hash);
}

export const setTools = (...tools) => document.querySelector(".top .own").replaceChildren(...tools);

export function setTitle(...parts) {
	const title = [...parts, t("page.name")].join(" · ");
	if (document.title !== title) document.title = title;
}

/** Fetch what opens sheets. */
export const sheets = async () => (await Promise.all([import("./sheets.js"), more("sheets")]))[0];

export const showSettings = async at => (await sheets()).openSettings(at);

export function topLine() {
	const speaks = {kind: "tool speaks", label: t("page.language"), onclick: () => showSettings("language")};
	return el(
		"header.top",
		el("a.brand", {href: "/"}, icon("logo"), t("page.name")),
		el(
			"span.rest",
			el("span.tag.offline-tag", {role: "status"}, t("page.offline")),
			el("span.own"),
			button(document.documentElement.lang.toUpperCase(), speaks),
			tool("settings", t("page.settings"), {onclick: () => showSettings()}),
		),
	);
}

// Where a page can't be

/** What happened, a button that does it *again* (null: none), and *links*. */
export function notice(heading, text, {again = () => location.reload(), links = []} = {}) {
	setTitle(heading);
	const front = el("a.button.line", {href: "/"}, t("error.front"));
	const retry = again && button(t("error.again"), {kind: "button go", onclick: again});
	return el("section.notice.panel", el("h1", heading), el("p", text), el("div.two-up", retry, links, front));
}

/** That a page could not be shown. */
export function broken(error) {
	if (!navigator.onLine) return unreached();
	console.error(error);
	return notice(t("error.broken"), t("error.brokenText"));
}

/** That the server does not answer, or that there is no network. */
export function unreached(again) {
	const key = navigator.onLine ? "unreached" : "offline";
	const shown = notice(t(`error.${key}`), t(`error.${key}Text`), {again});
	if (!navigator.onLine) addEventListener("online", () => shown.isConnected && location.reload(), {once: true});
	return shown;
}
