import { gunzip, gunzipSync } from "node:zlib";

/** Small replies are decoded at once: handing them to another thread costs more than decoding them. */
const SYNC_RAW_BYTES = 32 * 1024;
const SYNC_DECODED_BYTES = 256 * 1024;

export type Decoded = Buffer | "too_large" | "broken";

/** Undoes one layer of gzip. The decoder itself stops at the cap, so a bomb costs no more memory than that. */
export function decodeGzip(raw: Buffer, bytesMax: number, done: (decoded: Decoded) => void): void {
  if (raw.length <= SYNC_RAW_BYTES) {
    const decoded = decodeNow(raw, Math.min(SYNC_DECODED_BYTES, bytesMax));
    if (decoded !== "too_large" || bytesMax <= SYNC_DECODED_BYTES) {
      done(decoded);
      return;
    }
  }
  gunzip(raw, { maxOutputLength: bytesMax }, (error, decoded) => done(error === null ? decoded : problemOf(error)));
}

function decodeNow(raw: Buffer, bytesMax: number): Decoded {
  try {
    return gunzipSync(raw, { maxOutputLength: bytesMax });
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): "too_large" | "broken" {
  return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? "too_large" : "broken";
}
