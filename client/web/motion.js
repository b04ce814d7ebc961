// How cards move: by transforms only, each from where it is seen to where it lies. Any may be ended at any time.

const OUT = "cubic-bezier(.2, .8, .2, 1)";
const TO_TRAY_GAP_MS = 18;

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** @returns {boolean} whether nothing should glide. */
export const still = () => calm.matches;

const times = new Map();

/** @returns {number} a duration of the style sheet's, such as "--move". */
export function ms(name) {
  if (!times.has(name)) times.set(name, parseFloat(getComputedStyle(document.documentElement).getPropertyValue(name)) || 1);
  return still() ? 1 : times.get(name);
}

calm.addEventListener("change", () => times.clear());

/** Let *element*, which lies at *to*, come from *from*. */
export function glide(element, from, to, delay = 0, opacity = 1) {
  const [x, y] = [from.left - to.left, from.top - to.top];
  const scale = to.width ? from.width / to.width : 1;
  if (Math.abs(x) < 0.5 && Math.abs(y) < 0.5) return;
  for (const running of element.getAnimations()) if (running.id === "glide") running.cancel();
  const start = { transform: `translate(${x}px, ${y}px) scale(${scale})`, transformOrigin: "0 0", opacity };
  const options = { id: "glide", duration: ms("--move"), delay, easing: OUT, fill: "backwards" };
  element.animate([start, { transform: "none", transformOrigin: "0 0", opacity: 1 }], options);
}

/** Let *cards*, which have left the table, fly one after the other from where they lay *before* into the *tray*. */
export function toTray(layout, cards, before, tray) {
  const origin = layout.getBoundingClientRect();
  cards.forEach((card, place) => {
    const from = before.get(card);
    const copy = card.cloneNode(true);
    copy.classList.add("leaving");
    copy.inert = true;
    copy.style.setProperty("left", `${from.left - origin.left}px`);
    copy.style.setProperty("top", `${from.top - origin.top}px`);
    copy.style.setProperty("z-index", 60 + place);
    layout.append(copy);
    const end = `translate(${tray.left - from.left}px, ${tray.top - from.top}px) scale(${tray.height / from.height})`;
    const options = { id: "leave", duration: ms("--move"), delay: place * TO_TRAY_GAP_MS, easing: OUT, fill: "both" };
    const flight = copy.animate([{ transform: "none" }, { transform: end }], options);
    flight.finished.then(() => copy.remove(), () => copy.remove());
  });
}

/** Let *element*, just dropped, settle where it lies. */
export function rest(element) {
  if (still()) return;
  const easing = "cubic-bezier(.3, 1.45, .5, 1)";
  element.animate([{ transform: "scale(1.045)" }, { transform: "none" }], { id: "rest", duration: ms("--settle"), easing });
}

/** Let *element* shake its head. */
export function shake(element) {
  if (still()) return;
  const steps = [0, -5, 5, -5, 5, -3, 0].map((x) => ({ transform: `translateX(${x}px)` }));
  element.animate(steps, { id: "shake", duration: ms("--settle"), easing: "ease-in-out" });
}
