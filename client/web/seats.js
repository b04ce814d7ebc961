// Who is here: seats with their ready marks, spectators, what is free.

import { button, el, icon } from "./dom.js";
import { t } from "./texts.js";

const COLOURS = 8;

/** @returns {string} the first sign of a name, to stand in a dot. */
export const initial = (name) => [...name][0]?.toUpperCase() ?? "";

/** @returns {HTMLElement} the dot of a seat. */
export const dot = (seat, name) => el(`span.dot.${colour(seat)}`, { "aria-hidden": "true" }, initial(name));

/** @returns {string} the class that gives a seat its colour. */
export const colour = (seat) => `p${(seat % COLOURS) + 1}`;

/** @returns {HTMLElement} the list of a room's people; *onpick* is called with whoever the host picks. */
export function people(onpick) {
  const list = el("ul.who-is", { "aria-label": t("room.here"), tabindex: "0" });
  let drawn = "";
  list.update = (view, host) => {
    const now = JSON.stringify([view.seats, view.watchers, view.options.seats, host]);
    if (now === drawn) return;
    drawn = now;
    const free = view.options.seats - view.seats.length;
    const pick = (who) => host && who.player !== view.player && onpick;
    list.replaceChildren(
      ...view.seats.map((seat) => line(seat, `seat ${seat.ready ? "ready" : ""}`, pick(seat), seatParts(seat, view))),
      ...view.watchers.map((who) => line(who, "seat watcher", pick(who), [el("span.mark", t("room.watching"))])),
      ...(free > 0 ? [el("li.seat.empty", t("room.seatsFree", { count: free }))] : []),
    );
  };
  return list;
}

function seatParts(seat, view) {
  const mark = seat.connected ? (seat.ready ? "ready" : "warming") : "away";
  return [
    seat.seat === view.seat && el("span.tag.you", t("page.you")),
    seat.host && el("span.tag", t("room.host")),
    seat.suits && el("span.tag", t(`options.level${seat.suits}`)),
    el("span.mark", mark === "ready" && icon("check"), t(`room.${mark}`)),
  ];
}

/** A line that the host can pick has a button over it. */
function line(who, kind, onpick, parts) {
  const label = t("room.pick", { name: who.name });
  return el(
    "li",
    { class: kind },
    who.seat !== undefined && dot(who.seat, who.name),
    el("span.name", who.name),
    parts,
    onpick && button("", { kind: "pick", "aria-label": label, onclick: () => onpick(who) }),
  );
}
