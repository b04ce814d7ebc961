// A room after its race: the results, and the next one.

import { button, el } from "./dom.js";
import { results } from "./results.js";
import { setTitle } from "./shell.js";
import { t } from "./texts.js";

/** The stage of *room* when the race is over. */
export function aftermath(room) {
  const rematch = button(t("room.rematch"), {
    kind: "button go",
    onclick: () => room.ask({ type: "Rematch", race: room.view.race }),
  });
  setTitle(t("room.results"), t("room.title", { room: room.view.room }));
  document.body.classList.add("page", "results");
  room.root.replaceChildren(
    results(room.view.race, { rematch: room.view.seat === null && room.view.seats.length ? null : rematch }),
    el("div.toasts", { role: "status" }),
    room.notice,
  );
  return {
    update() {},
    end: () => document.body.classList.remove("page", "results"),
  };
}
