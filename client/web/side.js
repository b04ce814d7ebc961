// One attempt of a replay: whose it is, where it stands, its table and its moves.

import { el, say } from "./dom.js";
import { isMove, plyAt } from "./moments.js";
import { back } from "./moving.js";
import { colour, initial } from "./seats.js";
import { TableView } from "./table.js";
import { t } from "./texts.js";

/** Steps of so many entries are shown as movement; what lies further away is laid at once. */
const GLIDE = 3;

/** A longer log is not listed. */
const LISTED = 2000;

export class Side {
  #attempt;
  #table;
  #ply = null;
  #nums = el("span", { class: "nums" });
  #said = el("span", { class: "tag" });
  #moves;

  /** @param {(time: number) => void} onpick a move of the list was chosen */
  constructor(attempt, onpick) {
    this.#attempt = attempt;
    this.#table = new TableView({ game: attempt.game, live: false, label: t("replay.tableOf", { name: attempt.name }) });
    this.#moves = attempt.moments.length <= LISTED ? list(attempt.moments, onpick) : null;
    const who = el("a", { class: "who", href: attempt.player ? `/player/${attempt.player}` : null }, attempt.name);
    const dot = el("span", { class: "dot", "aria-hidden": "true" }, initial(attempt.name));
    const head = el("header", {}, dot, who, this.#said, this.#nums, this.#table.tray);
    this.element = el("section", { class: `side ${colour(attempt.seat)}` }, head, this.#table.element, this.#moves);
  }

  /** Show the table as it lay at *time*. */
  show(time) {
    const { moments } = this.#attempt, ply = plyAt(moments, time);
    if (ply === this.#ply) return;
    const moment = moments[ply];
    this.#table.show(moment.position, { joined: moment.joined, ...this.#movement(ply) });
    this.#ply = ply;
    this.element.dataset.ply = ply;
    say(this.#nums, numbers(this.#attempt.game, moment));
    say(this.#said, remark(moment));
    this.#said.hidden = !this.#said.textContent;
    this.#mark(ply);
  }

  /** @returns {object} the steps from what is shown to *ply*; none where it is far or a deal is laid anew on the way. */
  #movement(ply) {
    const { moments } = this.#attempt, from = this.#ply ?? ply;
    const between = moments.slice(Math.min(from, ply) + 1, Math.max(from, ply) + 1);
    if (!between.length || between.length > GLIDE || between.some((each) => each.entry === "restart")) return { cause: "laid" };
    const steps = between.flatMap((each) => each.steps);
    return { steps: ply > from ? steps : back(moments[ply].position, steps), cause: "replay" };
  }

  #mark(ply) {
    if (!this.#moves) return;
    this.#moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const entry = this.#moves.children[ply];
    entry.setAttribute("aria-current", "step");
    this.#moves.scrollTop = entry.offsetTop - this.#moves.clientHeight / 2;
  }
}

/** @returns {string} "34 joined · move 33". */
function numbers(game, { progress, moves }) {
  const told = [t("replay.move", { count: moves })];
  if (progress !== null) told.unshift(t(`replay.progress_${game}`, { count: progress }));
  return told.join(" · ");
}

/** @returns {string} what is to be said of an entry besides what it moved. */
function remark({ entry, undone }) {
  if (entry && !isMove(entry)) return t(`replay.entry_${entry}`);
  return undone ? t("replay.undone") : "";
}

/** @returns {HTMLElement} all entries, those that were taken back struck out; a click goes there. */
function list(moments, onpick) {
  const entries = moments.map(({ entry, undone }) => {
    const text = entry === "" ? t("replay.deal") : isMove(entry) ? entry : t(`replay.entry_${entry}`);
    return el("li", { class: isMove(entry) ? "move" : "word" }, undone ? el("s", {}, text) : text);
  });
  const choose = (event) => {
    const place = entries.indexOf(event.target.closest("li"));
    if (place >= 0) onpick(moments[place].time);
  };
  return el("ol", { class: "moves", "aria-label": t("replay.moves"), tabindex: "0", onclick: choose }, ...entries);
}
