// The picture of a table: a position drawn, and cards that glide from where they were. It knows what lies where and no
// rule of any game. Cards keep their elements from one position to the next, so identical cards are told apart.

import { card, pileName, slot } from "./cards.js";
import { el } from "./dom.js";
import { glide, ms, rest, shake, still, toTray } from "./motion.js";
import { SUITS, moved, step } from "./moving.js";
import { GAMES, PILES } from "./protocol.js";
import { t } from "./texts.js";

const RANKS = "A23456789TJQK";
const CELLS = "abcd";
const REFUSED_MS = 600;
const HINTED_MS = 2500;

const isCell = ({ name }) => CELLS.includes(name);
const isColumn = ({ name }) => name !== "h" && !CELLS.includes(name);

/**
 * @typedef {{name: string, suit: string, element: HTMLElement, slot: HTMLElement, cards: HTMLElement[]}} Pile one
 * column, cell or foundation; `name` as in move text.
 */

/** @typedef {{pile: string, index: number, count: number, card: HTMLElement | null}} Place a card, and all on it. */

export class TableView {
  #piles = [];
  #position = null;
  #game;
  #live;
  #layout;
  #later = [];
  #timer = 0;

  /** *live*: it can be played on; *label*: what a screen reader calls it. */
  constructor({ game, live = false, label = t("table.table") }) {
    this.#game = GAMES[game];
    this.#live = live;
    this.#layout = el("div.layout", null);
    this.element = el(`div.table${live ? ".live" : ""}`, { role: "group", "aria-label": label }, this.#layout);
    /** Where finished sequences lie in a game without foundations, to be placed anywhere on the page. */
    this.tray = this.#game.foundations ? null : el("span.tray", { role: "img" }, [...SUITS].map(() => el("span", null)));
  }

  /** The layout, in which everything lies that moves. */
  get layout() {
    return this.#layout;
  }

  get piles() {
    return this.#piles;
  }

  /**
   * Draw *position*; *joined* has for each column a "1" for each card that lies joined. *steps*, those from what is
   * shown, are seen one after the other. *cause*: "laid" at once, "dealt" in rows, anything else glides; *dropped*: the
   * cards that move lie there already.
   */
  show(position, { joined = null, steps = [], cause = steps.length ? "answer" : "laid", dropped = false } = {}) {
    this.#finishSteps();
    this.#layOut(position);
    this.#unhint();
    const stages = this.#position && cause !== "laid" && !still() ? stagesTo(this.#position, position, steps) : [position];
    this.#position = position;
    const moving = cause !== "laid" && cause !== "dealt";
    this.#arrange(stages[0], { moving, dropped, joined: stages.length > 1 ? null : joined });
    this.#later = stages.slice(1).map((stage, place) => ({ stage, joined: place === stages.length - 2 ? joined : null }));
    if (this.#later.length) this.#timer = setTimeout(this.#next, ms("--move"));
    if (cause === "dealt") this.#deal();
  }

  /** Let everything that moves be where it goes. */
  settle() {
    this.#finishSteps();
    for (const animation of this.#layout.getAnimations({ subtree: true })) if (animation.id) animation.finish();
  }

  /** Light the piles *names*, of the foundations only that of *suit*; none: put the light out. */
  light(names = [], suit = "") {
    for (const pile of this.#piles)
      pile.element.classList.toggle("lit", names.includes(pile.name) && (!pile.suit || !suit || pile.suit === suit));
  }

  /** Show the last *count* cards of *pile* as chosen; without a pile, none. */
  choose(pile, count) {
    const chosen = pile ? this.run(pile, count) : [];
    for (const each of [...this.#layout.querySelectorAll(".chosen"), ...chosen]) {
      each.classList.toggle("chosen", chosen.includes(each));
      each.setAttribute("aria-pressed", chosen.includes(each));
    }
  }

  /** Shake the last *count* cards of *pile*, or the pile's place. */
  refuse(pile, count = 1) {
    const cards = this.run(pile, count);
    for (const each of cards.length ? cards : [this.pile(pile)?.slot ?? this.#layout]) {
      shake(each);
      each.classList.add("refused");
      setTimeout(() => each.classList.remove("refused"), REFUSED_MS);
    }
  }

  /** Show *move* without making it. */
  hint(move) {
    const { source, target, count } = step(move);
    this.#unhint();
    const run = this.run(source, count);
    const onto = this.pile(target, run[0]?.dataset.card[1]);
    for (const each of [...run, onto?.element]) each?.classList.add("hinted");
    setTimeout(() => this.#unhint(), HINTED_MS);
  }

  #unhint() {
    for (const each of this.#layout.querySelectorAll(".hinted")) each.classList.remove("hinted");
  }

  /** @returns {Pile | undefined} the pile *name*; of the foundations that of *suit*, or the first. */
  pile(name, suit = "") {
    return this.#piles.find((pile) => pile.name === name && (!suit || !pile.suit || pile.suit === suit));
  }

  /** @returns {HTMLElement[]} the last *count* cards of *name*. */
  run(name, count) {
    const cards = name === "h" ? [] : (this.pile(name)?.cards ?? []);
    return cards.slice(Math.max(0, cards.length - count));
  }

  /** @returns {Place | null} what lies at *element*. */
  place(element) {
    const found = element?.closest?.("[data-pile]");
    const pile = found && this.#piles.find((each) => each.element === found);
    if (!pile) return null;
    const index = pile.cards.indexOf(element.closest(".card"));
    if (index < 0) return { pile: pile.name, index: 0, count: 0, card: null };
    return { pile: pile.name, index, count: pile.cards.length - index, card: pile.cards[index] };
  }

  /** Give the focus to *element*, a card or the place of a pile: from now on it is reached by the tab key. */
  focus(element) {
    for (const each of this.#layout.querySelectorAll('[tabindex="0"]')) each.tabIndex = -1;
    element.tabIndex = 0;
    if (document.activeElement !== element) element.focus({ preventScroll: true });
  }

  // Drawing

  /** Make the piles of a table like *position*. */
  #layOut({ columns, cells }) {
    const count = (kind) => this.#piles.filter((pile) => kind(pile)).length;
    if (count(isColumn) === columns.length && count(isCell) === cells.length) return;
    const make = (name, kind, suit = "") => this.#makePile(name, kind, suit);
    const row = (kind, piles) => el(`div.${kind}`, piles.map(({ element }) => element));
    const tableau = columns.map((_, place) => make(PILES[place], "col"));
    const free = cells.map((_, place) => make(CELLS[place], "pile"));
    const home = this.#game.foundations ? [...SUITS].map((suit) => make("h", "pile", suit)) : [];
    const topped = free.length + home.length > 0;
    this.#piles = [...free, ...home, ...tableau];
    this.#layout.classList.toggle("topped", topped);
    this.#layout.style.setProperty("--cols", columns.length);
    const tops = topped ? [el("div.tops", row("piles", free), row("piles", home))] : [];
    this.#layout.replaceChildren(...tops, row("columns", tableau));
    this.#position = null;
  }

  #makePile(name, kind, suit) {
    const place = slot(this.#live, suit);
    const element = el(`div.${kind}`, { role: "group", data: { pile: name, ...(suit && { suit }) } }, place);
    return { name, suit, element, slot: place, cards: [] };
  }

  /** Let the elements lie as *position* says, each the one that lay nearest before; *moving*: they glide there. */
  #arrange(position, { moving, dropped, joined }) {
    const wanted = this.#piles.map((pile) => textsOf(position, pile));
    const changed = this.#piles.map((pile, place) => kept(pile, wanted[place]) < Math.max(pile.cards.length, wanted[place].length));
    const focused = this.#layout.contains(document.activeElement) ? document.activeElement : null;
    const before = moving && !still() ? this.#boxes(changed) : null;
    const pool = this.#takeUp(wanted);
    const fresh = this.#putDown(wanted, pool);
    const left = [...pool.values()].flat();
    if (joined) this.#join(joined);
    if (before) this.#glide(before, { changed, dropped, left, fresh });
    for (const each of left) each.remove();
    this.#fillTray(position, left.length && before ? ms("--scene") : 0);
    this.#keepTabStop();
    if (focused && (document.activeElement !== focused || focused.inert || focused.hidden)) this.#refocus(focused);
  }

  /** One card or place is reached by the tab key; arrows go on from there. */
  #keepTabStop() {
    const stop = this.#layout.querySelector('[tabindex="0"]');
    if (!this.#live || (stop && !stop.hidden && !stop.inert)) return;
    if (stop) stop.tabIndex = -1;
    const pile = this.#piles.find(({ element }) => element.contains(stop)) ?? this.#piles.find(isColumn);
    (pile.cards.at(-1) ?? pile.slot).tabIndex = 0;
  }

  /** Take every card up that does not stay where it lies; return them by their texts. */
  #takeUp(wanted) {
    const pool = new Map();
    this.#piles.forEach((pile, place) => {
      const taken = pile.cards.splice(kept(pile, wanted[place]));
      for (const each of taken) pool.set(each.dataset.card, [...(pool.get(each.dataset.card) ?? []), each]);
    });
    return pool;
  }

  /** Put on each pile what it lacks, from *pool* as far as it goes; return the cards that had to be made. */
  #putDown(wanted, pool) {
    const fresh = [];
    this.#piles.forEach((pile, place) => {
      for (const text of wanted[place].slice(pile.cards.length)) {
        const found = pool.get(text)?.shift() ?? card(text, this.#live);
        if (!found.isConnected) fresh.push(found);
        found.classList.remove("joined");
        found.style.setProperty("--i", pile.cards.length);
        pile.cards.push(found);
        pile.element.append(found);
      }
      this.#name(pile);
    });
    return fresh;
  }

  /** Tell screen readers what the pile is, and the style sheet how long. */
  #name(pile) {
    const { element, cards } = pile;
    if (element.dataset.held === String(cards.length) && !pile.suit) return;
    element.dataset.held = cards.length;
    element.style.setProperty("--n", Math.max(1, cards.length));
    pile.slot.hidden = cards.length > 0;
    element.setAttribute("aria-label", pileName(pile.name, pile.suit, cards.length));
    pile.slot.setAttribute("aria-label", t("table.empty", { pile: pileName(pile.name, pile.suit) }));
    if (pile.suit) cards.forEach((each, place) => (each.inert = place < cards.length - 1));
  }

