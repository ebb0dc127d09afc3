import { Fault } from "../terms/fault.ts";

/** A body that is still coming. */
export interface Unfinished {
  /** Stops reading it, and releases its memory. */
  giveUp(fault: Fault): void;
}

/**
 * Bodies of callers that are not authenticated yet, in the order in which they began. Together they have a small share of
 * the memory budget. When it is used up, the one that has been sending longest is refused, so that slow unknown clients
 * cannot block callers whose token is in a body that arrives at once.
 */
export class UnfinishedBodies {
  readonly #coming = new Set<Unfinished>();

  begin(body: Unfinished): void {
    this.#coming.add(body);
  }

  end(body: Unfinished): void {
    this.#coming.delete(body);
  }

  /** Refuses the body that has been arriving longest. False if that is `body` itself, or if there is none. */
  makeWay(body?: Unfinished): boolean {
    const [longest] = this.#coming;
    if (longest === undefined || longest === body) return false;
    this.end(longest);
    longest.giveUp(new Fault("request.overloaded"));
    return true;
  }
}
