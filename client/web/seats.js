// Who is here: seats with their ready marks, spectators, what is free.

import { button, el, icon } from "./dom.js";
import { t } from "./texts.js";

const COLOURS = 8;

/** @returns {string} the class that gives a seat its colour. */
export const colour = (seat) => `p${(seat % COLOURS) + 1}`;

/** @returns {string} the first sign of a name, to stand in a dot. */
export const initial = (name) => [...name][0]?.toUpperCase() ?? "";

/** @returns {HTMLElement} the list of *view*'s people; *onpick* is called with whoever the host picks. */
export function people(onpick) {
  const list = el("ul.who-is", { "aria-label": t("room.here"), tabindex: "0" });
  let drawn = "";
  list.update = (view, host) => {
    const now = JSON.stringify([view.seats, view.watchers, view.options.seats, host, view.phase]);
    if (now === drawn) return;
    drawn = now;
    list.replaceChildren(...lines(view, host ? onpick : null));
  };
  return list;
}

function lines(view, onpick) {
  const free = view.options.seats - view.seats.length;
  return [
    ...view.seats.map((seat) => seatLine(seat, view, onpick)),
    ...view.watchers.map((watcher) => watcherLine(watcher, view, onpick)),
    ...(free > 0 ? [el("li.seat.empty", t("room.seatsFree", { count: free }))] : []),
  ];
}

function seatLine(seat, view, onpick) {
  const own = seat.seat === view.seat;
  const inside = [
    el("span", { class: `dot ${colour(seat.seat)}`, "aria-hidden": "true" }, initial(seat.name)),
    el("span.name", seat.name),
    own && el("span.tag.you", t("page.you")),
    seat.host && el("span.tag", t("room.host")),
    seat.suits && el("span.tag", t(`options.level${seat.suits}`)),
    mark(seat),
  ];
  return line(`seat ${seat.ready ? "ready" : ""}`, inside, !own && onpick, seat);
}

function mark(seat) {
  if (!seat.connected) return el("span.mark", t("room.away"));
  if (seat.ready) return el("span.mark", icon("check"), t("room.ready"));
  return el("span.mark", t("room.warming"));
}

function watcherLine(watcher, view, onpick) {
  const inside = [el("span.name", watcher.name), el("span.mark", t("room.watching"))];
  return line("seat watcher", inside, watcher.player !== view.player && onpick, watcher);
}

/** A line that the host can pick is a button. */
function line(kind, inside, onpick, who) {
  if (!onpick) return el("li", { class: kind }, inside);
  const pick = button("", { kind: "pick", "aria-label": t("room.pick", { name: who.name }), onclick: () => onpick(who) });
  return el("li", { class: `${kind} picked` }, inside, pick);
}
