// A room before its race: the invitation, who is here, a table to warm up at, and the word that one is ready.

import { countdown } from "./countdown.js";
import { button, el, icon, say, tool } from "./dom.js";
import { levelName, summary } from "./options.js";
import { OwnTable } from "./own.js";
import { GAMES } from "./protocol.js";
import { people } from "./seats.js";
import { invitation } from "./share.js";
import { t } from "./texts.js";
import { sitter } from "./view.js";

/** Races that were begun because their room is for one. */
const begunAlone = new Set();

/** The stage of *room* before the start. */
export function waiting(room) {
  const list = people(async (who) => (await import("./hosting.js")).pick(room, who));
  const warm = warmUp(room);
  const ready = readiness(room);
  const suits = el("div.own-suits");
  let stopCounting = null;
  let asked = "";
  room.root.replaceChildren(invitation(room.view.room), list, warm.element, el("div.readybar", suits, ready.element), room.notice);
  import("./race.js").catch(() => {}); // so that it is there at zero

  /** Ask for a table to warm up at whenever the race has come to want one: at its opening, and when options change. */
  function lay() {
    const { view, attempt, connection } = room;
    const wanted = JSON.stringify([view.race, view.options, view.countdown]);
    if (view.phase !== "open" || view.seat === null || attempt.table || asked === wanted) return;
    asked = wanted;
    connection.send({ type: "WarmUp" });
  }

  function count() {
    const { phase, remaining_ms, seats, countdown: number } = room.view;
    const stop = () => room.ask({ type: "Cancel", countdown: number });
    const starters = seats.filter((seat) => seat.ready && seat.connected).map((seat) => seat.name);
    if (phase === "countdown") stopCounting ??= countdown(remaining_ms, starters, room.host && stop);
    else endCount(false);
  }

  function endCount(begun) {
    stopCounting?.(begun);
    stopCounting = null;
  }

  return {
    update() {
      list.update(room.view, room.host);
      ready.update();
      ownSuits(room, suits);
      startAlone(room);
      lay();
      warm.draw();
      count();
    },
    connected: warm.table.connected.bind(warm.table),
    end() {
      endCount(room.view.phase === "running");
      warm.table.end();
    },
  };
}

/** A room with a single seat is for playing alone: its race begins without more words. */
function startAlone({ view, host, connection }) {
  if (view.phase !== "open" || !host || view.options.seats > 1 || begunAlone.has(view.race)) return;
  begunAlone.add(view.race);
  connection.send({ type: "Start", countdown: view.countdown + 1 });
}

/** The own ready mark, and the host's word. */
function readiness(room) {
  const mark = button("", { kind: "button go", onclick: () => room.ask({ type: "Ready", ready: mark.ariaPressed !== "true" }) });
  const start = () => room.ask({ type: "Start", countdown: room.view.countdown + 1 });
  const begin = button("", { kind: "button line", onclick: start });
  const note = el("p.small.soft", { role: "status" });
  const update = () => {
    const { view, host } = room;
    const { seats } = view;
    const own = sitter(view, view.seat);
    const starters = seats.filter((seat) => seat.connected && (seat.ready || seat.seat === view.seat)).length;
    mark.hidden = !own;
    begin.hidden = !host;
    note.hidden = host;
    mark.ariaPressed = String(Boolean(own?.ready));
    mark.replaceChildren(...(own?.ready ? [icon("check")] : []), t(own?.ready ? "room.youReady" : "room.imReady"));
    begin.replaceChildren(t("room.start", { count: starters }));
    say(note, own ? t("room.waitingFor", { name: seats.find((seat) => seat.host)?.name ?? "" }) : t("room.full"));
  };
  return { element: el("div.ready-row", mark, begin, note), update };
}

/** In a race in which each chooses their own suits: that choice. */
function ownSuits(room, place) {
  const { game, suits: usual, mixed } = room.view.options;
  const seat = sitter(room.view, room.view.seat);
  const own = seat?.suits ?? usual ?? GAMES[game].suits[0];
  const shown = mixed && seat ? `${game} ${own}` : "";
  if ((place.dataset.shown ?? "") === shown) return;
  place.dataset.shown = shown;
  const choose = async (suits) => (await room.ask({ type: "ChooseSuits", suits })) && room.connection.send({ type: "WarmUp" });
  const level = (suits) =>
    button(levelName(game, suits), { "aria-pressed": String(suits === own), onclick: () => choose(suits) });
  place.replaceChildren(...(shown ? GAMES[game].suits.map(level) : []));
}

/** The throwaway deal, and what is played. */
function warmUp(room) {
  const { attempt, connection } = room;
  const about = el("span.small.soft.about");
  const place = el("div.own-table");
  const again = tool("restart", t("room.another"), { onclick: () => connection.send({ type: "WarmUp" }) });
  const undo = tool("undo", t("race.undo"), { onclick: () => attempt.undo() });
  const draw = () => {
    say(about, summary(room.view.options));
    undo.disabled = !attempt.table || !attempt.can.undo;
    again.disabled = !attempt.table;
  };
  const heading = el("div.h", el("h2", t("room.warmUp")), about, undo, again);
  const toasts = el("div.toasts", { role: "status" });
  const element = el("section.warm", { "aria-label": t("room.warmUp") }, heading, place, toasts);
  return { element, draw, table: new OwnTable(room, place, draw) };
}
