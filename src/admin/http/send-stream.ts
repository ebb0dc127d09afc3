import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { BINARY_TYPES, type TextStream } from "../verb.ts";
import { UNREAD_MS } from "../../operate/admin-server.ts";
import { API_HEADERS, encodeNotes, NOTES_HEADER, RESULT_TRAILER } from "./api-headers.ts";

/**
 * Sends a text as a file while it is made, at the speed at which the client reads. A failure before the first piece
 * rejects, so it can be answered as any other failure. After a later failure the connection is broken before the end of
 * the text, because the status has been sent: no client can take a part for the whole.
 * @param notes the remarks so far; later ones follow the text as trailers, with the verb's result
 */
export async function sendStream(
  response: ServerResponse,
  { mediaType, fileName, pieces }: TextStream,
  notes: readonly string[],
  stalledMs = UNREAD_MS,
): Promise<void> {
  let piece = await pieces.next();
  if (response.destroyed) return void (await pieces.return?.(undefined as never));
  const sentCount = notes.length;
  response.writeHead(200, {
    ...API_HEADERS,
    ...(sentCount === 0 ? {} : { [NOTES_HEADER]: encodeNotes(notes) }),
    "Content-Type": BINARY_TYPES.includes(mediaType) ? mediaType : `${mediaType}; charset=utf-8`,
    "Content-Disposition": `attachment; filename="${fileName}"`,
    Trailer: `${NOTES_HEADER}, ${RESULT_TRAILER}`,
  });
  response.on("timeout", () => response.destroy());
  try {
    for (; piece.done !== true; piece = await pieces.next()) {
      if (response.destroyed) return;
      // A client that closed its half of the connection may be gone, and an idle connection would not show it.
      if (piece.value.length === 0 && response.socket?.readableEnded === true) return void response.destroy();
      if (piece.value.length === 0) continue;
      if (!response.write(piece.value)) await drained(response, stalledMs);
    }
  } catch (thrown) {
    response.destroy();
    throw thrown;
  } finally {
    await pieces.return(undefined as never);
  }
  response.addTrailers({
    [NOTES_HEADER]: encodeNotes(notes.slice(sentCount)),
    [RESULT_TRAILER]: encodeURIComponent(JSON.stringify(piece.value)),
  });
  response.setTimeout(stalledMs);
  response.end();
}

/** Resolves when the client can receive more, or has disconnected. */
async function drained(response: ServerResponse, stalledMs: number): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  // From here on only the client delays the text. Whatever it reads starts the time again.
  response.setTimeout(stalledMs);
  try {
    await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
  } finally {
    over.abort();
    response.setTimeout(0);
  }
}
