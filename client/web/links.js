// Links that are given away: into the clipboard where a page may, else shown to be copied by hand.

import { el, sheet, toast, tool } from "./dom.js";
import { t } from "./texts.js";

/** Copy *link*, and say so; over plain http, where pages have no clipboard, show it selected. */
async function give(link, label) {
  try {
    await navigator.clipboard.writeText(link);
    toast(t("replay.copied"));
  } catch {
    const select = (event) => event.target.select();
    sheet(label, el("input", { class: "link", value: link, readonly: true, "aria-label": label, onfocus: select, autofocus: true }));
  }
}

/** @returns {HTMLButtonElement} what gives away the link that *address* returns when it is pressed. */
export const linkTool = (label, address) => tool("link", label, { onclick: () => give(address(), label) });
