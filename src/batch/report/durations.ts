/** Durations in milliseconds, four bytes each, so that quantiles are exact. */
export class Durations {
  #values = new Uint32Array(1_024);
  #count = 0;
  #isSorted = true;

  add(ms: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Uint32Array(2 * this.#values.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#count] = Math.max(0, Math.round(ms));
    this.#count += 1;
    this.#isSorted = false;
  }

  /** The smallest duration that at least `percent` of all do not exceed; `null` if there are none. */
  percentile(percent: number): number | null {
    if (this.#count === 0) return null;
    if (!this.#isSorted) this.#values.subarray(0, this.#count).sort();
    this.#isSorted = true;
    return this.#values[Math.max(0, Math.ceil((this.#count * percent) / 100) - 1)]!;
  }
}
