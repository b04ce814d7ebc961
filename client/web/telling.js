// What happens on a table, in sentences for screen readers.

import { cardName } from "./cards.js";
import { cardsOf, step } from "./moving.js";
import { pileName } from "./table.js";
import { t } from "./texts.js";

/** @returns {string} what to say of a change, after which *table* lies there; "" where there is nothing to say. */
export function told({ cause, steps, hinted, item }, table) {
  if (cause === "dealt") return t("table.dealt");
  if (cause === "taken-back") return t("table.takenBack");
  if (hinted) return t("table.hinted", { move: moveTold(hinted, cardAt(table, hinted, "source")) });
  if (!steps.length) return "";
  if (item?.kind === "undo") return t("table.undone");
  const last = steps.at(-1);
  const left = step(last).count > 1 && last[1] === "h";
  return left ? t("table.sequence") : moveTold(last, cardAt(table, last, "target"));
}

/** @returns {string} what was chosen, and where it goes as far as that is known. */
export function chosenText({ card, count }, targets) {
  const params = { card: cardName(card.dataset.card), more: count - 1, piles: (targets ?? []).map((name) => pileName(name)).join(", ") };
  const chosen = count > 1 ? t("table.chosenRun", params) : t("table.chosen", params);
  if (!targets) return chosen;
  return `${chosen} ${targets.length ? t("table.goesTo", params) : t("table.goesNowhere")}`;
}

/** @returns {string} the first of the cards that *text* moves, before or after it on *table*. */
function cardAt(table, text, side) {
  const { [side]: pile, count } = step(text);
  return pile === "h" ? "" : cardsOf(table, pile).at(-count);
}

function moveTold(text, card) {
  const { target, count } = step(text);
  const params = { card: card && cardName(card), more: count - 1, pile: pileName(target) };
  if (!card) return t("table.movedHome");
  return t(count > 1 ? "table.movedRun" : "table.moved", params);
}
