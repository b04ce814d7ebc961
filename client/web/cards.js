// Card faces: drawn from the symbols of the page, named for those who hear them.

import { icon } from "./dom.js";
import { number, t } from "./texts.js";

const COURT = "JQK";
const BOXES = { T: "0 0 18 20" };

/** @returns {string} "10 of hearts". */
export function cardName(text) {
  const rank = "23456789".includes(text[0]) ? number(Number(text[0])) : t(`table.rank${text[0]}`);
  return t("table.card", { rank, suit: t(`table.suit${text[1]}`) });
}

const made = new Map();

/** @returns {HTMLElement} the card *text*; *live*: a button. */
export function card(text, live = false) {
  const key = `${text}${live}`;
  if (!made.has(key)) made.set(key, draw(text, live));
  const element = made.get(key).cloneNode(true);
  element.setAttribute("aria-label", cardName(text)); // in the language of now
  return element;
}

function draw(text, live) {
  const [rank, suit] = text;
  const element = document.createElement(live ? "button" : "span");
  element.className = `card ${suit} ${COURT.includes(rank) ? "court" : rank === "A" ? "ace" : "number"}`;
  element.dataset.card = text;
  if (live) Object.assign(element, { type: "button", tabIndex: -1 });
  else element.setAttribute("role", "img");
  element.append(index(rank, suit), COURT.includes(rank) ? block(rank, suit) : icon(suit, "face"));
  return element;
}

/** Rank and suit side by side, so that both live in the strip. */
function index(rank, suit) {
  const drawn = icon(`r${rank}`, rank === "T" ? "rank ten" : "rank");
  drawn.setAttribute("viewBox", BOXES[rank] ?? "0 0 14 20");
  return span("index", drawn, icon(suit, "pip"));
}

/** A court card is a block printed in its suit's colour, with a crowned pip. */
function block(rank, suit) {
  const crown = icon(`crown${rank}`, "crown");
  crown.setAttribute("viewBox", "0 0 32 16");
  return span("block", crown, icon(suit, "pip"));
}

function span(className, ...children) {
  const element = document.createElement("span");
  element.className = className;
  element.append(...children);
  return element;
}

/** @returns {HTMLElement} the place of an empty pile; *suit* is printed on a foundation's. */
export function slot(live, suit = "") {
  const element = document.createElement(live ? "button" : "span");
  element.className = "slot";
  if (live) Object.assign(element, { type: "button", tabIndex: -1 });
  else element.setAttribute("role", "img");
  if (suit) element.append(icon(suit, "pip"));
  return element;
}
