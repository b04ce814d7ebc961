// Cards and piles for those who see and those who hear: faces drawn from the symbols of the page, names, and sentences
// about what happens.

import { icon } from "./dom.js";
import { cardsOf, fits, moved, step } from "./moving.js";
import { PILES } from "./protocol.js";
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

/** @returns {string} "Column 3", "Cell b", "Foundation of spades"; with *count* also how many cards lie there. */
export function pileName(name, suit = "", count = null) {
  const pile = "abcd".includes(name)
    ? t("table.cell", { name })
    : name === "h"
      ? suit ? t("table.foundation", { suit: t(`table.suit${suit}`) }) : t("table.foundations")
      : t("table.column", { name: number(PILES.indexOf(name) + 1) });
  return count === null ? pile : t("table.cards", { pile, count });
}

/** @returns {string} what to say of a change of the table *before*; "" where there is nothing to say. */
export function told({ cause, steps, hinted, item }, before) {
  if (cause === "dealt") return t("table.dealt");
  if (cause === "taken-back") return t("table.takenBack");
  if (hinted) return t("table.hinted", { move: moveTold(hinted, before) });
  if (!steps.length || !before) return "";
  if (item?.kind === "undo") return t("table.undone");
  const last = steps.at(-1);
  if (step(last).count > 1 && last[1] === "h") return t("table.sequence");
  return moveTold(last, steps.slice(0, -1).reduce((table, each) => (fits(table, each) ? moved(table, [each]) : table), before));
}

/** @returns {string} what was chosen, and where it goes as far as that is known. */
export function chosenText({ card, count }, targets) {
  const params = { card: cardName(card.dataset.card), more: count - 1, piles: (targets ?? []).map((name) => pileName(name)).join(", ") };
  const chosen = count > 1 ? t("table.chosenRun", params) : t("table.chosen", params);
  if (!targets) return chosen;
  return `${chosen} ${targets.length ? t("table.goesTo", params) : t("table.goesNowhere")}`;
}

/** @returns {string} the first of the cards that *text* moves on *table*, and where to. */
function moveTold(text, table) {
  const { source, target, count } = step(text);
  const card = cardsOf(table, source).at(-count);
  if (!card) return "";
  const params = { card: cardName(card), more: count - 1, pile: pileName(target, target === "h" ? card[1] : "") };
  return t(count > 1 ? "table.movedRun" : "table.moved", params);
}
