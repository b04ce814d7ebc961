// What is looked up: its shape while it comes, then what was found, or why there is nothing to be seen.

import { Refusal } from "./api.js";
import { el } from "./dom.js";
import { notice } from "./notice.js";
import { has, refusalText, t } from "./texts.js";

/** What takes longer than this shows its shape meanwhile. */
const SHAPE_MS = 200;

/**
 * Wait for *answers* and hand them to *draw*, which fills *root*. A refusal is shown there; a lost network is thrown.
 * @param {Promise<object>[]} answers
 */
export async function lookUp(root, answers, draw) {
  const late = setTimeout(() => root.append(bones()), SHAPE_MS);
  root.setAttribute("aria-busy", "true");
  try {
    const found = await Promise.all(answers);
    root.replaceChildren();
    await draw(...found);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    root.replaceChildren(refused(error));
  } finally {
    clearTimeout(late);
    root.removeAttribute("aria-busy");
  }
}

const bones = () => el("div", { class: "bones", "aria-hidden": "true" }, el("i"), el("i"), el("i"));

/** @returns {HTMLElement} why not, in words made for it where there are such. */
export function refused(refusal) {
  const key = `lookup.${refusal.reason}`;
  const again = refusal.reason !== "NOT_FOUND";
  if (has(key)) return notice(key, { again });
  return notice(key, { heading: t("lookup.other"), text: refusalText(refusal), again });
}
