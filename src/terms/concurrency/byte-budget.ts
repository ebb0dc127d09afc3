import { FairShare } from "./fair-share.ts";

/** The owner of memory for unauthenticated requests. All of them together get one small share. */
export const UNAUTHENTICATED = "";
const SHARE_NOT_YET_KNOWN = 1 / 8;
/** Above this share of the limit, no work starts that will need memory: the rest is for work in progress. */
const TIGHT_AT = 3 / 4;
const AHEAD_MAX = 1 / 4;
/** Bytes reserved for a reply before its request is sent. Most replies of data vendors are smaller. */
export const RESERVED_REPLY_BYTES = 32 * 1024;

/**
 * Limits the memory that the process uses for its callers: bodies that are being read, replies of vendors, answers not
 * yet received by their clients. Organizations share it fairly. Bytes must be counted before they are stored.
 */
export class ByteBudget {
  readonly #share: FairShare;
  /** The most bytes that all unauthenticated requests may use together. */
  readonly unauthenticatedBytesMax: number;

  constructor(bytesMax: number) {
    this.unauthenticatedBytesMax = bytesMax * SHARE_NOT_YET_KNOWN;
    this.#share = new FairShare(bytesMax, (owner) =>
      owner === UNAUTHENTICATED ? this.unauthenticatedBytesMax : bytesMax,
    );
  }

  get bytesMax(): number {
    return this.#share.max;
  }

  get reservedBytes(): number {
    return this.#share.inUse;
  }

  /**
   * Opens an account for one unit of work that may use at most `bytesMax`, such as a request from its body to its
   * answer.
   */
  open(owner: string, bytesMax = Number.POSITIVE_INFINITY): MemoryReservation {
    return new MemoryReservation(this.#share, owner, bytesMax);
  }
}

/** The memory of one unit of work. */
export class MemoryReservation {
  readonly #share: FairShare;
  readonly #bytesMax: number;
  #owner: string;
  #bytes = 0;
  #released = false;

  constructor(share: FairShare, owner: string, bytesMax: number) {
    this.#share = share;
    this.#owner = owner;
    this.#bytesMax = bytesMax;
  }

  /** The owner to whom the bytes are counted. */
  get owner(): string {
    return this.#owner;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** True if so little memory is left, for the owner or in total, that no more data should be requested. */
  get isTight(): boolean {
    const { max, inUse } = this.#share;
    const of = this.#share.of(this.#owner);
    return (
      inUse > max * TIGHT_AT || of > (max - inUse + of) * (TIGHT_AT / 2) || this.#bytes > this.#bytesMax * TIGHT_AT
    );
  }

  /**
   * Counts bytes that are about to be stored. Returns false if there is no memory for them; then nothing was counted.
   */
  reserve(bytes: number): boolean {
    if (this.#released || this.#bytes + bytes > this.#bytesMax || !this.#share.take(this.#owner, bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  /**
   * Reserves memory for data that is about to be requested: at most a quarter of the total, so that a single owner can
   * still request large data. Returns the reserved bytes; `null` if there is no memory and the data should not be
   * requested.
   */
  reserveAhead(bytes: number): number | null {
    if (this.isTight) return null;
    const ahead = Math.ceil(Math.min(bytes, Math.min(this.#share.max, this.#bytesMax) * AHEAD_MAX));
    return this.reserve(ahead) ? ahead : null;
  }

  /** Counts bytes as released. */
  releaseBytes(bytes: number): void {
    const gone = Math.min(bytes, this.#bytes);
    if (gone <= 0) return;
    this.#bytes -= gone;
    this.#share.give(this.#owner, gone);
  }

  /**
   * Changes the owner when it becomes known. Returns false if the new owner has no memory for it; then nothing changes.
   */
  transferTo(owner: string): boolean {
    if (this.#bytes > 0 && !this.#share.move(this.#owner, owner, this.#bytes)) return false;
    this.#owner = owner;
    return true;
  }

  /** Reduces the counted bytes to at most `bytes`: the rest has been converted into them, or released. */
  shrinkTo(bytes: number): void {
    this.releaseBytes(this.#bytes - bytes);
  }

  /** Releases everything. Nothing can be counted afterwards. */
  release(): void {
    this.releaseBytes(this.#bytes);
    this.#released = true;
  }
}

/** An account without a limit, for work that does not compete with other work: a test case, an admin command. */
export function unlimitedMemory(): MemoryReservation {
  return new ByteBudget(Number.POSITIVE_INFINITY).open(UNAUTHENTICATED);
}
