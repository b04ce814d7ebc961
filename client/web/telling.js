// What happens on a table, in sentences for screen readers.

import { cardName } from "./cards.js";
import { cardsOf, fits, moved, step } from "./moving.js";
import { pileName } from "./table.js";
import { t } from "./texts.js";

/** @returns {string} what to say of a change of the table *before*; "" where there is nothing to say. */
export function told({ cause, steps, hinted, item }, before) {
  if (cause === "dealt") return t("table.dealt");
  if (cause === "taken-back") return t("table.takenBack");
  if (hinted) return t("table.hinted", { move: moveTold(hinted, before) });
  if (!steps.length || !before) return "";
  if (item?.kind === "undo") return t("table.undone");
  const last = steps.at(-1);
  if (step(last).count > 1 && last[1] === "h") return t("table.sequence");
  return moveTold(last, steps.slice(0, -1).reduce((table, each) => (fits(table, each) ? moved(table, [each]) : table), before));
}

/** @returns {string} what was chosen, and where it goes as far as that is known. */
export function chosenText({ card, count }, targets) {
  const params = { card: cardName(card.dataset.card), more: count - 1, piles: (targets ?? []).map((name) => pileName(name)).join(", ") };
  const chosen = count > 1 ? t("table.chosenRun", params) : t("table.chosen", params);
  if (!targets) return chosen;
  return `${chosen} ${targets.length ? t("table.goesTo", params) : t("table.goesNowhere")}`;
}

/** @returns {string} the first of the cards that *text* moves on *table*, and where to. */
function moveTold(text, table) {
  const { source, target, count } = step(text);
  const card = cardsOf(table, source).at(-count);
  if (!card) return "";
  const params = { card: cardName(card), more: count - 1, pile: pileName(target, target === "h" ? card[1] : "") };
  return t(count > 1 ? "table.movedRun" : "table.moved", params);
}
