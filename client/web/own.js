// The own table in a room: drawn when there is something on it, and played on while this page has the seat.

import { announce, toast } from "./dom.js";
import { bind } from "./input.js";
import { settings } from "./settings.js";
import { TableView } from "./table.js";
import { refusalText, t } from "./texts.js";

export class OwnTable {
  #room;
  #place;
  #game = "";
  #unbind = null;
  view = null;

  /** *place* is the element in which the table lies; *onchange* is called after every change of the attempt. */
  constructor(room, place, onchange = () => {}) {
    this.#room = room;
    this.#place = place;
    room.attempt.onchange = (change) => {
      this.update();
      onchange(change);
    };
    this.update();
  }

  /** Draw what there is to draw. */
  update() {
    const { attempt, view, connection } = this.#room;
    if (!attempt.table) return this.#clear();
    if (this.#game !== view.options.game) this.#clear();
    if (!this.view) this.#make(view.options.game);
    if (connection.state !== "taken-over") this.#bind();
  }

  /** While another tab has the seat nothing can be moved here. */
  connected(state) {
    if (state === "taken-over") this.#release();
    else this.update();
  }

  end() {
    this.#room.attempt.onchange = () => {};
    this.#clear();
  }

  #make(game) {
    this.#game = game;
    this.view = new TableView({ game, live: true, label: t("table.yours") });
    this.#place.replaceChildren(this.view.element);
  }

  #bind() {
    const onrefusal = (refused) => toast(refusalText(refused), { more: refused.rule, ms: 5000 });
    this.#unbind ??= bind(this.view, this.#room.attempt, { settings, onrefusal, announce });
  }

  #release() {
    this.#unbind?.();
    this.#unbind = null;
  }

  #clear() {
    this.#release();
    this.view = null;
    this.#place.replaceChildren();
  }
}
