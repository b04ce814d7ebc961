// The room itself: what is played in it, who is here, and what its host can do.

import { ask, button, el, sheet } from "./dom.js";
import { gameFields, moreFields, optionsOf, summary, toggle } from "./options.js";
import { settings } from "./settings.js";
import { invitation } from "./share.js";
import { t } from "./texts.js";
import { sitter } from "./view.js";

/** Show *room*'s sheet. */
export function open(room) {
  const { view, host } = room;
  const invite = view.phase === "open" ? null : invitation(view.room);
  const parts = host ? controls(room) : [];
  const about = el("p.soft", summary(view.options));
  return sheet(t("room.title", { room: view.room }), el("div.hosting", about, invite, here(room), parts), { kind: "wide" });
}

/** Who is here, each with what the host can do about them. */
function here(room) {
  const { view, host } = room;
  const everyone = [...view.seats, ...view.watchers];
  const line = (who) =>
    el("li", el("span.name", who.name), who.player === view.player ? el("span.tag.you", t("page.you")) : host && deeds(room, who));
  return el("ul.people", { "aria-label": t("room.here") }, everyone.map(line));
}

function deeds(room, who) {
  const seated = sitter(room.view, who.seat);
  const hand = () => room.ask({ type: "HandOver", player: who.player });
  return el("span.deeds",
    seated?.connected && deed("room.makeHost", who, hand),
    deed("room.kick", who, async () => (await askKick(who)) && room.ask({ type: "Kick", player: who.player })),
  );
}

/** A deed is done when the sheet is out of the way. */
function deed(key, who, deedOf) {
  const onclick = (event) => {
    event.target.closest("dialog").close();
    deedOf();
  };
  return button(t(key), { kind: "button", "aria-label": `${t(key)}: ${who.name}`, onclick });
}

const askKick = (who) =>
  ask(t("room.kickAsk", { name: who.name }), t("room.kickText"), { yes: t("room.kick"), no: t("page.no") });

/** What the host can do about one person. */
export function pick(room, who) {
  return sheet(who.name, el("div.two-up", deeds(room, who)));
}

function controls(room) {
  const { view } = room;
  const lock = toggle("locked", t("room.lock"), view.locked, {
    onchange: (event) => room.ask({ type: "Lock", locked: event.target.checked }),
  });
  const shut = button(t("room.close"), { kind: "button line", onclick: (event) => (event.target.closest("dialog").close(), close(room)) });
  return [lock, view.phase === "open" && optionsForm(room), view.phase === "open" || view.phase === "finished" ? shut : null];
}

async function close(room) {
  if (await ask(t("room.closeAsk"), t("room.closeText"), { yes: t("room.close"), no: t("page.no") })) room.ask({ type: "Close" });
}

/** Options as they are; changing them takes every ready mark back, so it is a step of its own. */
function optionsForm(room) {
  const { options } = room.view;
  const form = el("form.options-form",
    el("h3", t("options.title")),
    gameFields(options),
    moreFields(options),
    button(t("options.apply"), { kind: "button go", type: "submit" }),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const chosen = optionsOf(form, options);
    form.closest("dialog").close();
    if (await room.ask({ type: "Configure", options: chosen })) settings.set("options", { ...chosen, code: undefined });
  });
  return form;
}
