// The link of a room, and how it gets to others: the system's own sheet where there is one, a copy, a code to scan.

import { button, el, icon, sheet, toast } from "./dom.js";
import { t } from "./texts.js";

const COPIED_MS = 2_000;

/** @returns {HTMLElement} the invitation to *room*. */
export function invitation(room) {
  const link = `${location.origin}/r/${room}`;
  const code = () => el("img", { src: `/qr/${room}.svg`, alt: t("room.qr"), width: 150, height: 150 });
  const enlarge = () => sheet(t("room.scan"), el("div.scan", code(), el("p.url", link)), "wide");
  const address = el("p.url", location.host, el("wbr"), el("b", `/r/${room}`));
  const share = navigator.share && button(t("room.share"), { sign: "share", onclick: () => pass(link) });
  const copies = button(t("room.copy"), { sign: "copy", onclick: () => copy(copies, address, link) });
  return el(
    "section.invite.panel",
    { "aria-label": t("room.invite") },
    el("button.qr", { type: "button", "aria-label": t("room.enlarge"), onclick: enlarge }, code()),
    el("div.say", el("div", el("span.small.soft", t("room.joinAt")), address), el("div.acts", share, copies)),
  );
}

/** Hand the link to the system, which knows where friends are; whoever closes its sheet has thought better of it. */
const pass = (url) => navigator.share({ title: t("page.name"), text: t("room.shareText"), url }).catch(() => {});

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
  const show = (sign, key) => copies.replaceChildren(icon(sign), el("span", t(key)));
  show("check", "room.copied");
  setTimeout(() => show("copy", "room.copy"), COPIED_MS);
}
