// Mouse, finger or pen on a table: what is a tap, what a drag, what a double tap.

import { Held } from "./held.js";

/** Farther than this it is a drag. */
const STEADY_PX = { mouse: 4, pen: 5, touch: 7 };

/** Two taps on a card within this are a double tap. */
const DOUBLE_MS = 350;

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
    this.#view.settle();
    const place = this.#view.place(event.target);
    this.#grip = { id: event.pointerId, place, x: event.clientX, y: event.clientY, held: null, spent: !place };
    this.#view.element.setPointerCapture(event.pointerId);
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
    else if (!grip.spent) this.#tap(grip.place);
  }

  #tap(place) {
    const now = performance.now();
    const twice = place.card && place.card === this.#tapped.card && now - this.#tapped.at < DOUBLE_MS;
    const moved = twice && this.#player.best(place) ? true : this.#player.tap(place);
    this.#tapped = { card: moved ? null : place.card, at: now };
  }
}
