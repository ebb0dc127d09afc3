import type { Turn } from "./connection.ts";

/** The longest pause between bytes, and the longest time altogether. */
const IDLE_MS = 500;
const WHOLE_MS = 3_000;

/**
 * Reads and discards the rest of an unwanted body, up to a limit. Closing a connection on which bytes still arrive resets
 * it, and a reset can destroy an answer that the client has not read yet.
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
    // The end of a chunked body cannot be seen any more.
    if (bytes > bytesMax || (body.announced !== undefined && bytes >= body.left)) end();
    else idle.refresh();
  });
  socket.once("end", end).once("close", end);
  // What came together with its head is parsed in this turn.
  setImmediate(() => request.complete && end());
}
