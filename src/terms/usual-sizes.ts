import { BoundedMap } from "./bounded-map.ts";

/** What something is taken to measure until it was seen. */
const UNSEEN_BYTES = 16_384;
/** What a smaller one leaves of what larger ones have measured. */
const REMEMBERED = 0.9;
const NAMES_MAX = 10_000;

/** What the things of one name, such as the replies of a source, have measured lately: the large ones count for longer. */
export class UsualSizes {
  readonly #sizes = new BoundedMap<string, number>(NAMES_MAX);

  of(name: string): number {
    return this.#sizes.get(name) ?? UNSEEN_BYTES;
  }

  saw(name: string, bytes: number): void {
    this.#sizes.set(name, Math.max(bytes, Math.round(this.of(name) * REMEMBERED)));
  }
}
