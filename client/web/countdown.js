// The countdown: the sun rises behind the hill, and at zero the deal is there.

import { announce, button, el, icon } from "./dom.js";
import { buzz, play } from "./sound.js";
import { t } from "./texts.js";

const FADE_MS = 420;

/** @returns {{end(begun: boolean)}} a countdown over everything, until it is ended. */
export function countdown({ remaining_ms, names, onstop }) {
  const zero = performance.now() + remaining_ms;
  const sun = el("div.sun", { "aria-hidden": "true" });
  const stop = onstop && button(t("room.stop"), { kind: "button line", onclick: onstop });
  const element = el("div.countdown", { role: "dialog", "aria-label": t("room.countdown") },
    sun,
    el("div.under", el("p.names", names.join(", ")), stop),
  );
  const tick = () => count(element, sun, Math.ceil((zero - performance.now()) / 1000));
  const beat = setInterval(tick, 50);
  document.body.append(element);
  tick();
  stop?.focus({ preventScroll: true });
  return {
    end(begun) {
      clearInterval(beat);
      if (begun) greet();
      element.classList.add(begun ? "risen" : "gone");
      setTimeout(() => element.remove(), begun ? FADE_MS : 0);
    },
  };
}

/** Show *left* seconds, when they are others than before. */
function count(element, sun, left) {
  const shown = String(Math.min(3, Math.max(1, left)));
  if (left < 1 || element.dataset.count === shown) return;
  element.dataset.count = shown;
  sun.replaceChildren(icon(`r${shown}`, "rank"));
  sun.firstChild.setAttribute("viewBox", "0 0 14 20");
  announce(shown);
  play("count");
  buzz([10]);
}

function greet() {
  announce(t("race.go"));
  play("go");
  buzz([60]);
}