  #join(joined) {
    this.#piles.filter(isColumn).forEach((pile, place) =>
      pile.cards.forEach((each, index) => each.classList.toggle("joined", joined[place]?.[index] === "1")),
    );
  }

  #boxes(changed) {
    const piles = this.#piles.filter((_, place) => changed[place]);
    return new Map(piles.flatMap((pile) => pile.cards.map((each) => [each, { pile, box: each.getBoundingClientRect() }])));
  }

  /** Let cards glide from where they were *before*: all of the *changed* piles, and those that leave the table. */
  #glide(before, { changed, dropped, left, fresh }) {
    const tray = this.tray?.isConnected ? this.tray.getBoundingClientRect() : null;
    const after = this.#boxes(changed); // all at once: an animation between would have the layout made again
    const arrived = new Set();
    for (const [each, { pile, box }] of after) {
      const [from, came] = [before.get(each), fresh.includes(each) || before.get(each)?.pile !== pile];
      if (came) arrived.add(pile.element);
      if (came && dropped) rest(each);
      else if (from ?? tray) glide(each, from?.box ?? tray, box);
    }
    arrived.forEach(raise);
    if (tray) toTray(this.#layout, left.map((each) => [each, before.get(each).box]).reverse(), tray);
  }

  /** Deal the whole table, row by row. */
  #deal() {
    if (still()) return;
    const gap = ms("--scene") / 1.4 / 8;
    for (const { cards } of this.#piles)
      cards.forEach((each, index) => glide(each, { left: 0, top: -24, width: 0 }, { left: 0, top: 0, width: 0 }, index * gap, 0));
  }

  /** Show the next of the steps that are seen one after the other. */
  #next = () => {
    const next = this.#later.shift();
    if (!next) return;
    this.#arrange(next.stage, { moving: true, dropped: false, joined: next.joined });
    if (this.#later.length) this.#timer = setTimeout(this.#next, ms("--move") / 2);
  };

  #finishSteps() {
    clearTimeout(this.#timer);
    const last = this.#later.at(-1);
    this.#later = [];
    if (last) this.#arrange(last.stage, { moving: false, dropped: false, joined: last.joined });
  }

  #fillTray({ home }, delay) {
    if (!this.tray) return;
    clearTimeout(this.tray.due);
    this.tray.due = setTimeout(() => fill(this.tray, home, this.#game.leaves), delay);
  }

  /** The focused card has changed its place in the document: the focus goes with it, or to what lies near. */
  #refocus(focused) {
    const there = focused.isConnected && !focused.hidden && !focused.inert;
    (there ? focused : this.#layout.querySelector('[tabindex="0"]')).focus({ preventScroll: true });
  }
}

