// Race time, as it was last told and has gone on since.

/** A `time` race ends so long after the first solver, or after as long again as they took (DESIGN.md section 5). */
const FINISH_WINDOW_MS = 120_000;

export class RaceClock {
  #told_ms = 0;
  #at = performance.now();
  #paused = false;

  /** Take in what *view* has been told; *event* says whether it is news of the time. */
  update(view, event) {
    if (!["Snapshot", "Began", "Standings", "Shown"].includes(event.type)) return;
    const now_ms = this.now();
    this.#paused = view.paused;
    // A clock that is behind by the way here does not go back for it.
    const told_ms = view.elapsed_ms ?? 0;
    const keeps = event.type === "Standings" || event.type === "Shown";
    this.#told_ms = keeps && Math.abs(told_ms - now_ms) < 1_000 ? Math.max(told_ms, now_ms) : told_ms;
    this.#at = performance.now();
  }

  /** @returns {number} the race time of this moment. */
  now() {
    return this.#paused ? this.#told_ms : this.#told_ms + performance.now() - this.#at;
  }
}

/** @returns {number} the race time at which *view*'s race ends: the limit, or the window after the first solver. */
export function closes_ms({ options, rows }) {
  const solved = rows.filter((row) => row.state === "solved").map((row) => row.elapsed_ms);
  if (!solved.length || options.goal !== "time") return options.limit_ms;
  const first = Math.min(...solved);
  return Math.min(options.limit_ms, first + Math.max(FINISH_WINDOW_MS, first));
}
