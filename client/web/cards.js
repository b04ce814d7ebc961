// Cards and piles for those who see and those who hear: faces drawn from the symbols of the page, names, and sentences
// about what happens.

import { el, icon } from "./dom.js";
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
  const court = COURT.includes(rank);
  const kind = court ? "court" : rank === "A" ? "ace" : "number";
  return el(`${tagOf(live)}.card.${suit}.${kind}`, { ...ROLES[live], data: { card: text } }, index(rank, suit), court ? block(rank, suit) : icon(suit, "face"));
}

const tagOf = (live) => (live ? "button" : "span");
const ROLES = { true: { type: "button", tabindex: -1 }, false: { role: "img" } };

/** Rank and suit side by side, so that both live in the strip. */
const index = (rank, suit) =>
  el("span.index", boxed(icon(`r${rank}`, rank === "T" ? "rank ten" : "rank"), BOXES[rank] ?? "0 0 14 20"), icon(suit, "pip"));

/** A court card is a block printed in its suit's colour, with a crowned pip. */
const block = (rank, suit) => el("span.block", boxed(icon(`crown${rank}`, "crown"), "0 0 32 16"), icon(suit, "pip"));

function boxed(drawing, box) {
  drawing.setAttribute("viewBox", box);
  return drawing;
}

/** @returns {HTMLElement} the place of an empty pile; *suit* is printed on a foundation's. */
export const slot = (live, suit = "") => el(`${tagOf(live)}.slot`, ROLES[live], suit && icon(suit, "pip"));

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
