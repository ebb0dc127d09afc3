import type { IncomingMessage } from "node:http";

/** How long nothing may come, and how long it may take altogether. */
const IDLE_MS = 500;
const WHOLE_MS = 3_000;

/**
 * Takes in the rest of a body that nobody wants and throws it away, up to a limit. Closing a connection on which bytes
 * still come in resets it, and a reset can take the answer away from a client that has not read it yet.
 */
export function letBodyPass(request: IncomingMessage, bytesMax: number, passed: () => void): void {
  const startedAt = performance.now();
  let bytes = 0;
  const idle = setTimeout(end, IDLE_MS);
  function take(chunk: Buffer): void {
    bytes += chunk.length;
    if (bytes > bytesMax || performance.now() - startedAt > WHOLE_MS) end();
    else idle.refresh();
  }
  function end(): void {
    clearTimeout(idle);
    request.off("data", take).off("end", end).off("close", end);
    request.pause();
    passed();
  }
  request.on("data", take).once("end", end).once("close", end);
  request.resume();
}
