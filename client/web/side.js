// One attempt of a replay: whose it is, where it stands, its table and its moves.

import { el, say } from "./dom.js";
import { isMove, plyAt } from "./moments.js";
import { back } from "./moving.js";
import { colour, dot } from "./seats.js";
import { TableView } from "./table.js";
import { t } from "./texts.js";

/** So many entries are shown as movement; what lies further away is laid at once. */
const GLIDE = 3;

/** A longer log is not listed. */
const LISTED = 2000;

export class Side {
  #attempt;
  #table;
  #ply = null;
  #nums = el("span.nums");
  #remark = el("span.tag");
  #list;

  /** *onpick* is called with the time of a move that was chosen in the list. */
  constructor(attempt, onpick) {
    const { moments, game, name, player, seat } = attempt;
    this.#attempt = attempt;
    this.#table = new TableView({ game, label: t("replay.tableOf", { name }) });
    this.#list = moments.length <= LISTED && list(moments, onpick);
    const who = el("a.who", { href: player && `/player/${player}` }, name);
    const head = el("header", dot(seat, name), who, this.#remark, this.#nums, this.#table.tray);
    this.element = el(`section.side.${colour(seat)}`, head, this.#table.element, this.#list);
  }

  /** Show the table as it lay at *time*. */
  show(time) {
    const { moments, game } = this.#attempt, ply = plyAt(moments, time);
    if (ply === this.#ply) return;
    const { position, joined, progress, moves, entry, undone } = moments[ply];
    this.#table.show(position, { joined, ...this.#movement(ply) });
    this.#ply = this.element.dataset.ply = ply;
    say(this.#nums, `${t(`replay.progress_${game}`, { count: progress })} · ${t("replay.move", { count: moves })}`);
    say(this.#remark, entry && !isMove(entry) ? t(`replay.entry_${entry}`) : undone ? t("replay.undone") : "");
    this.#remark.hidden = !this.#remark.textContent;
    if (this.#list) this.#mark(ply);
  }

  /** @returns {object} the steps from what is shown to *ply*; none where it is far or a deal is laid anew on the way. */
  #movement(ply) {
    const { moments } = this.#attempt, from = Number(this.#ply ?? ply);
    const between = moments.slice(Math.min(from, ply) + 1, Math.max(from, ply) + 1);
    if (!between.length || between.length > GLIDE || between.some(({ entry }) => entry === "restart")) return { cause: "laid" };
    const steps = between.flatMap((each) => each.steps);
    return { steps: ply > from ? steps : back(moments[ply].position, steps) };
  }

  #mark(ply) {
    const entry = this.#list.children[ply];
    this.#list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    entry.setAttribute("aria-current", "step");
    this.#list.scrollTop = entry.offsetTop - this.#list.clientHeight / 2;
  }
}

/** @returns {HTMLElement} all entries, those that were taken back struck out; a click goes there. */
function list(moments, onpick) {
  const entries = moments.map(({ entry, undone }) => {
    if (!isMove(entry)) return el("li.word", t(entry ? `replay.entry_${entry}` : "replay.deal"));
    return el("li", el(undone ? "s" : "span", entry));
  });
  const onclick = ({ target }) => moments[entries.indexOf(target.closest("li"))] && onpick(moments[entries.indexOf(target.closest("li"))].time);
  return el("ol.moves", { "aria-label": t("replay.moves"), tabindex: "0", onclick }, entries);
}
