// The countdown: the sun rises behind the hill, and at zero the deal is there.

import { announce, button, el, icon } from "./dom.js";
import { buzz, play } from "./sound.js";
import { t } from "./texts.js";

const FADE_MS = 420;

/** @returns {(begun: boolean) => void} what ends the countdown that is shown over everything. */
export function countdown(remaining_ms, names, onstop) {
  const zero = performance.now() + remaining_ms;
  const sun = el("div.sun", { "aria-hidden": "true" });
  const stop = onstop && button(t("room.stop"), { kind: "button line", onclick: onstop });
  const under = el("div.under", el("p.names", names.join(", ")), stop);
  const element = el("div.countdown", { role: "dialog", "aria-label": t("room.countdown") }, sun, under);
  const tick = () => count(element, sun, Math.ceil((zero - performance.now()) / 1000));
  const beat = setInterval(tick, 50);
  document.body.append(element);
  tick();
  if (stop) stop.focus({ preventScroll: true });
  return (begun) => {
    clearInterval(beat);
    if (begun) signal(t("race.go"), "go", 60);
    element.classList.add(begun ? "risen" : "gone");
    setTimeout(() => element.remove(), FADE_MS);
  };
}

/** Show *left* seconds, when they are others than before. */
function count(element, sun, left) {
  const shown = String(Math.min(3, left));
  if (left < 1 || element.dataset.count === shown) return;
  element.dataset.count = shown;
  sun.replaceChildren(icon(`r${shown}`, "rank"));
  signal(shown, "count", 10);
}

function signal(text, sound, buzz_ms) {
  announce(text);
  play(sound);
  buzz([buzz_ms]);
}
