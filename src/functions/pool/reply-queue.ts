import { FairShare } from "../../terms/fair-share.ts";
import { TurnQueue } from "../../terms/turn-queue.ts";
import { LARGE_REPLY_CHARACTERS } from "./messages.ts";

/** Of a process. It takes milliseconds to bring one into its isolate, so that a few under way keep it busy. */
const LARGE_BYTES_MAX = 32 * 1_048_576;

interface Waiting {
  readonly run: number;
  readonly owner: string;
  readonly bytes: number;
  readonly send: () => void;
  /** Instead of being sent, once nobody wants it. */
  readonly drop: () => void;
}

/**
 * The large replies that one process has and no isolate has taken yet. Beyond a limit they wait in the service, which
 * counts them: a thread that is busy, or a hundred functions at once, must not fill the process with replies. The
 * organizations in it share the room fairly.
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

  /** An isolate has taken one of that run. */
  took(run: number, bytes: number): void {
    const held = this.#ofRuns.get(run);
    if (held === undefined) return;
    const taken = Math.min(bytes, held.bytes);
    held.bytes -= taken;
    this.#share.give(held.owner, taken);
    this.#serve();
  }

  /** The run is over: nothing of it is sent any more, and what it had does not count. */
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
