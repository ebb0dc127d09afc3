/**
 * Headers of everything on the admin port but metrics and probes. They are safe for a page, because a browser may open
 * any answer as one: it may not run scripts, load anything, contain frames or be framed.
 */
export const API_HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Frame-Options": "DENY",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
  // Tells a client that it has reached the admin API.
  "Datarun-Api": "1",
} as const;

/**
 * Pages of the service send this header with every request. A page of another site cannot send it without CORS
 * permission.
 */
export const CONSOLE_HEADER = "datarun-console";
/** Remarks of a verb, which the command line prints beside its result: a JSON list of sentences, percent-encoded. */
export const NOTES_HEADER = "Datarun-Notes";
/** After a text: the verb's result, percent-encoded JSON. It is there only if the text is complete. */
export const RESULT_TRAILER = "Datarun-Result";
/** With the client's other headers this stays below the 16 KiB that Node accepts. */
const NOTES_CHARS_MAX = 8_000;

/** As many of the notes as fit into the header. */
export function encodeNotes(notes: readonly string[]): string {
  const kept: string[] = [];
  for (const note of notes) {
    const more = `There are ${notes.length - kept.length} more remarks.`;
    if (encode([...kept, note, more]).length > NOTES_CHARS_MAX) return encode([...kept, more]);
    kept.push(note);
  }
  return encode(kept);
}

function encode(notes: readonly string[]): string {
  return encodeURIComponent(JSON.stringify(notes).toWellFormed());
}
