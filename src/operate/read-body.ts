import type { IncomingMessage } from "node:http";

/**
 * The body of a request, or `null` if it is larger than that: then its rest is discarded, so that the client can read
 * why it is refused. Rejects when the client goes away.
 */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The end of the loop must not destroy the request, and the answer with it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) break;
    chunks.push(chunk);
  }
  if (bytes <= bytesMax) return Buffer.concat(chunks);
  request.resume();
  return null;
}
