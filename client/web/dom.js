// Elements, and the few things that lie over every page. Text is only ever set as text.

import { t } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an element of *spec*, a tag and its classes ("p.small.soft"). In *props*, which may be left out, `onclick` and the
 * like are listeners, `vars` custom properties, `data` data-attributes. Null, undefined and false are left out.
 */
export function el(spec, props, ...children) {
  const [tag, ...classes] = spec.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  if (props?.constructor === Object) for (const [name, value] of Object.entries(props)) give(element, name, value);
  else children.unshift(props);
  element.append(...children.flat().filter((child) => child || child === "" || child === 0));
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

/** Set *text* where it is another: what stays is not told to screen readers again. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @returns {SVGElement} a drawing of those in index.html. */
export function icon(name, className = "icon") {
  const [drawing, use] = ["svg", "use"].map((tag) => document.createElementNS(SVG, tag));
  drawing.setAttribute("class", className);
  drawing.setAttribute("viewBox", { logo: "0 0 40 32", rank: "0 0 14 20" }[className === "rank" ? className : name] ?? "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `#${name}`);
  drawing.append(use);
  return drawing;
}

/** @returns {HTMLButtonElement} a button; *kind* are its classes, *sign* an icon before its text. */
export const button = (text, { kind = "button", sign, ...props } = {}) =>
  el("button", { type: "button", class: kind, ...props }, sign && icon(sign), text && el("span", text));

/** @returns {HTMLButtonElement} a button that shows an icon only; *label* is its name. */
export const tool = (sign, label, props) => button("", { kind: "tool", sign, "aria-label": label, title: label, ...props });

/** Load a style sheet, once; resolves when it holds. */
export function style(href) {
  const there = document.querySelector(`link[href="${href}"]`);
  if (there) return there.loaded;
  const link = el("link", { rel: "stylesheet", href });
  link.loaded = new Promise((resolve) => (link.onload = link.onerror = resolve));
  document.head.append(link);
  return link.loaded;
}

/** Show *content* above all else; resolves when that is closed, with what it was closed with. */
export function sheet(title, content, kind = "") {
  const dialog = el(
    "dialog",
    { class: `sheet panel ${kind}`, "aria-label": title },
    el("header.sheet-head", el("h2", title), tool("close", t("page.close"), { onclick: () => dialog.close("") })),
    content,
  );
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close(""));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}

/** Close the sheet in which *event* happened. */
export const shut = (event, value = "") => event.target.closest("dialog").close(value);

/** Ask before what can't be taken back; the focus starts on the safe button. @returns {Promise<boolean>} */
export async function ask(title, text, yes, no) {
  const safe = button(no, { onclick: shut, autofocus: true });
  const sure = button(yes, { kind: "button line", onclick: (event) => shut(event, "yes") });
  return (await sheet(title, el("div.asks", el("p", text), el("div.two-up", safe, sure)))) === "yes";
}

/** Tell a screen reader, when it has nothing else to say. */
export function announce(text) {
  const region = document.getElementById("announced");
  region.textContent = "";
  requestAnimationFrame(() => (region.textContent = text));
}

let toasted = 0;

/** Say *text* for a moment, and behind it *more*. */
export function toast(text, { more, ms = 3000 } = {}) {
  const place = document.querySelector("main .toasts") ?? document.getElementById("toasts");
  clearTimeout(toasted);
  place.replaceChildren(el("div.toast", el("span", text), more && el("b", more)));
  toasted = setTimeout(() => place.replaceChildren(), ms);
}
