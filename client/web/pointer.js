// Mouse, finger or pen on a table: what is a tap, what a drag, what a double tap.

import { el } from "./dom.js";
import { OUT, ms, still } from "./motion.js";

/** Farther than this it is a drag. */
const STEADY_PX = { mouse: 4, pen: 5, touch: 7 };

/** Two taps on a card within this are a double tap. */
const DOUBLE_MS = 350;

/** So far above the finger it floats. */
const FLOAT_PX = 24;

/** So much of a card has to lie over a pile for it to be meant; less will do where it takes the run. */
const MEANT = 0.3;
const TAKEN = 0.12;

export class Pointer {
  #view;
  #player;
  #grip = null;
  #tapped = { card: null, at: 0 };
  #listening = new AbortController();

  /** *player* is asked what can be lifted, and told what is tapped and dropped. */
  constructor(view, player) {
    this.#view = view;
    this.#player = player;
    const { signal } = this.#listening;
    const on = (name, listener) => view.element.addEventListener(name, listener, { signal });
    on("pointerdown", (event) => this.#down(event));
    on("pointermove", (event) => this.#move(event));
    on("pointerup", (event) => this.#up(event));
    on("pointercancel", (event) => this.#grip?.id === event.pointerId && this.cancel());
    on("contextmenu", (event) => event.preventDefault());
    on("dragstart", (event) => event.preventDefault());
  }

  /** Put the held run back. */
  cancel() {
    const grip = this.#grip;
    this.#grip = null;
    if (grip?.held) this.#player.letGo(grip.held);
    return Boolean(grip?.held);
  }

  /** The table has changed: what is held may not lie there any more. */
  check() {
    const { held, place } = this.#grip ?? {};
    if (held && !held.lies(place)) this.cancel();
    else if (held) this.#player.lit(place);
  }

  end() {
    this.cancel();
    this.#listening.abort();
  }

  #down(event) {
    if (event.button || this.#grip) return;
    const place = this.#view.place(this.#under(event));
    this.#grip = { id: event.pointerId, place, x: event.clientX, y: event.clientY, held: null, spent: !place };
    this.#view.element.setPointerCapture(event.pointerId);
  }

  /** @returns {Element} what is meant: the card under way that was hit, or what lies there once all have arrived. */
  #under({ target, clientX, clientY }) {
    const flies = target.closest(".card")?.getAnimations().some(({ id }) => id);
    this.#view.settle();
    return flies ? target : document.elementFromPoint(clientX, clientY);
  }

  #move(event) {
    const grip = this.#grip;
    if (grip?.id !== event.pointerId || grip.spent) return;
    const [x, y] = [event.clientX - grip.x, event.clientY - grip.y];
    if (!grip.held && Math.hypot(x, y) > (STEADY_PX[event.pointerType] ?? 5)) this.#lift(grip, event.pointerType === "touch");
    grip.held?.move(x, y);
  }

  #lift(grip, touch) {
    this.#tapped.card = null;
    grip.spent = !grip.place.card || !this.#player.lift(grip.place);
    if (!grip.spent) grip.held = new Held(this.#view, grip.place, touch);
  }

  #up(event) {
    const grip = this.#grip;
    if (grip?.id !== event.pointerId) return;
    this.#grip = null;
    if (grip.held) this.#player.drop(grip.place, grip.held);
    else if (!grip.place) this.#player.putDown();
    else if (!grip.spent) this.#tap(grip.place, event.timeStamp);
  }

  #tap(place, at) {
    const twice = place.card && place.card === this.#tapped.card && at - this.#tapped.at < DOUBLE_MS;
    const moved = twice && this.#player.best(place) ? true : this.#player.tap(place);
    this.#tapped = { card: moved ? null : place.card, at };
  }
}

/** A run in the hand: a copy that follows the pointer, while pale prints keep its place. */
class Held {
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
    const vars = { "--n": Math.max(1, this.#view.pile(pile).cards.length), "--k": this.#cards.length };
    return el("div.held", { inert: true, vars }, el("div.shade", null), this.#cards.map(copied));
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

  /** Whether it has not been carried far. */
  get near() {
    return Math.hypot(this.x, this.y - this.float) < this.#box.height;
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
    const options = { duration: ms("--move"), easing: OUT, fill: "forwards", id: "home" };
    const way = this.#element.animate([{ translate: from }, end], options);
    way.finished.finally(() => this.drop());
  }
}

function copied(card, place) {
  const copy = card.cloneNode(true);
  copy.classList.remove("chosen", "lifted", "refused", "hinted");
  copy.classList.toggle("joined", place > 0 && card.classList.contains("joined"));
  copy.style.setProperty("--i", place);
  return copy;
}
