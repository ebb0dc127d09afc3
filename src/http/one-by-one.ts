import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Feed, type FeedGate, headBytes } from "./feed.ts";

/**
 * Makes a server of Node's read the next request of a connection only when the one before has its answer. Otherwise a
 * client that sends a thousand requests in one packet has a thousand answers made at once, and kept until it reads them.
 */
export function takeOneByOne(server: Server): void {
  const connections = new WeakMap<Socket, OneByOne>();
  server.on("connection", (socket: Socket) => void connections.set(socket, new OneByOne(socket)));
  server.on("request", (request, response) => connections.get(request.socket)?.take(request, response));
}

class OneByOne implements FeedGate {
  readonly #feed: Feed;
  /** In progress. */
  #request: IncomingMessage | null = null;
  /** What is to come of its body, if it has said how much that is. */
  #bodyLeft = 0;
  #isFeedingBody = false;

  constructor(socket: Socket) {
    this.#feed = new Feed(socket, this);
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request;
    this.#bodyLeft = Number(request.headers["content-length"] ?? 0);
    response.once("close", () => {
      // In a turn of its own: else everything that a client has sent ahead would come before all others.
      setImmediate(() => {
        if (this.#request === request) this.#request = null;
        this.#feed.go();
      });
    });
  }

  mayFeed(): boolean {
    return this.#request === null || !this.#request.complete;
  }

  sliceBytes(bytes: Buffer): number {
    this.#isFeedingBody = this.#request !== null;
    if (!this.#isFeedingBody) return headBytes(bytes);
    // A chunked body ends with an empty line, as a head does: what comes after it belongs to the next request.
    return this.#bodyLeft > 0 ? this.#bodyLeft : headBytes(bytes);
  }

  fed(bytes: number): void {
    if (this.#isFeedingBody) this.#bodyLeft -= bytes;
  }

  ended(): void {}
}
