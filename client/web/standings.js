// The live standings: a line each, the best first, one's own always to be found.

import { el, say } from "./dom.js";
import { stateName } from "./options.js";
import { GAMES } from "./protocol.js";
import { colour } from "./seats.js";
import { clock, number, t } from "./texts.js";
import { nameOf } from "./view.js";

const GLIDE_MS = 240;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** @returns {HTMLElement} the list of *view*'s standings; its `update` takes a newer view. */
export function standings(view) {
  const list = el("ol.standings", { "aria-label": t("race.standings") });
  const lines = new Map();
  list.update = (now) => {
    const before = new Map([...lines].map(([seat, line]) => [seat, line.offsetTop]));
    const close = near(now);
    for (const row of now.rows) {
      if (!lines.has(row.seat)) lines.set(row.seat, makeLine(now, row.seat));
      fill(lines.get(row.seat), row, now, close);
    }
    const order = now.rows.map(({ seat }) => lines.get(seat));
    if (order.every((line, place) => list.children[place] === line)) return;
    list.replaceChildren(...order);
    if (!calm.matches) for (const [seat, top] of before) glide(lines.get(seat), top);
  };
  list.update(view);
  return list;
}

/** @returns {number | undefined} the seat just ahead of one's own; for the leader the one behind. */
function near({ rows, seat }) {
  const own = rows.findIndex((row) => row.seat === seat);
  return rows[own > 0 ? own - 1 : 1]?.seat;
}

function makeLine(view, seat) {
  const own = seat === view.seat;
  return el(
    `li.row.${colour(seat)}${own ? ".me" : ""}`,
    { vars: { "--of": GAMES[view.options.game].top } },
    el("span.place"),
    el("span.who", nameOf(view, seat), own && el("span.gone-sr", ` (${t("page.you")})`)),
    el("span.nums", el("b"), el("small", el("span"), el("span.full"))),
    el("span.bar", el("i")),
  );
}

function fill(line, { seat, place, state, score, moves, progress, elapsed_ms }, view, close) {
  const [placed, , nums, bar] = line.children;
  const [best, more] = nums.children;
  const ended = ["solved", "playing"].includes(state) ? "" : stateName(state);
  line.classList.toggle("ahead", seat === close);
  line.classList.toggle("away", !view.seats.some((each) => each.seat === seat && each.connected));
  say(placed, place === null ? "–" : number(place));
  say(best, state === "solved" ? clock(elapsed_ms) : number(score));
  say(more.children[0], ` · ${ended || number(moves)}`);
  say(more.children[1], ended ? "" : ` ${t("race.movesWord", { count: moves })}`);
  bar.firstChild.style.setProperty("--v", progress);
}

/** Let *line* glide from where its top was. */
function glide(line, top) {
  const from = `0 ${top - line.offsetTop}px`;
  if (top !== line.offsetTop) line.animate([{ translate: from }, { translate: "0 0" }], { duration: GLIDE_MS, easing: "ease-out" });
}
