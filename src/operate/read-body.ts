import type { IncomingMessage } from "node:http";
import { JoinedBytes, piecesMax } from "../terms/joined-bytes.ts";

/**
 * The body of a request, or `null` if it is larger than that, or comes in far more pieces than any client makes: then its
 * rest is discarded, so that the client can read why it is refused. Rejects when the client goes away.
 */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer | null> {
  const joined = new JoinedBytes();
  // The end of the loop must not destroy the request, and the answer with it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (joined.length + chunk.length > bytesMax || joined.pieces >= piecesMax(bytesMax)) {
      request.resume();
      return null;
    }
    joined.add(chunk);
  }
  return joined.take();
}
