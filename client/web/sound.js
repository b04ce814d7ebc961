// Sounds made on the spot, quiet and short; and buzzes. Silent until the first touch of the page, as browsers ask.

import { settings } from "./settings.js";

const TICK_HZ = 520;
const THIRD = 5 / 4;
const FIFTH = 3 / 2;
const LOUDEST = 0.14;

let context = null;

/** Browsers let a page sound only after its first touch. */
function wake() {
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
}
for (const event of ["pointerup", "keydown"]) addEventListener(event, wake, { once: true, capture: true });

/** Let one note of *hz* sound for *seconds*, *after* so many, at *volume* of the loudest. */
function note(hz, { after = 0, seconds = 0.12, volume = 1, type = "sine" } = {}) {
  const [begin, gain, tone] = [context.currentTime + after, context.createGain(), context.createOscillator()];
  tone.type = type;
  tone.frequency.value = hz;
  gain.gain.setValueAtTime(0, begin);
  gain.gain.linearRampToValueAtTime(LOUDEST * volume, begin + 0.006);
  gain.gain.exponentialRampToValueAtTime(0.0001, begin + seconds);
  tone.connect(gain).connect(context.destination);
  tone.start(begin);
  tone.stop(begin + seconds + 0.02);
}

const rising = (steps, gap, volume = 0.8) =>
  steps.forEach((step, place) => note(TICK_HZ * step, { after: place * gap, seconds: 0.3, volume }));

/** Up to a semitone higher or lower, so that ticks never drone. */
const varied = () => 2 ** ((Math.random() * 2 - 1) / 12);

const SOUNDS = {
  down: () => note(TICK_HZ * varied(), { seconds: 0.07, volume: 0.5, type: "triangle" }),
  joined: () => note(TICK_HZ * THIRD * varied(), { seconds: 0.09, volume: 0.5, type: "triangle" }),
  gone: () => rising([1, THIRD, FIFTH], 0.09),
  refused: () => note(110, { seconds: 0.12, volume: 0.9, type: "triangle" }),
  count: () => note(TICK_HZ, { seconds: 0.16 }),
  go: () => note(TICK_HZ * FIFTH, { seconds: 0.5 }),
  rival: () => note(TICK_HZ * 2, { seconds: 0.6, volume: 0.25 }),
  solved: () => rising([1, THIRD, FIFTH, 2, 2 * THIRD], 0.11),
};

/** Let the sound *name* be heard, if sounds are wanted and the page has been touched. */
export function play(name) {
  if (settings.get("sound") && context?.state === "running") SOUNDS[name]();
}

/** Let the device buzz in *pattern* (ms on, ms off, …), where it can and may. */
export function buzz(pattern) {
  if (settings.get("buzz") && navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.(pattern);
}

export const sound = { play, buzz };
