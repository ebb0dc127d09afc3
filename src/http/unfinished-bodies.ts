import { Fault } from "../terms/fault.ts";

/** A body that is still coming. */
export interface Unfinished {
  /** It is not read any further, and what it held is held no more. */
  giveUp(fault: Fault): void;
}

/**
 * Bodies of callers who are not known yet, in the order in which they began. Together they have one small share of what
 * may be held: where it is used up, whoever has been sending for longest makes way, so that slow strangers cannot keep out
 * those whose token is in a body that comes at once.
 */
export class UnfinishedBodies {
  readonly #coming = new Set<Unfinished>();

  begin(body: Unfinished): void {
    this.#coming.add(body);
  }

  end(body: Unfinished): void {
    this.#coming.delete(body);
  }

  /** Whoever has been sending for longest gives up what it holds. False: that would be `body` itself, or there is none. */
  makeWay(body?: Unfinished): boolean {
    const [longest] = this.#coming;
    if (longest === undefined || longest === body) return false;
    this.end(longest);
    longest.giveUp(new Fault("request.overloaded"));
    return true;
  }
}
