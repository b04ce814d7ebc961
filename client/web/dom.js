// Elements, and the few things that lie over every page. Text is only ever set as text.

import { t } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an element of *spec*, a tag and its classes ("p.small.soft"). *props* may be left out; in them `onclick` and the
 * like are listeners, `vars` custom properties, `data` data-attributes, a boolean is an attribute that is there or not.
 * What is null, undefined or false is left out, of *children* too.
 */
export function el(spec, props, ...children) {
  const [tag, ...classes] = spec.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  if (props?.constructor === Object) for (const [name, value] of Object.entries(props)) give(element, name, value);
  else children.unshift(props);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function give(element, name, value) {
  if (value === null || value === undefined) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "vars") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
  else if (name === "data") Object.assign(element.dataset, value);
  else if (name === "value") element.value = value;
  else if (typeof value === "boolean" && !name.startsWith("aria-")) element.toggleAttribute(name, value);
  else element.setAttribute(name, value);
}

/** Set *text* where it is another: an unchanged node is not told to screen readers again. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @returns {SVGElement} a drawing of symbols.svg. */
export function icon(name, className = "icon") {
  const drawing = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  drawing.setAttribute("class", className);
  drawing.setAttribute("viewBox", name === "logo" ? "0 0 40 32" : "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `#${name}`);
  drawing.append(use);
  return drawing;
}

/** @returns {HTMLButtonElement} a button; *kind* are its classes, *sign* an icon before its text. */
export function button(text, { kind = "button", sign = null, ...props } = {}) {
  return el("button", { type: "button", class: kind, ...props }, sign && icon(sign), text && el("span", text));
}

/** @returns {HTMLButtonElement} a button that shows an icon only; *label* is its name. */
export const tool = (sign, label, props = {}) =>
  button("", { kind: "tool", sign, "aria-label": label, title: label, ...props });

let drawn = null;

/** Put the drawings into the document, once. */
export function symbols() {
  drawn ??= fetch("/symbols.svg")
    .then((answer) => answer.text())
    .then((text) => document.body.prepend(document.importNode(parsed(text), true)));
  return drawn;
}

const parsed = (text) => new DOMParser().parseFromString(text, "image/svg+xml").documentElement;

/** Load a style sheet, once; resolves when it holds. */
export function style(href) {
  const there = document.querySelector(`link[href="${href}"]`);
  if (there) return there.loaded ?? Promise.resolve();
  const link = el("link", { rel: "stylesheet", href });
  link.loaded = new Promise((resolve) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", resolve);
  });
  document.head.append(link);
  return link.loaded;
}

/** Show a sheet with *content*; resolves when it is closed, with the value it was closed with. */
export function sheet(title, content, { kind = "" } = {}) {
  const heading = el("h2", { id: "sheet-title" }, title);
  const away = tool("close", t("page.close"), { onclick: () => dialog.close("") });
  const dialog = el(
    "dialog",
    { class: `sheet panel ${kind}`, "aria-labelledby": "sheet-title" },
    el("header.sheet-head", heading, away),
    content,
  );
  document.body.append(dialog);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close(""));
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
    dialog.showModal();
  });
}

/** Ask before what can't be taken back. The focus starts on the safe button. @returns {Promise<boolean>} */
export async function ask(title, text, { yes, no }) {
  const answer = (value) => (event) => event.target.closest("dialog").close(value);
  const safe = button(no, { onclick: answer(""), autofocus: true });
  const sure = button(yes, { kind: "button line", onclick: answer("yes"), data: { sure: "" } });
  const content = el("div.asks", el("p", text), el("div.two-up", safe, sure));
  return (await sheet(title, content)) === "yes";
}

/** Tell a screen reader, when it has nothing else to say. */
export function announce(text) {
  const region = document.getElementById("announced");
  region.textContent = "";
  requestAnimationFrame(() => (region.textContent = text));
}

let toasted = 0;

/** Say *text* for a moment, with a button where there is something to do about it. */
export function toast(text, { more = null, ms = 3000 } = {}) {
  const place = document.querySelector("main .toasts") ?? document.getElementById("toasts");
  clearTimeout(toasted);
  place.replaceChildren(el("div.toast", el("span", text), more && el("b", more)));
  toasted = setTimeout(() => place.replaceChildren(), ms);
}
