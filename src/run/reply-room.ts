import { type Held, RESERVED_REPLY_BYTES } from "../terms/byte-budget.ts";
import type { Clock } from "../terms/clock.ts";
import { TurnQueue } from "../terms/turn-queue.ts";

/** The most memory for one function's calls at once: their inputs, and replies that the function has not taken yet. */
export const REPLIES_BYTES_MAX = 32 * 1024 * 1024;
/** How long a call waits until the function takes earlier replies. Nothing has been sent by then. */
const WAIT_MAX_MS = 1_000;
/** Memory is also released elsewhere, without a notification here, so it is checked at this interval. */
const LOOK_EVERY_MS = 50;

/** The memory of all calls of one run, and their organization. */
export interface ReplyWindow {
  readonly owner: string;
  readonly held: Held;
  bytes: number;
  closed: boolean;
}

/** The memory reserved for one call. */
export interface ReplyPlace {
  /** Called when the reply has arrived. Returns false if there is no memory for it; then it must not be kept. */
  arrived(bytes: number): boolean;
  /** Called when neither the inputs nor the reply are kept any longer. */
  left(): void;
}

interface Waiting {
  readonly window: ReplyWindow;
  readonly inputBytes: number;
  readonly enter: (place: ReplyPlace | null) => void;
}

/**
 * Delays calls of functions, before they are sent, until there is memory for their replies. Nothing else limits the number
 * of replies that a function has not taken yet. The same size is reserved for every reply until it has arrived.
 * Organizations take turns.
 */
export class ReplyRoom {
  readonly #clock: Clock;
  readonly #waiting = new TurnQueue<Waiting>();
  #looking = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when there is memory for the call and the reserve for its reply; with `null` if there was none in time. */
  async enter(window: ReplyWindow, inputBytes: number): Promise<ReplyPlace | null> {
    // The inputs are in memory already, whether their call is sent or waits.
    if (!this.#take(window, inputBytes)) return null;
    if (this.#waiting.of(window.owner) === 0 && this.#reserve(window)) return this.#place(window, inputBytes);
    return new Promise((resolve) => {
      const cancel = this.#clock.after(WAIT_MAX_MS, () => {
        this.#waiting.remove(window.owner, waiting);
        this.#give(window, inputBytes);
        resolve(null);
      });
      const enter = (place: ReplyPlace | null): void => {
        cancel();
        resolve(place);
      };
      const waiting: Waiting = { window, inputBytes, enter };
      this.#waiting.add(window.owner, waiting);
      this.#keepLooking();
    });
  }

  /** Ends the waiting calls of a run. */
  close(window: ReplyWindow): void {
    window.closed = true;
    this.#serve();
  }

  #place(window: ReplyWindow, inputBytes: number): ReplyPlace {
    let bytes = inputBytes + RESERVED_REPLY_BYTES;
    return {
      arrived: (replyBytes) => {
        this.#give(window, bytes);
        bytes = this.#take(window, replyBytes) ? replyBytes : 0;
        this.#serve();
        return bytes === replyBytes;
      },
      left: () => {
        this.#give(window, bytes);
        bytes = 0;
        this.#serve();
      },
    };
  }

  /** When memory is tight the outbound client sends nothing, so tight memory counts as none. */
  #reserve(window: ReplyWindow): boolean {
    if (window.held.isTight || !this.#take(window, RESERVED_REPLY_BYTES)) return false;
    if (!window.held.isTight) return true;
    this.#give(window, RESERVED_REPLY_BYTES);
    return false;
  }

  #take(window: ReplyWindow, bytes: number): boolean {
    if (window.bytes + bytes > REPLIES_BYTES_MAX || !window.held.hold(bytes)) return false;
    window.bytes += bytes;
    return true;
  }

  #give(window: ReplyWindow, bytes: number): void {
    window.bytes -= bytes;
    window.held.drop(bytes);
  }

  #serve(): void {
    for (;;) {
      const next = this.#waiting.next(
        () => true,
        ({ window }) => window.closed || this.#reserve(window),
      );
      if (next === undefined) return;
      const { window, inputBytes, enter } = next;
      if (!window.closed) enter(this.#place(window, inputBytes));
      else {
        this.#give(window, inputBytes);
        enter(null);
      }
    }
  }

  #keepLooking(): void {
    if (this.#looking) return;
    this.#looking = true;
    this.#clock.after(
      LOOK_EVERY_MS,
      () => {
        this.#looking = false;
        this.#serve();
        if (this.#waiting.size > 0) this.#keepLooking();
      },
      "loose",
    );
  }
}