/** @returns {Position[]} what is seen on the way to *position*: after each step, where the steps lead there. */
function stagesTo(from, position, steps) {
  if (steps.length < 2) return [position];
  let each = from;
  try {
    const stages = steps.map((step) => (each = moved(each, [step])));
    return JSON.stringify(each) === JSON.stringify(position) ? [...stages.slice(0, -1), position] : [position];
  } catch {
    return [position]; // steps of another table: what is shown was not what they began with
  }
}

/** @returns {string[]} the cards that lie on *pile*. */
function textsOf({ columns, cells, home }, { name, suit }) {
  if (suit) return [...RANKS.slice(0, home[SUITS.indexOf(suit)])].map((rank) => rank + suit);
  if (CELLS.includes(name)) return [cells[CELLS.indexOf(name)]].filter(Boolean);
  return columns[PILES.indexOf(name)];
}

/** @returns {number} how many cards of *pile* may stay where they are. */
function kept({ cards }, texts) {
  const first = texts.findIndex((text, place) => cards[place]?.dataset.card !== text);
  return Math.min(cards.length, first < 0 ? texts.length : first);
}

function fill(tray, home, leaves) {
  const gone = home.flatMap((count, suit) => Array(Math.floor(count / leaves)).fill(SUITS[suit]));
  [...tray.children].forEach((each, place) => {
    const suit = gone[place] ?? "";
    if (each.dataset.suit === suit) return;
    each.dataset.suit = suit;
    each.replaceChildren(...(suit ? [slot(false, suit).firstChild] : []));
    each.className = suit ? `full ${suit}` : "";
  });
  tray.setAttribute("aria-label", t("table.gone", { count: gone.length, of: tray.children.length }));
}

/** Let *element* lie above its neighbours while something glides to it. */
function raise(element) {
  clearTimeout(element.lowered);
  element.classList.add("raised");
  element.lowered = setTimeout(() => element.classList.remove("raised"), ms("--move") + 40);
}
