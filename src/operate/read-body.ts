import type { IncomingMessage } from "node:http";
import { JoinedBytes, piecesMax } from "../terms/joined-bytes.ts";

/**
 * The body of a request, or `null` if it is larger than that, or comes in far more pieces than any client makes: then its
 * rest is discarded, so that the client can read why it is refused. Rejects when the client goes away.
 */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer | null> {
  const joined = new JoinedBytes();
  let isTooMuch = false;
  // The end of the loop must not destroy the request, and the answer with it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    isTooMuch = joined.length + chunk.length > bytesMax || joined.pieces >= piecesMax(bytesMax);
    if (isTooMuch) break;
    joined.add(chunk);
  }
  if (!isTooMuch) return joined.take();
  // Not before the loop has let go of the request: until then it would not flow, and every piece of the rest be kept.
  request.on("data", () => {});
  request.resume();
  return null;
}
