// A room before its race: the invitation, who is here, a table to warm up at, and the word that one is ready.

import { button, el, icon, say, tool } from "./dom.js";
import { countdown } from "./countdown.js";
import { levelName, summary } from "./options.js";
import { GAMES } from "./protocol.js";
import { OwnTable } from "./own.js";
import { people } from "./seats.js";
import { invitation } from "./share.js";
import { setTitle } from "./shell.js";
import { t } from "./texts.js";
import { sitter } from "./view.js";

/** The stage of *room* before the start. */
export function waiting(room) {
  const list = people(async (who) => (await import("./hosting.js")).pick(room, who));
  const ready = readiness(room);
  const warm = warmUp(room);
  const suits = el("div.own-suits");
  let counting = null;
  let asked = "";
  room.root.replaceChildren(invitation(room.view.room), list, warm.element, el("div.readybar", suits, ready.element), room.notice);
  setTitle(t("room.title", { room: room.view.room }));
  import("./race.js");

  /** Lay a table to warm up at as often as the race has come to want one: at its opening, and when options change. */
  function lay() {
    const { view, attempt } = room;
    const wanted = `${view.race} ${JSON.stringify(view.options)} ${view.countdown}`;
    if (view.phase !== "open" || view.seat === null || attempt.table || asked === wanted) return;
    asked = wanted;
    room.connection.send({ type: "WarmUp" });
  }

  function count() {
    const { view, host } = room;
    if (view.phase !== "countdown") return stopCounting(false);
    counting ??= countdown({
      remaining_ms: view.remaining_ms,
      names: view.seats.filter((seat) => seat.ready && seat.connected).map((seat) => seat.name),
      onstop: host ? () => room.ask({ type: "Cancel", countdown: room.view.countdown }) : null,
    });
  }

  function stopCounting(begun) {
    counting?.end(begun);
    counting = null;
  }

  return {
    update(event) {
      const { view } = room;
      list.update(view, room.host);
      ready.update();
      ownSuits(room, suits);
      if (event.type === "Snapshot" || event.type === "Shown") startAlone(room);
      lay();
      warm.update();
      count();
    },
    connected: (state) => warm.connected(state),
    end() {
      stopCounting(room.view.phase === "running");
      warm.end();
    },
  };
}

/** A room with a single seat is for playing alone: its race begins without more words. */
function startAlone(room) {
  const { view, host } = room;
  if (view.phase === "open" && host && view.options.seats === 1 && !room.startedAlone?.has(view.race)) {
    (room.startedAlone ??= new Set()).add(view.race);
    room.ask({ type: "Start", countdown: view.countdown + 1 });
  }
}

/** The own ready mark, and the host's word. */
function readiness(room) {
  const mark = button("", { kind: "button go", onclick: () => room.ask({ type: "Ready", ready: mark.ariaPressed !== "true" }) });
  const begin = button("", { kind: "button line", onclick: () => room.ask({ type: "Start", countdown: room.view.countdown + 1 }) });
  const note = el("p.small.soft", { role: "status" });
  const element = el("div.ready-row", mark, begin, note);
  const update = () => {
    const { view, host } = room;
    const seat = sitter(view, view.seat);
    mark.hidden = !seat;
    begin.hidden = !host;
    note.hidden = host;
    mark.ariaPressed = String(Boolean(seat?.ready));
    mark.replaceChildren(...(seat?.ready ? [icon("check")] : []), t(seat?.ready ? "room.youReady" : "room.imReady"));
    const starters = view.seats.filter((each) => each.connected && (each.ready || each.seat === view.seat)).length;
    begin.replaceChildren(t("room.start", { count: starters }));
    say(note, noteOf(view, seat));
  };
  return { element, update };
}

function noteOf(view, seat) {
  if (!seat) return t("room.full");
  const host = view.seats.find((each) => each.host);
  return host ? t("room.waitingFor", { name: host.name }) : "";
}

/** In a race in which each chooses their own suits: that choice. */
function ownSuits(room, place) {
  const { view } = room;
  const seat = sitter(view, view.seat);
  const shown = view.options.mixed && seat ? `${view.options.game} ${seat.suits ?? view.options.suits}` : "";
  if (place.dataset.shown === shown) return;
  place.dataset.shown = shown;
  const choose = async (suits) => {
    if (await room.ask({ type: "ChooseSuits", suits })) room.connection.send({ type: "WarmUp" });
  };
  const level = (suits) =>
    button(levelName(view.options.game, suits), {
      kind: "button",
      "aria-pressed": String(suits === (seat.suits ?? view.options.suits)),
      onclick: () => choose(suits),
    });
  place.replaceChildren(...(shown ? GAMES[view.options.game].suits.map(level) : []));
}

/** The throwaway deal, and what is played. */
function warmUp(room) {
  const about = el("span.small.soft.about");
  const place = el("div.own-table");
  const again = tool("restart", t("room.another"), { onclick: () => room.connection.send({ type: "WarmUp" }) });
  const undo = tool("undo", t("race.undo"), { onclick: () => room.attempt.undo() });
  const heading = el("div.h", el("h2", t("room.warmUp")), about, undo, again);
  const element = el("section.warm", { "aria-label": t("room.warmUp") }, heading, place, el("div.toasts", { role: "status" }));
  const draw = () => {
    say(about, summary(room.view.options));
    undo.disabled = !(room.attempt.table && room.attempt.can.undo);
    again.disabled = !room.attempt.table;
  };
  const table = new OwnTable(room, place, draw);
  return {
    element,
    update: draw,
    connected: (state) => table.connected(state),
    end: () => table.end(),
  };
}
