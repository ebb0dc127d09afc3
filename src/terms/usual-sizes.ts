import { OwnedMap } from "./owned-map.ts";

/** The assumed size until one has been observed. */
const UNSEEN_BYTES = 16_384;
/** The factor by which a smaller observation reduces the remembered size. */
const REMEMBERED = 0.9;
const NAMES_MAX = 10_000;

interface Size {
  bytes: number;
}

const unseen = (): Size => ({ bytes: UNSEEN_BYTES });

/**
 * The recent sizes of things by name, such as the replies of a source. Large ones are remembered longer. Each owner's
 * are its own, because memory is reserved by them: what one asks for must not make the requests of others seem large.
 */
export class UsualSizes {
  readonly #sizes = new OwnedMap<Size>(NAMES_MAX);

  of(owner: string, name: string): number {
    return this.#sizes.get(owner, name)?.bytes ?? UNSEEN_BYTES;
  }

  saw(owner: string, name: string, bytes: number): void {
    const size = this.#sizes.getOrMake(owner, name, unseen);
    size.bytes = Math.max(bytes, Math.round(size.bytes * REMEMBERED));
  }
}
