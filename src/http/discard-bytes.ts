import type { Connection } from "./connection.ts";

/** The longest pause between bytes, and the longest time altogether. */
const IDLE_MS = 500;
const WHOLE_MS = 3_000;

/**
 * Reads and discards what still arrives on a connection, until it is enough, the client has ended its half, or it has
 * taken too long. Closing a connection on which bytes still arrive resets it, and a reset can destroy an answer that the
 * client has not read yet.
 * @param isEnough is told how many bytes have been discarded
 * @returns ends it at once
 */
export function discardBytes(
  connection: Connection,
  isEnough: (bytes: number) => boolean,
  discarded: () => void,
): () => void {
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
    if (isEnough(bytes)) end();
    else idle.refresh();
  });
  socket.once("end", end).once("close", end);
  return end;
}
