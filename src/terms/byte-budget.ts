import { FairShare } from "./fair-share.ts";

/** Owner of what is held for those of whom it is not known yet who they are. All of them together have one small share. */
export const NOT_YET_KNOWN = "";
const SHARE_NOT_YET_KNOWN = 1 / 8;
/** Above it nothing is begun that will end in bytes to be held: what is under way needs the rest. */
const TIGHT_AT = 3 / 4;
const AHEAD_MAX = 1 / 4;

/**
 * What the process holds in memory for its callers: bodies that are being read, replies of vendors, answers that were not
 * taken yet. Organizations share it fairly. It counts bytes as they come, so it is asked before anything is kept.
 */
export class ByteBudget {
  readonly #share: FairShare;

  constructor(bytesMax: number) {
    this.#share = new FairShare(bytesMax, (owner) =>
      owner === NOT_YET_KNOWN ? bytesMax * SHARE_NOT_YET_KNOWN : bytesMax,
    );
  }

  get heldBytes(): number {
    return this.#share.inUse;
  }

  /** For one piece of work, such as a request from its body to its answer, that may hold at most `bytesMax`. */
  open(owner: string, bytesMax = Number.POSITIVE_INFINITY): Held {
    return new Held(this.#share, owner, bytesMax);
  }
}

/** What one piece of work holds. */
export class Held {
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

  /** Who it is counted for. */
  get owner(): string {
    return this.#owner;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether nobody but its owner holds anything. */
  get isAlone(): boolean {
    return this.#share.owners <= 1;
  }

  /** Whether so little is left, for its owner or for all, that it should not ask for more to come. */
  get isTight(): boolean {
    const { max, inUse } = this.#share;
    const of = this.#share.of(this.#owner);
    return (
      inUse > max * TIGHT_AT || of > (max - inUse + of) * (TIGHT_AT / 2) || this.#bytes > this.#bytesMax * TIGHT_AT
    );
  }

  /** Counts bytes that are about to be kept. False: there is no room for them, and nothing was counted. */
  hold(bytes: number): boolean {
    if (this.#released || this.#bytes + bytes > this.#bytesMax || !this.#share.take(this.#owner, bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  /**
   * Holds room for what is about to be asked for. Never more than a quarter of all, so that what is large can be asked for
   * by whoever is alone. Returns what it held; `null`: there is no room, and it should not be asked for.
   */
  holdAhead(bytes: number): number | null {
    if (this.isTight) return null;
    const ahead = Math.ceil(Math.min(bytes, Math.min(this.#share.max, this.#bytesMax) * AHEAD_MAX));
    return this.hold(ahead) ? ahead : null;
  }

  /** Counts bytes as gone. */
  drop(bytes: number): void {
    const gone = Math.min(bytes, this.#bytes);
    if (gone <= 0) return;
    this.#bytes -= gone;
    this.#share.give(this.#owner, gone);
  }

  /** Who it is for is known now. False: the new owner has no room for it; nothing has changed. */
  passTo(owner: string): boolean {
    if (this.#bytes > 0 && !this.#share.move(this.#owner, owner, this.#bytes)) return false;
    this.#owner = owner;
    return true;
  }

  /** Counts no more than this from now on: the rest has been made into it, or is gone. */
  keepOnly(bytes: number): void {
    this.drop(this.#bytes - bytes);
  }

  /** All of it is gone, and nothing can be held by it any more. */
  release(): void {
    this.drop(this.#bytes);
    this.#released = true;
  }
}

/** For work that nobody else waits beside: a case that is played, a verb. */
export function heldWithoutLimit(): Held {
  return new ByteBudget(Number.POSITIVE_INFINITY).open(NOT_YET_KNOWN);
}
