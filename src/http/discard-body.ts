import type { Turn } from "./connection.ts";
import { discardBytes } from "./discard-bytes.ts";

/** Reads and discards the rest of an unwanted body, up to a limit. */
export function discardBody({ request, body, connection }: Turn, bytesMax: number, discarded: () => void): void {
  // The end of a chunked body cannot be seen any more.
  const isEnough = (bytes: number) => bytes > bytesMax || (body.announced !== undefined && bytes >= body.left);
  const end = discardBytes(connection, isEnough, discarded);
  // What came together with its head is parsed in this turn.
  setImmediate(() => request.complete && end());
}
