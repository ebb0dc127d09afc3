import { type MemoryReservation, RESERVED_REPLY_BYTES } from "../terms/concurrency/byte-budget.ts";
import type { Clock } from "../terms/time/clock.ts";
import { RoundRobinQueue } from "../terms/concurrency/round-robin-queue.ts";

/** The most memory for one function's calls at once: their inputs, and replies that the function has not taken yet. */
export const REPLIES_BYTES_MAX = 32 * 1024 * 1024;
/** How long a call waits until the function takes earlier replies. Nothing has been sent by then. */
const WAIT_MAX_MS = 1_000;
/** Memory is also released elsewhere, without a notification here, so it is checked at this interval. */
const CHECK_EVERY_MS = 50;

/** The memory of all calls of one run, and their organization. */
export interface ReplyWindow {
  readonly owner: string;
  readonly memory: MemoryReservation;
  bytes: number;
  closed: boolean;
}

/** The memory reserved for one call. */
export interface ReplyReservation {
  /** Called when the reply has arrived. Returns false if there is no memory for it; then it must not be kept. */
  arrived(bytes: number): boolean;
  /** Called when neither the inputs nor the reply are kept any longer. */
  release(): void;
}

interface WaitingReply {
  readonly window: ReplyWindow;
  readonly inputBytes: number;
  readonly enter: (reservation: ReplyReservation | null) => void;
}

/**
 * Delays calls of functions, before they are sent, until there is memory for their replies. Nothing else limits the number
 * of replies that a function has not taken yet. The same size is reserved for every reply until it has arrived.
 * Organizations take turns.
 */
export class ReplyMemoryGate {
  readonly #clock: Clock;
  readonly #waiting = new RoundRobinQueue<WaitingReply>();
  #isChecking = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when there is memory for the call and the reserve for its reply; with `null` if there was none in time. */
  async enter(window: ReplyWindow, inputBytes: number): Promise<ReplyReservation | null> {
    // The inputs are in memory already, whether their call is sent or waits.
    if (!this.#take(window, inputBytes)) return null;
    if (this.#waiting.of(window.owner) === 0 && this.#reserve(window)) return this.#reservationFor(window, inputBytes);
    return new Promise((resolve) => {
      const cancel = this.#clock.after(WAIT_MAX_MS, () => {
        this.#waiting.remove(window.owner, waiting);
        this.#give(window, inputBytes);
        resolve(null);
      });
      const enter = (granted: ReplyReservation | null): void => {
        cancel();
        resolve(granted);
      };
      const waiting: WaitingReply = { window, inputBytes, enter };
      this.#waiting.add(window.owner, waiting);
      this.#checkPeriodically();
    });
  }

  /** Ends the waiting calls of a run. */
  close(window: ReplyWindow): void {
    window.closed = true;
    this.#serve();
  }

  #reservationFor(window: ReplyWindow, inputBytes: number): ReplyReservation {
    let bytes = inputBytes + RESERVED_REPLY_BYTES;
    return {
      arrived: (replyBytes) => {
        this.#give(window, bytes);
        bytes = this.#take(window, replyBytes) ? replyBytes : 0;
        this.#serve();
        return bytes === replyBytes;
      },
      release: () => {
        this.#give(window, bytes);
        bytes = 0;
        this.#serve();
      },
    };
  }

  /** When memory is tight the outbound client sends nothing, so tight memory counts as none. */
  #reserve(window: ReplyWindow): boolean {
    if (window.memory.isTight || !this.#take(window, RESERVED_REPLY_BYTES)) return false;
    if (!window.memory.isTight) return true;
    this.#give(window, RESERVED_REPLY_BYTES);
    return false;
  }

  #take(window: ReplyWindow, bytes: number): boolean {
    if (window.bytes + bytes > REPLIES_BYTES_MAX || !window.memory.reserve(bytes)) return false;
    window.bytes += bytes;
    return true;
  }

  #give(window: ReplyWindow, bytes: number): void {
    window.bytes -= bytes;
    window.memory.releaseBytes(bytes);
  }

  #serve(): void {
    for (;;) {
      const next = this.#waiting.next(
        () => true,
        ({ window }) => window.closed || this.#reserve(window),
      );
      if (next === undefined) return;
      const { window, inputBytes, enter } = next;
      if (!window.closed) enter(this.#reservationFor(window, inputBytes));
      else {
        this.#give(window, inputBytes);
        enter(null);
      }
    }
  }

  #checkPeriodically(): void {
    if (this.#isChecking) return;
    this.#isChecking = true;
    this.#clock.after(
      CHECK_EVERY_MS,
      () => {
        this.#isChecking = false;
        this.#serve();
        if (this.#waiting.size > 0) this.#checkPeriodically();
      },
      "loose",
    );
  }
}
