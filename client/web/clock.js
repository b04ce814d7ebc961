// Race time, as it was last told and has gone on since.

/** A `time` race ends so long after the first solver, or after as long again as they took (DESIGN.md section 5). */
const FINISH_WINDOW_MS = 120_000;

const NEWS = ["Shown", "Snapshot", "Began", "Standings"];

/** So far apart the own clock and the server's may be by the way between them. */
const NEAR_MS = 1_000;

export class RaceClock {
  #told_ms = 0;
  #at = performance.now();
  #paused = false;

  /** Take in what *view* has been told by *event*; a clock that is a little ahead does not go back for that. */
  update({ elapsed_ms, paused }, { type }) {
    if (!NEWS.includes(type)) return;
    const now_ms = this.now();
    this.#told_ms = Math.abs(elapsed_ms - now_ms) < NEAR_MS ? Math.max(elapsed_ms, now_ms) : elapsed_ms;
    this.#paused = paused;
    this.#at = performance.now();
  }

  /** @returns {number} the race time of this moment. */
  now() {
    return this.#told_ms + (this.#paused ? 0 : performance.now() - this.#at);
  }
}

/** @returns {number} the race time at which *view*'s race ends: the limit, or the window after the first solver. */
export function closes_ms({ options, rows }) {
  const first = Math.min(...rows.filter((row) => row.state === "solved").map((row) => row.elapsed_ms));
  return options.goal === "time" ? Math.min(options.limit_ms, first + Math.max(FINISH_WINDOW_MS, first)) : options.limit_ms;
}
