// The own table in a room: drawn when there is something on it, and played on while this page has the seat.

import { announce, toast } from "./dom.js";
import { bind } from "./input.js";
import { settings } from "./settings.js";
import { TableView } from "./table.js";
import { refusalText, t } from "./texts.js";

export class OwnTable {
  #room;
  #place;
  #unbind = null;
  view = null;

  /** The table lies in *place*; *onchange* is called after every change of the attempt. */
  constructor(room, place, onchange) {
    this.#room = room;
    this.#place = place;
    room.attempt.onchange = () => {
      this.#draw();
      onchange();
    };
    this.#draw();
  }

  /** While another tab has the seat nothing can be moved here. */
  connected() {
    this.#release();
    this.#draw();
  }

  end() {
    this.#room.attempt.onchange = () => {};
    this.#clear();
  }

  #draw() {
    const { attempt, view, connection } = this.#room;
    const { game } = view.options;
    if (!attempt.table || this.game !== game) this.#clear();
    if (!attempt.table) return;
    this.game = game;
    if (!this.view) this.#place.replaceChildren((this.view = new TableView({ game, live: true, label: t("table.yours") })).element);
    if (connection.state !== "taken-over") this.#unbind ??= bind(this.view, attempt, { settings, onrefusal, announce });
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

const onrefusal = (refused) => toast(refusalText(refused), { more: refused.rule, ms: 5000 });
