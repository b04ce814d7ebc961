// An attempt played on a table: what is lifted, chosen, dropped and typed becomes a move, what the attempt tells is shown.

import { Keys } from "./keys.js";
import { moveText, step } from "./moving.js";
import { PILES } from "./protocol.js";
import { Pointer } from "./pointer.js";
import { sound } from "./sound.js";
import { chosenText, told } from "./telling.js";

/** The longest run that can be asked for. */
const LONGEST = 13;

/**
 * Let *attempt* be played on *view*. *onrefusal* is told what the server refused, *announce* a sentence for screen
 * readers, *ontyped* what is typed of a move. Returns what ends it.
 */
export function bind(view, attempt, { settings, onrefusal = () => {}, announce = () => {}, ontyped = null } = {}) {
  const player = new Player(view, attempt, { settings, onrefusal, announce });
  const pointer = new Pointer(view, player);
  const keys = new Keys(view, attempt, player, { pointer, ontyped });
  const stop = attempt.on((change) => {
    player.take(change);
    pointer.check();
    keys.read();
  });
  player.take({ cause: "laid", steps: [], item: null });
  return () => {
    stop();
    pointer.end();
    keys.end();
    player.putDown();
  };
}

class Player {
  #view;
  #attempt;
  #settings;
  #onrefusal;
  #announce;
  #chosen = null;
  #landed = null;

  constructor(view, attempt, { settings, onrefusal, announce }) {
    this.#view = view;
    this.#attempt = attempt;
    this.#settings = settings;
    this.#onrefusal = onrefusal;
    this.#announce = announce;
  }

  // A run in the hand

  /** @returns {boolean} whether the run at *place* can be taken up; where it can go is lit. */
  lift(place) {
    this.putDown();
    if (!this.#attempt.isRun(place.pile, place.count)) {
      this.#ask(place);
      return false;
    }
    this.lit(place);
    return true;
  }

  /** Light where the run at *place* can go, as far as that is known and wanted. */
  lit({ pile, count, card }) {
    const targets = this.#settings.get("placementHelp") ? this.#attempt.targets(pile, count) : null;
    this.#view.light(targets ?? [], card.dataset.card[1]);
  }

  /** Let the *held* run of *place* go where it is. */
  drop(place, held) {
    const { pile, count } = place;
    const targets = this.#attempt.targets(pile, count);
    const over = held.over(targets);
    this.#view.light();
    if (over === pile) return held.home();
    if (over && (targets?.includes(over) ?? true)) return this.#rest(held, moveText(pile, over, count));
    if (this.#settings.get("autoPlacement") && (!targets || targets.length)) {
      held.drop();
      return this.#attempt.playBest(pile, count);
    }
    held.home();
    if (over) this.#refused(place, () => this.#attempt.play(moveText(pile, over, count)));
  }

  /** Lay the held run down on its target, where it is from this frame on. */
  #rest(held, move) {
    if (!this.#attempt.playing) return held.home();
    held.drop();
    return this.#attempt.play(move, true);
  }

  /** Put the *held* run back. */
  letGo(held) {
    this.#view.light();
    held.home();
  }

  // Tap and tap

  /** Choose what is tapped, or move what is chosen there; return whether that was a move. */
  tap(place) {
    const chosen = this.#chosen;
    if (!chosen) return this.#choose(place);
    if (chosen.pile !== place.pile) return this.#to(place);
    this.putDown();
    return chosen.count === place.count ? false : this.#choose(place);
  }

  /** Play the run at *place* to its best target; return whether that is what a double tap does here. */
  best({ pile, count, card }) {
    if (!this.#settings.get("doubleTap") || !card || pile === "h") return false;
    this.putDown();
    const nowhere = this.#attempt.targets(pile, count)?.length === 0;
    if (nowhere) this.#ask({ pile, count, card });
    else this.#attempt.playBest(pile, count);
    return true;
  }

  #choose(place) {
    if (!place.card || place.pile === "h") return false;
    if (!this.#attempt.isRun(place.pile, place.count)) {
      this.#ask(place);
      return false;
    }
    this.#chosen = place;
    this.#view.choose(place.pile, place.count);
    this.lit(place);
    this.#announce(chosenText(place, this.#attempt.targets(place.pile, place.count)));
    return false;
  }

