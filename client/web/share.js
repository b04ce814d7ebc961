// The link of a room, and how it gets to others: the system's own sheet where there is one, a copy, a code to scan.

import { button, el, icon, sheet, toast } from "./dom.js";
import { t } from "./texts.js";

const COPIED_MS = 2_000;

/** @returns {HTMLElement} the invitation to *room*. */
export function invitation(room) {
  const link = `${location.origin}/r/${room}`;
  const address = el("p.url", location.host, el("wbr"), el("b", `/r/${room}`));
  const share = navigator.share && button(t("room.share"), { sign: "share", onclick: () => pass(link) });
  const copies = button(t("room.copy"), { sign: "copy", onclick: () => copy(copies, address, link) });
  return el("section.invite.panel", { "aria-label": t("room.invite") },
    el("button", { type: "button", class: "qr", "aria-label": t("room.enlarge"), onclick: () => enlarge(room, link) }, code(room)),
    el("div.say",
      el("div", el("span.small.soft", t("room.joinAt")), address),
      el("div.acts", share, copies),
    ),
  );
}

const code = (room) => el("img", { src: `/qr/${room}.svg`, alt: t("room.qr"), width: 150, height: 150 });

/** Hand the link to the system, which knows where friends are. */
async function pass(link) {
  try {
    await navigator.share({ title: t("page.name"), text: t("room.shareText"), url: link });
  } catch {
    // Whoever closes the sheet has thought better of it.
  }
}

/** Copy the link; where the browser has no clipboard for pages (plain http) show it selected, to be copied by hand. */
async function copy(copies, address, link) {
  try {
    await navigator.clipboard.writeText(link);
    return copied(copies);
  } catch {
    const whole = el("input.link", { value: link, readonly: true, "aria-label": t("room.joinAt") });
    address.replaceChildren(whole);
    whole.focus();
    whole.select();
  }
  if (document.execCommand("copy")) copied(copies);
  else toast(t("room.selected"));
}

function copied(copies) {
  copies.replaceChildren(icon("check"), el("span", t("room.copied")));
  setTimeout(() => copies.replaceChildren(icon("copy"), el("span", t("room.copy"))), COPIED_MS);
}

/** Show the code as large as the screen allows: a friend holds a phone to it. */
function enlarge(room, link) {
  sheet(t("room.scan"), el("div.scan", code(room), el("p.url", link)), { kind: "wide" });
}
