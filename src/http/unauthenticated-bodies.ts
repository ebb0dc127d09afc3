import type { ServerResponse } from "node:http";
import { ClientGone, type IncomingBody } from "./incoming-body.ts";

/** A body of at most this many bytes does not wait, because it arrives in one read of its socket. */
export const SMALL_BODY_BYTES = 16_384;

const noRelease = () => {};

/**
 * Limits how many large bodies of unauthenticated callers are in memory at once. Further ones wait in order: their sockets
 * are not read, and the request timeout ends those that wait too long. Callers who send their token in a header do not wait.
 */
export class UnauthenticatedBodies {
  readonly #max: number;
  #reading = 0;
  readonly #waiting = new Set<() => void>();

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Resolves when the body may be read. Call the returned function once the body is not needed, or its caller is known.
   */
  async enter(body: IncomingBody, response: ServerResponse): Promise<() => void> {
    if (body.announced !== undefined && body.announced <= SMALL_BODY_BYTES) return noRelease;
    if (this.#reading < this.#max) this.#reading += 1;
    else await this.#wait(response);
    return () => this.#release();
  }

  /** @throws ClientGone */
  #wait(response: ServerResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(resolve);
      response.once("close", () => {
        if (this.#waiting.delete(resolve)) reject(new ClientGone());
      });
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#reading -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
