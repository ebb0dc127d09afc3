import type { Turn } from "./connection.ts";

/** How long nothing may come, and how long it may take altogether. */
const IDLE_MS = 500;
const WHOLE_MS = 3_000;

/**
 * Takes in the rest of a body that nobody wants, unparsed, and throws it away, up to a limit. Closing a connection on
 * which bytes still come in resets it, and a reset can take the answer away from a client that has not read it yet.
 */
export function discardBody({ request, body, connection }: Turn, bytesMax: number, discarded: () => void): void {
  const { socket } = connection;
  const whole = setTimeout(end, WHOLE_MS);
  const idle = setTimeout(end, IDLE_MS);
  let bytes = 0;
  let isOver = false;
  function end(): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(idle);
    clearTimeout(whole);
    socket.off("end", end).off("close", end);
    discarded();
  }
  connection.discard((count) => {
    bytes += count;
    // Where a body in chunks ends is not seen any more.
    if (bytes > bytesMax || (body.announced !== undefined && bytes >= body.left)) end();
    else idle.refresh();
  });
  socket.once("end", end).once("close", end);
  // What came together with its head is parsed in this turn.
  setImmediate(() => request.complete && end());
}
