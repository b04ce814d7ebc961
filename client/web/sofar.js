// The race so far: everyone's progress over time, as the standings have told it; where the screen has space.

import { el, style } from "./dom.js";
import { GAMES } from "./protocol.js";
import { t } from "./texts.js";
import { nameOf } from "./view.js";

const wide = matchMedia("(min-width: 900px) and (min-height: 521px)");
const DRAWN_EVERY_MS = 1_000;
const LEAST_MS = 30_000;

/** @returns {{element, update(), end()}} the picture of *room*'s race by the clock *time*. */
export function picture(room, time) {
  const points = new Map();
  const place = el("div");
  let chart = null;

  function update() {
    for (const { seat, progress } of room.view.rows) {
      const line = points.get(seat) ?? [];
      if (line.at(-1)?.[1] !== progress) points.set(seat, [...line, [line.length ? Math.round(time.now()) : 0, progress]]);
    }
  }

  function told() {
    const { view } = room;
    const lines = view.rows.map(({ seat, state }) => ({
      name: nameOf(view, seat),
      seat,
      points: points.get(seat) ?? [],
      own: seat === view.seat,
      solved: state === "solved",
      over: state !== "playing",
    }));
    return { lines, top: GAMES[view.options.game].top, until_ms: Math.max(LEAST_MS, time.now()), live: true };
  }

  async function draw() {
    if (!wide.matches || !room.view.rows.length) return;
    if (!chart) {
      const [module] = await Promise.all([import("./chart.js"), style("/look.css")]);
      chart = module.chart(told());
      place.replaceChildren(chart);
    }
    chart.update(told());
  }

  const beat = setInterval(() => draw().catch(() => {}), DRAWN_EVERY_MS); // what can't be loaded now may be later
  return { element: el("section.sofar.panel", el("h2", t("race.soFar")), place), update, end: () => clearInterval(beat) };
}
