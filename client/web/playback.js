// The clock of a replay: where it is, how fast it goes, and whether it goes.

export const SPEEDS = [1, 2, 4, 8, 16, 32];

export class Playback {
  #frame = 0;
  #last = 0;

  /**
   * @param {number} end_ms how long it can run
   * @param {(playback: Playback) => void} onchange called whenever the moment, the speed or playing changed
   */
  constructor(end_ms, onchange) {
    this.end_ms = end_ms;
    this.at_ms = 0;
    this.speed = 4;
    this.playing = false;
    this.onchange = onchange;
  }

  play() {
    if (this.playing) return;
    if (this.at_ms >= this.end_ms) this.at_ms = 0;
    this.playing = true;
    this.#last = performance.now();
    this.#frame = requestAnimationFrame((now) => this.#tick(now));
    this.onchange(this);
  }

  pause() {
    cancelAnimationFrame(this.#frame);
    this.playing = false;
    this.onchange(this);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  seek(ms) {
    this.at_ms = Math.min(this.end_ms, Math.max(0, ms));
    this.onchange(this);
  }

  /** Go *by* places further in the list of speeds. */
  hurry(by) {
    const place = SPEEDS.indexOf(this.speed) + by;
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, place))];
    this.onchange(this);
  }

  #tick(now) {
    this.at_ms = Math.min(this.end_ms, this.at_ms + Math.max(0, now - this.#last) * this.speed);
    this.#last = now;
    if (this.at_ms >= this.end_ms) return this.pause();
    this.#frame = requestAnimationFrame((next) => this.#tick(next));
    this.onchange(this);
  }
}
