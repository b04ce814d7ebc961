// What a player can do about being known here: take another name, or be forgotten.

import { ask, button, el, sheet, toast } from "./dom.js";
import { nameField, rename } from "./rooms.js";
import { forgetIdentity, identity } from "./settings.js";
import { go } from "./shell.js";
import { refusalText, t } from "./texts.js";

/** Ask for another name. */
export function askNewName() {
  const wrong = el("p.wrong", { role: "alert" });
  const form = el("form.asks", nameField(), wrong, button(t("settings.rename"), { kind: "button go", type: "submit" }));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await rename(form.elements.name.value.trim());
      form.closest("dialog").close();
      toast(t("settings.renamed", { name: identity.get("name") }));
    } catch (refusal) {
      wrong.textContent = refusalText(refusal);
    }
  });
  return sheet(t("settings.rename"), form);
}

/** Forget in this browser who one was. */
export async function askForget() {
  const sure = await ask(t("settings.forgetAsk"), t("settings.forgetText"), { yes: t("settings.forget"), no: t("page.no") });
  if (!sure) return;
  forgetIdentity();
  identity.set("name", "");
  go("/");
}
