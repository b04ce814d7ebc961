// A table played by keyboard: arrows, space and enter; moves typed as in move text; letters for what else can be asked.

import { PILES } from "./protocol.js";
import { moveText } from "./moving.js";

const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];
const RUN = /^[1-9a-d]$/;
const FIELDS = "input, textarea, select, [contenteditable]";

export class Keys {
  #view;
  #attempt;
  #player;
  #pointer;
  #ontyped;
  #chip;
  #typed = "";
  /** A move was played as soon as it was the only one: a count that is typed behind it is none of the next move. */
  #swallows = "";
  #listening = new AbortController();
  #commands;

  constructor(view, attempt, player, { pointer, ontyped }) {
    this.#view = view;
    this.#attempt = attempt;
    this.#player = player;
    this.#pointer = pointer;
    this.#chip = document.createElement("output");
    this.#chip.className = "typed";
    if (!ontyped) view.element.append(this.#chip);
    this.#ontyped = ontyped ?? ((text) => (this.#chip.textContent = text));
    this.#commands = { u: () => attempt.undo(), r: () => attempt.redo(), h: () => attempt.hint(), g: () => attempt.gather() };
    const { signal } = this.#listening;
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    view.element.addEventListener("focusin", ({ target }) => view.place(target) && view.focus(target), { signal });
    // A click without a pointer is a screen reader's.
    view.element.addEventListener("click", (event) => event.detail === 0 && this.#press(event.target), { signal });
  }

  end() {
    this.#listening.abort();
    this.#chip.remove();
  }

  #key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.(FIELDS) || document.querySelector("dialog[open]")) return;
    if (this.#handles(event)) event.preventDefault();
  }

  /** @returns {boolean} whether the key was meant for the table. */
  #handles(event) {
    const { key } = event;
    const inside = this.#view.element.contains(event.target);
    if (key === "Escape") return this.#escape();
    if (key === "Backspace") return this.#type(this.#typed.slice(0, -1), this.#typed !== "");
    if (key === "Enter" && this.#typed) return this.#enter();
    if (inside && (key === "Enter" || key === " ")) return !event.repeat && this.#press(event.target);
    if (ARROWS.includes(key) && (inside || event.target === document.body)) return this.#go(key);
    return this.#character(character(event), event.repeat);
  }

  #escape() {
    const typed = this.#typed !== "";
    this.#type("");
    return [this.#pointer.cancel(), this.#player.putDown(), typed].some(Boolean);
  }

  #press(element) {
    const place = this.#view.place(element);
    if (place) this.#player.tap(place);
    return Boolean(place);
  }

  // The focus

  #go(key) {
    const here = this.#view.place(document.activeElement);
    const next = here ? this.#next(here, key) : this.#view.layout.querySelector('[tabindex="0"]');
    if (next) this.#view.focus(next);
    return true;
  }

  /** @returns {HTMLElement} where the focus goes from *here*: piles side by side, a column's cards above each other. */
  #next({ card, index }, key) {
    const pile = this.#view.piles.find(({ element }) => element.contains(document.activeElement));
    const [above, columns] = [this.#row(false), this.#row(true)];
    const inColumn = columns.includes(pile);
    const row = inColumn ? columns : above;
    if (key === "Home") return first(pile);
    if (key === "End") return free(pile);
    if (key === "ArrowLeft") return free(row.at(row.indexOf(pile) - 1));
    if (key === "ArrowRight") return free(row[(row.indexOf(pile) + 1) % row.length]);
    const next = inColumn && card && pile.cards[index + (key === "ArrowUp" ? -1 : 1)];
    if (next) return next;
    if (inColumn && key === "ArrowUp" && above.length) return free(opposite(pile, columns, above));
    if (!inColumn && key === "ArrowDown") return first(opposite(pile, above, columns));
    return document.activeElement;
  }

  #row(columns) {
    return this.#view.piles.filter(({ name }) => PILES.indexOf(name) < 10 === columns);
  }

  // Typing

  #character(key, repeated) {
    if (this.#swallow(key)) return true;
    if (this.#continues(key)) return this.#type(this.#typed + key);
    const command = this.#commands[key];
    if (!command || repeated) return false;
    this.#type("");
    command();
    return true;
  }

  /** Whether *key* belongs to the count of a move that is played already. */
  #swallow(key) {
    const count = this.#swallows === "count" && RUN.test(key);
    const mark = this.#swallows === "mark" && key === "v";
    this.#swallows = mark ? "count" : "";
    return mark || count;
  }

  /** Whether *key* goes on with what is typed. */
  #continues(key) {
    const length = this.#typed.length;
    if (length >= 2 && this.#typed[2] !== "v") return key === "v" || this.#starts(key);
    if (length >= 3) return RUN.test(key);
    return length === 1 ? this.#view.pile(key) !== undefined || key === "h" : this.#starts(key);
  }

  #starts(key) {
    return key !== "h" && this.#view.pile(key) !== undefined;
  }

  #type(text, handled = true) {
    this.#typed = text;
    this.read();
    return handled;
  }

  #enter() {
    const move = this.#typed;
    if (move.length === 2) this.#play(move, "");
    return true;
  }

  /** Play what is typed, as far as it is known what is meant: it waits for the choices of a table that is on its way. */
  read() {
    const choices = this.#attempt.choices;
    const [source, target, mark, count] = this.#typed;
    if (choices && target) {
      const counts = choices.filter((each) => each.source === source && each.targets.includes(target)).map((each) => each.count);
      if (count) this.#play(this.#typed.slice(0, 4), this.#typed.slice(4));
      else if (!mark && counts.length === 1) this.#play(moveText(source, target, counts[0]), "", "mark");
      else if (!mark && counts.length === 0) this.#play(source + target, "", "mark");
      else if (mark && mark !== "v") this.#play(moveText(source, target, Math.min(...counts)), this.#typed.slice(2));
      else this.#ontyped(this.#typed);
    } else this.#ontyped(this.#typed);
  }

  #play(move, rest, swallows = "") {
    this.#typed = rest;
    this.#swallows = rest ? "" : swallows;
    this.#player.type(move);
    this.#ontyped(this.#typed);
  }
}

const free = ({ cards, slot }) => cards.at(-1) ?? slot;
const first = ({ cards, slot }) => cards[0] ?? slot;

/** @returns {object} the pile of *other* that lies where *pile* lies in *row*. */
function opposite(pile, row, other) {
  const share = row.indexOf(pile) / Math.max(1, row.length - 1);
  return other[Math.round(share * (other.length - 1))];
}

/** @returns {string} the key as in Latin letters: on other keyboards by its place. */
function character({ key, code }) {
  if (key.length !== 1) return "";
  return /[ -~]/.test(key) ? key.toLowerCase() : code.replace(/^(Key|Digit)/, "").toLowerCase();
}
