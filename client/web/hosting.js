// The room itself: what is played in it, who is here, and what its host can do.

import { ask, button, el, sheet, shut } from "./dom.js";
import { gameFields, moreFields, optionsOf, summary, toggle } from "./options.js";
import { settings } from "./settings.js";
import { invitation } from "./share.js";
import { t } from "./texts.js";

/** Show *room*'s sheet. */
export function open(room) {
  const { view, host } = room;
  const { phase, options } = view;
  const content = el(
    "div.hosting",
    el("p.soft", summary(options)),
    phase !== "open" && invitation(view.room),
    here(room),
    host && toggle("locked", t("room.lock"), view.locked, (locked) => room.ask({ type: "Lock", locked })),
    host && phase === "open" && optionsForm(room),
    host && ["open", "finished"].includes(phase) && deed("room.close", "button line", () => close(room)),
  );
  return sheet(t("room.title", { room: view.room }), content, "wide");
}

/** Who is here, each with what the host can do about them. */
function here(room) {
  const { view, host } = room;
  const own = ({ player }) => player === view.player;
  const line = (who) => el("li", el("span.name", who.name), own(who) ? el("span.tag.you", t("page.you")) : host && deeds(room, who));
  return el("ul.people", { "aria-label": t("room.here") }, [...view.seats, ...view.watchers].map(line));
}

/** What the host can do about one person. */
export const pick = (room, who) => sheet(who.name, deeds(room, who));

function deeds(room, who) {
  const { player, name } = who;
  const kick = async () =>
    (await ask(t("room.kickAsk", { name }), t("room.kickText"), t("room.kick"), t("page.no"))) && room.ask({ type: "Kick", player });
  return el(
    "span.two-up",
    who.connected && deed("room.makeHost", "button", () => room.ask({ type: "HandOver", player }), name),
    deed("room.kick", "button", kick, name),
  );
}

/** A deed is done when the sheet is out of the way. */
function deed(key, kind, deedOf, name) {
  const onclick = (event) => {
    shut(event);
    deedOf();
  };
  return button(t(key), { kind, "aria-label": name && `${t(key)}: ${name}`, onclick });
}

const close = async (room) =>
  (await ask(t("room.closeAsk"), t("room.closeText"), t("room.close"), t("page.no"))) && room.ask({ type: "Close" });

/** Options as they are; changing them takes every ready mark back, so it is a step of its own. */
function optionsForm(room) {
  const { options } = room.view;
  const onsubmit = async (event) => {
    event.preventDefault();
    const chosen = optionsOf(event.target);
    shut(event);
    if (await room.ask({ type: "Configure", options: chosen })) settings.set("options", { ...chosen, code: null });
  };
  const apply = button(t("options.apply"), { kind: "button go", type: "submit" });
  return el("form.hosting", { onsubmit }, el("h3", t("options.title")), gameFields(options), moreFields(options), apply);
}
