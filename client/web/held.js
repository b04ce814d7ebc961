// A run in the hand: a copy that follows the pointer, while pale prints keep its place.

import { still, ms } from "./motion.js";

/** So far above the finger it floats. */
const FLOAT_PX = 24;

/** So much of a card has to lie over a pile for it to be meant; less will do where it takes the run. */
const MEANT = 0.3;
const TAKEN = 0.12;

export class Held {
  #view;
  #cards;
  #element;
  #zones;
  #origin;
  #box;

  /** Take up the run at *place*, of *view*; *touch*: by a finger, above which it floats. */
  constructor(view, { pile, count }, touch) {
    this.#view = view;
    this.#cards = view.run(pile, count);
    this.#box = this.#cards[0].getBoundingClientRect();
    const layout = view.layout.getBoundingClientRect();
    this.#origin = { x: this.#box.left - layout.left, y: this.#box.top - layout.top };
    this.float = touch ? -FLOAT_PX : 0;
    this.#zones = view.piles.map(({ name, element }) => ({ name, box: element.getBoundingClientRect() }));
    this.#element = this.#copy(pile);
    for (const card of this.#cards) card.classList.add("lifted");
    this.move(0, 0);
    view.layout.append(this.#element);
  }

  #copy(pile) {
    const element = document.createElement("div");
    const shade = document.createElement("div");
    element.className = "held";
    element.inert = true;
    shade.className = "shade";
    element.style.setProperty("--n", Math.max(1, this.#view.pile(pile).cards.length));
    element.style.setProperty("--k", this.#cards.length);
    element.append(shade, ...this.#cards.map(copied));
    return element;
  }

  /** Follow the pointer, which is so far from where it took the run up. */
  move(x, y) {
    this.x = x;
    this.y = y + this.float;
    this.#element.style.setProperty("translate", `${this.#origin.x + this.x}px ${this.#origin.y + this.y}px`);
  }

  /** @returns {string | null} the pile that is meant: one of *targets* rather than any other. */
  over(targets) {
    const wide = this.#zones.map(({ name, box }) => ({ name, share: this.#share(box) })).sort((a, b) => b.share - a.share);
    const taking = wide.find(({ name, share }) => share > TAKEN && targets?.includes(name));
    return (taking ?? wide.find(({ share }) => share > MEANT))?.name ?? null;
  }

  /** @returns {number} how much of the first card lies over *zone*, from 0 to 1. */
  #share(zone) {
    const { left, top, width, height } = this.#box;
    const across = Math.min(left + this.x + width, zone.right) - Math.max(left + this.x, zone.left);
    const down = Math.min(top + this.y + height, zone.bottom) - Math.max(top + this.y, zone.top);
    return across > 0 && down > 0 ? (across * down) / (width * height) : 0;
  }

  /** Whether the run still lies where it was taken from. */
  lies({ pile, count }) {
    return this.#view.run(pile, count).every((card, place) => card === this.#cards[place]);
  }

  /** Let go: the cards are where the table has them. */
  drop() {
    this.#element.remove();
    for (const card of this.#cards) card.classList.remove("lifted");
  }

  /** Glide back to where the run came from, then let go. */
  home() {
    if (still()) return this.drop();
    const [from, to] = [this.#element.style.translate, `${this.#origin.x}px ${this.#origin.y}px`];
    const end = { translate: to, rotate: "0deg", scale: 1 };
    const options = { duration: ms("--move"), easing: "cubic-bezier(.2, .8, .2, 1)", fill: "forwards", id: "home" };
    const way = this.#element.animate([{ translate: from }, end], options);
    way.finished.then(() => this.drop(), () => this.drop());
  }
}

function copied(card, place) {
  const copy = card.cloneNode(true);
  copy.classList.remove("chosen", "lifted", "refused", "hinted");
  copy.classList.toggle("joined", place > 0 && card.classList.contains("joined"));
  copy.style.setProperty("--i", place);
  return copy;
}
