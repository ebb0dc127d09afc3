import type { Held } from "../terms/byte-budget.ts";
import type { Clock } from "../terms/clock.ts";
import { TurnQueue } from "../terms/turn-queue.ts";
import { UsualSizes } from "../terms/usual-sizes.ts";

/** What one function's calls may hold at once: inputs that are asked with, and replies that it has not taken yet. */
export const REPLIES_BYTES_MAX = 32 * 1024 * 1024;
/** How long a call waits for earlier replies to be taken. Nothing was sent meanwhile. */
const WAIT_MAX_MS = 1_000;
/** Bytes are let go by others too, of whom nobody tells here. */
const LOOK_EVERY_MS = 50;

/** What the calls of one run hold, and who they are for. */
export interface ReplyWindow {
  readonly owner: string;
  readonly held: Held;
  bytes: number;
  closed: boolean;
}

/** The room of one call. */
export interface ReplyPlace {
  /** The reply is there. False: there is no room for it, and it must not be kept. */
  arrived(bytes: number): boolean;
  /** Neither inputs nor reply are kept any longer. */
  left(): void;
}

interface Waiting {
  readonly window: ReplyWindow;
  readonly source: string;
  readonly inputBytes: number;
  readonly enter: (place: ReplyPlace | null) => void;
}

/**
 * Holds calls of functions back before they are sent, while what comes for them would not find room: a function has no
 * bound of its own on the replies that it lets pile up. Room is reckoned with what the source's replies have measured
 * lately; organizations take turns.
 */
export class ReplyRoom {
  readonly #clock: Clock;
  readonly #waiting = new TurnQueue<Waiting>();
  readonly #usual = new UsualSizes();
  #looking = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when there is room for the call and what it will bring; with `null` when there was none in time. */
  enter(window: ReplyWindow, source: string, inputBytes: number): Promise<ReplyPlace | null> | ReplyPlace | null {
    // The inputs are there already, whether their call goes or waits.
    if (!this.#take(window, inputBytes)) return null;
    if (this.#waiting.of(window.owner) === 0 && this.#reserve(window, source))
      return this.#place(window, source, inputBytes);
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
      const waiting: Waiting = { window, source, inputBytes, enter };
      this.#waiting.add(window.owner, waiting);
      this.#keepLooking();
    });
  }

  /** No call of that run goes on from here. */
  close(window: ReplyWindow): void {
    window.closed = true;
    this.#serve();
  }

  #place(window: ReplyWindow, source: string, inputBytes: number): ReplyPlace {
    let bytes = inputBytes + this.#usual.of(source);
    return {
      arrived: (replyBytes) => {
        this.#usual.saw(source, replyBytes);
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

  /** A door that finds it tight sends nothing, so that counts as no room. */
  #reserve(window: ReplyWindow, source: string): boolean {
    const bytes = this.#usual.of(source);
    if (window.held.isTight || !this.#take(window, bytes)) return false;
    if (!window.held.isTight) return true;
    this.#give(window, bytes);
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
        ({ window, source }) => window.closed || this.#reserve(window, source),
      );
      if (next === undefined) return;
      const { window, source, inputBytes, enter } = next;
      if (!window.closed) enter(this.#place(window, source, inputBytes));
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
