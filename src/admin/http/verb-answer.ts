import type { ServerResponse } from "node:http";
import type { Clock } from "../../terms/time/clock.ts";
import type { OnEndedCall } from "../../terms/ended-call.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { openEventStream } from "./event-stream.ts";
import type { Refusal } from "./refusal.ts";
import { errorBody, sendError, sendJsonText } from "./send-json.ts";

/** Sends a verb's outcome to the client, with its remarks and progress. */
export interface VerbAnswer {
  note(sentence: string): void;
  /** The remarks that are not sent yet. */
  readonly notes: readonly string[];
  readonly onProgress: OnProgress;
  /** Missing if the answer cannot carry single calls. */
  readonly ended?: OnEndedCall;
  /** @param json the result */
  result(json: string): void;
  error(refusal: Refusal): void;
}

/** One answer at the end, with the remarks in a header. */
export function answerAtOnce(response: ServerResponse): VerbAnswer {
  const notes: string[] = [];
  return {
    note: (sentence) => void notes.push(sentence),
    notes,
    onProgress: () => {},
    result: (json) => sendJsonText(response, 200, json, notes),
    error: (refusal) => sendError(response, refusal, notes),
  };
}

const PROGRESS_EVERY_MS = 100;
const BEAT_EVERY_MS = 15_000;
/** If more bytes than this are unread, progress is not sent: it would be out of date when read. */
const UNREAD_MAX = 65_536;

/**
 * Sends events while the verb runs: `note`, `progress` and `call`, then one `result` or one `error`. The status is
 * always 200, because it is sent before the outcome is known.
 */
export function answerByEvents(response: ServerResponse, clock: Clock): VerbAnswer {
  const stream = openEventStream(response);
  let cancelBeat = (): void => {};
  let lastProgress = { what: "", at: Number.NEGATIVE_INFINITY };
  let unsent: object | null = null;

  function beatLater(): void {
    cancelBeat = clock.after(BEAT_EVERY_MS, () => (stream.beat(), beatLater()), "loose");
  }
  function sendUnsent(): void {
    if (unsent !== null) stream.send("progress", unsent);
    unsent = null;
  }
  function end(how: "result" | "error", json: string): void {
    sendUnsent();
    stream.sendText(how, json);
    cancelBeat();
    stream.end();
  }
  beatLater();
  response.on("close", () => cancelBeat());

  return {
    note(sentence) {
      sendUnsent();
      stream.send("note", { says: sentence });
    },
    notes: [],
    onProgress(what, done, of) {
      unsent = { what, done, ...(of !== undefined && { of }) };
      const now = clock.now();
      if (what === lastProgress.what && (now - lastProgress.at < PROGRESS_EVERY_MS || stream.unread() > UNREAD_MAX))
        return;
      lastProgress = { what, at: now };
      sendUnsent();
    },
    ended({ source, success, match, tookMs }) {
      if (stream.unread() <= UNREAD_MAX) stream.send("call", { source, success, match, took_ms: tookMs });
    },
    result: (json) => end("result", json),
    error: (refusal) => end("error", JSON.stringify(errorBody(refusal))),
  };
}
