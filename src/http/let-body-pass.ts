import type { Connection } from "./connection.ts";

/** How long nothing may come, and how long it may take altogether. */
const IDLE_MS = 500;
const WHOLE_MS = 3_000;

/**
 * Takes in what a client still sends behind an answer that closes, unparsed, and throws it away, up to a limit. Closing a
 * connection on which bytes still come in resets it, and a reset can take the answer away from a client that has not read
 * it yet.
 */
export function letBodyPass(connection: Connection, bytesMax: number, passed: () => void): void {
  const { socket } = connection;
  const whole = setTimeout(end, WHOLE_MS);
  const idle = setTimeout(end, IDLE_MS);
  let bytes = 0;
  function end(): void {
    clearTimeout(idle);
    clearTimeout(whole);
    socket.off("end", end).off("close", end);
    passed();
  }
  connection.pass((count) => {
    bytes += count;
    if (bytes <= bytesMax) idle.refresh();
    else if (bytes - count <= bytesMax) end();
  });
  socket.once("end", end).once("close", end);
}
