// What is looked up: its shape while it comes, then what was found, or why there is nothing to be seen.

import { Refusal } from "./api.js";
import { el, sheet, toast, tool } from "./dom.js";
import { notice } from "./notice.js";
import { has, refusalText, t } from "./texts.js";

/** Wait for *answers*, promises, and hand them to *draw*, which fills *root*. A refusal is told; a lost network thrown. */
export async function lookUp(root, answers, draw) {
  const shape = el("div.bones", { "aria-hidden": "true" }, el("i"), el("i"), el("i"));
  root.append(shape);
  try {
    const found = await Promise.all(answers);
    shape.remove();
    draw(...found);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    root.replaceChildren(refused(error));
  }
}

/** @returns {HTMLElement} why not, in words made for it where there are such. */
export function refused(refusal) {
  const key = `lookup.${refusal.reason}`, again = refusal.reason !== "NOT_FOUND";
  return has(key) ? notice(t(key), t(`${key}Text`), { again }) : notice(t("lookup.other"), refusalText(refusal), { again });
}

/** @returns {HTMLButtonElement} what gives away the link that *address* returns, over plain http to be copied by hand. */
export function linkTool(label, address) {
  const give = async () => {
    const value = address();
    try {
      await navigator.clipboard.writeText(value);
      toast(t("replay.copied"));
    } catch {
      const onfocus = (event) => event.target.select();
      sheet(label, el("input.link", { value, onfocus, readonly: true, autofocus: true, "aria-label": label }));
    }
  };
  return tool("link", label, { onclick: give });
}
