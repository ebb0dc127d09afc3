import type { Connection } from "./connection.ts";
import { discardBytes } from "./discard-bytes.ts";

/** How much of what a client sends behind an answer that closes is read, so that the answer reaches it. */
const BEHIND_BYTES_MAX = 1024 * 1024;

/** Ends our half of a connection, after a last text, and closes it when the client has ended its own. */
export function closeInOrder(connection: Connection, text = ""): void {
  const { socket } = connection;
  // It is being closed already.
  if (!socket.writable) return;
  socket.end(text, () => {
    discardBytes(
      connection,
      (bytes) => bytes > BEHIND_BYTES_MAX,
      () => socket.destroy(),
    );
  });
}
