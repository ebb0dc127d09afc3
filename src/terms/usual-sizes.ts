import { BoundedMap } from "./bounded-map.ts";

/** The assumed size until one has been observed. */
const UNSEEN_BYTES = 16_384;
/** The factor by which a smaller observation reduces the remembered size. */
const REMEMBERED = 0.9;
const NAMES_MAX = 10_000;

/** The recent sizes of things by name, such as the replies of a source. Large ones are remembered longer. */
export class UsualSizes {
  readonly #sizes = new BoundedMap<string, number>(NAMES_MAX);

  of(name: string): number {
    return this.#sizes.get(name) ?? UNSEEN_BYTES;
  }

  saw(name: string, bytes: number): void {
    this.#sizes.set(name, Math.max(bytes, Math.round(this.of(name) * REMEMBERED)));
  }
}
