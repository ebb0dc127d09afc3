import { createGunzip, gunzipSync } from "node:zlib";
import type { IntakeProblem, ReplyIntake } from "./reply-intake.ts";

/** Replies up to this size are decoded synchronously: another thread would cost more than the decoding. */
const SYNC_RAW_BYTES = 32 * 1024;
const SYNC_DECODED_BYTES = 256 * 1024;
/** The size of the chunks that decoding produces. */
const PIECE_BYTES = 64 * 1024;

export type GzipProblem = IntakeProblem | "broken";

/**
 * Decodes one layer of gzip into `decoded`, whose limit stops a decompression bomb. Calls `done` once. The returned
 * function stops the decoding; `done` is then not called.
 */
export function decodeGzip(raw: Buffer, decoded: ReplyIntake, done: (problem: GzipProblem | null) => void): () => void {
  const { bytesMax } = decoded;
  if (raw.length <= SYNC_RAW_BYTES) {
    const now = decodeNow(raw, Math.min(SYNC_DECODED_BYTES, bytesMax));
    if (typeof now !== "string") {
      done(decoded.add(now));
      return ignore;
    }
    if (now === "broken" || bytesMax <= SYNC_DECODED_BYTES) {
      done(now);
      return ignore;
    }
  }
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
  const stop = (): void => {
    gunzip.removeAllListeners();
    gunzip.on("error", ignore);
    gunzip.destroy();
  };
  const end = (problem: GzipProblem | null): void => {
    stop();
    done(problem);
  };
  gunzip.on("data", (piece: Buffer) => {
    const problem = decoded.add(piece);
    if (problem !== null) end(problem);
  });
  gunzip.on("end", () => end(null));
  gunzip.on("error", () => end("broken"));
  gunzip.end(raw);
  return stop;
}

function decodeNow(raw: Buffer, bytesMax: number): Buffer | "too_large" | "broken" {
  try {
    return gunzipSync(raw, { maxOutputLength: bytesMax });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? "too_large" : "broken";
  }
}

function ignore(): void {}
