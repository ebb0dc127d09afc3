import type { IncomingMessage } from "node:http";
import { JoinedBytes, piecesMax } from "../terms/json/joined-bytes.ts";

/**
 * The body of a request. `null` if it is larger than `bytesMax`, or comes in far more pieces than any client sends: the
 * rest is discarded, so that the client can read the refusal. Rejects when the client disconnects.
 */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer | null> {
  const joined = new JoinedBytes();
  let isTooMuch = false;
  // The end of the loop must not destroy the request, because its answer uses the same socket.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    isTooMuch = joined.length + chunk.length > bytesMax || joined.pieces >= piecesMax(bytesMax);
    if (isTooMuch) break;
    joined.add(chunk);
  }
  if (!isTooMuch) return joined.take();
  // Must come after the loop has released the request: before that, the request would not flow, and all pieces of the
  // rest would be buffered.
  request.on("data", () => {});
  request.resume();
  return null;
}
