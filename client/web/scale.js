// Where time and progress lie in a picture of a race. Pure.

const SECOND = 1000, MINUTE = 60 * SECOND;
const STEPS = [5 * SECOND, 15 * SECOND, 30 * SECOND, ...[1, 2, 5, 10, 15, 30, 60, 120, 240, 480].map((n) => n * MINUTE)];

/** @returns {number[]} the times below a picture *until* ms long that has room for *most* of them. */
export function ticks(until, most) {
  const step = STEPS.find((each) => until / each < most) ?? STEPS.at(-1);
  return Array.from({ length: Math.floor(until / step) + 1 }, (_, i) => i * step);
}

/** @returns {[string, number]} how a time below the picture is written: a key of the texts and its number. */
export function tickWords(ms, step) {
  return step < MINUTE ? ["chart.seconds", ms / SECOND] : ["chart.minutes", ms / MINUTE];
}

/** @returns {number} the progress that *points*, [[ms, progress], …] by time, tell for *ms*. */
export function progressAt(points, ms) {
  let told = points[0]?.[1] ?? 0;
  for (const [at, progress] of points) {
    if (at > ms) break;
    told = progress;
  }
  return told;
}

/** @returns {number} the time of a line's end: its own, or its last change where it is still drawn. */
export function endOf(line, until) {
  if (line.end_ms != null) return Math.min(line.end_ms, until);
  return line.over ? line.points.at(-1)?.[0] ?? 0 : until;
}

/**
 * @returns {number[]} heights for labels that would like to stand at *wanted*, in ascending order: at least *apart* from each other,
 * none below *bottom*.
 */
export function spread(wanted, apart, bottom) {
  const heights = [];
  for (const y of wanted) heights.push(Math.max(y, (heights.at(-1) ?? -Infinity) + apart));
  for (let i = heights.length - 1, limit = bottom; i >= 0 && heights[i] > limit; i--, limit -= apart) heights[i] = limit;
  return heights;
}