  #to(place) {
    const { pile, count } = this.#chosen;
    const other = this.#attempt.targets(pile, count)?.includes(place.pile) === false && this.#canMove(place);
    this.putDown();
    if (other) return this.#choose(place);
    this.#play(pile, place.pile, count);
    return true;
  }

  /** Play what was typed: *move*. */
  type(move) {
    const { source, target, count } = step(move);
    this.putDown();
    this.#play(source, target, count);
  }

  #play(pile, target, count) {
    const move = () => this.#attempt.play(moveText(pile, target, count));
    if (this.#attempt.targets(pile, count)?.includes(target) ?? true) move();
    else this.#refused({ pile, count }, move);
  }

  /** Whether a tap on *place* rather means another run: the light says that this one does not go there. */
  #canMove({ pile, count }) {
    return this.#settings.get("placementHelp") && this.#attempt.targets(pile, count)?.length > 0;
  }

  /** Put the chosen run down; return whether there was one. */
  putDown() {
    const chosen = this.#chosen;
    this.#chosen = null;
    this.#view.choose();
    this.#view.light();
    return Boolean(chosen);
  }

  // Refusals

  /** Let the server say what is wrong with taking up what lies at *place*. */
  #ask(place) {
    this.#refused(place, place.count <= LONGEST && place.pile !== "h" && (() => this.#attempt.playBest(place.pile, place.count)));
  }

  /** Refuse here what can't be; with interactive rules the server is asked, and refuses it with the rule. */
  #refused({ pile, count }, ask) {
    const asks = ask && this.#settings.get("interactiveRules") && this.#attempt.playing && this.#attempt.waiting === 0;
    if (asks && ask()) return;
    this.#shake(pile, count);
  }

  #shake(pile, count) {
    this.#view.refuse(pile, count);
    sound.play("refused");
    sound.buzz([30]);
  }

  // What the attempt tells

  /** Show what has changed. */
  take({ cause, steps, refused = null, hinted = null, item }) {
    const { table, joined } = this.#attempt;
    if (table) this.#view.show(table, { joined, steps, cause, dropped: cause === "own" && item.dropped });
    if (this.#chosen && !this.#stillThere(this.#chosen)) this.putDown();
    else if (this.#chosen) this.lit(this.#chosen);
    if (hinted) this.#view.hint(hinted);
    this.#sound(cause, steps);
    if (refused) this.#tellRefusal(refused, item);
    const sentence = table && told({ cause, steps, hinted, item }, table, this.#view);
    if (sentence) this.#announce(sentence);
  }

  #stillThere({ pile, count, card }) {
    return this.#attempt.playing && this.#view.run(pile, count)[0] === card;
  }

  #tellRefusal(refused, item) {
    const run = item.move ? step(item.move) : item.run;
    if (run) this.#shake(run.source, run.count);
    if (this.#settings.get("interactiveRules") || !refused.rule) this.#onrefusal(refused);
  }

  /** A tick for a card laid down; a higher one once the server says that it lies joined. */
  #sound(cause, steps) {
    const laid = steps.at(-1);
    if (cause === "taken-back" || cause === "dealt") this.#landed = null;
    else if (laid && this.#finishes(laid)) sound.play("gone");
    else if (laid) {
      sound.play("down");
      const { target, count } = step(laid);
      this.#landed = { place: PILES.indexOf(target), count };
    }
    const marks = this.#landed && this.#attempt.choices && this.#attempt.joined[this.#landed.place];
    if (marks?.at(-this.#landed.count) === "1") sound.play("joined");
    if (this.#attempt.choices) this.#landed = null;
  }

  /** Whether *step* takes a sequence away or fills a foundation. */
  #finishes(text) {
    const { target, count } = step(text);
    return target === "h" && (count > 1 || this.#attempt.table.home.some((cards) => cards === LONGEST));
  }
}
