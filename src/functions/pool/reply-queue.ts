import { FairShare } from "../../terms/fair-share.ts";
import { TurnQueue } from "../../terms/turn-queue.ts";
import { LARGE_REPLY_CHARACTERS } from "./messages.ts";

/** Per process. It takes milliseconds to pass one into its isolate, so a few at a time keep the process busy. */
const LARGE_BYTES_MAX = 32 * 1_048_576;

interface Waiting {
  readonly run: number;
  readonly owner: string;
  readonly bytes: number;
  readonly send: () => void;
  /** Called instead of `send` if the reply is not wanted any more. */
  readonly drop: () => void;
}

/**
 * Limits the large replies that one process holds and no isolate has taken yet. Further ones wait in the service, which
 * counts them: a busy thread, or a hundred simultaneous functions, must not fill the process with replies. The
 * organizations in the process share the limit fairly.
 */
export class ReplyQueue {
  readonly #share: FairShare;
  readonly #waiting = new TurnQueue<Waiting>();
  readonly #ofRuns = new Map<number, { readonly owner: string; bytes: number }>();

  constructor(bytesMax = LARGE_BYTES_MAX) {
    this.#share = new FairShare(bytesMax);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  offer(reply: Waiting): void {
    if (reply.bytes < LARGE_REPLY_CHARACTERS) return reply.send();
    this.#waiting.add(reply.owner, reply);
    this.#serve();
  }

  /** An isolate has taken a reply of that run. */
  took(run: number, bytes: number): void {
    const held = this.#ofRuns.get(run);
    if (held === undefined) return;
    const taken = Math.min(bytes, held.bytes);
    held.bytes -= taken;
    this.#share.give(held.owner, taken);
    this.#serve();
  }

  /** The run is over: its waiting replies are dropped, and those it was sent count no more. */
  left(run: number, owner: string): void {
    const held = this.#ofRuns.get(run);
    if (held !== undefined && held.bytes > 0) this.#share.give(owner, held.bytes);
    this.#ofRuns.delete(run);
    for (let gone = this.#nextOf(run, owner); gone !== undefined; gone = this.#nextOf(run, owner)) gone.drop();
    this.#serve();
  }

  #nextOf(run: number, owner: string): Waiting | undefined {
    return this.#waiting.next(
      (one) => one === owner,
      (reply) => reply.run === run,
    );
  }

  #serve(): void {
    for (;;) {
      const next = this.#waiting.next(
        () => true,
        ({ owner, bytes }) => this.#share.fits(owner, bytes),
      );
      if (next === undefined) return;
      const { run, owner, bytes, send } = next;
      this.#share.take(owner, bytes);
      const held = this.#ofRuns.get(run);
      if (held === undefined) this.#ofRuns.set(run, { owner, bytes });
      else held.bytes += bytes;
      send();
    }
  }
}
