import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { logins, onSessionEnded } from "../session.ts";
import { CallError, OWN_HEADERS } from "./send-request.ts";
import { createEventReader } from "./read-events.ts";
import { trackPending } from "./pending-requests.ts";
import type { LiveEvent } from "./verbs.ts";

/** The latest live event, and whether events arrive. */
export interface Live {
  /** The latest event; `undefined` before the first. */
  readonly event: LiveEvent | undefined;
  /** Why no events arrive at the moment; `undefined` if they do. */
  readonly problem: CallError | undefined;
}

const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 15_000;
/** The connection counts as broken after this time without an event. The service sends one every second. */
const SILENT_MS = 6_000;

const live = signal<Live>({ event: undefined, problem: undefined });

/** The live event, received only while the page is visible, because the service limits the number of streams. */
export function useLive(): Live {
  const times = logins.value;
  useEffect(() => {
    let gone = new AbortController();
    const follow = () => {
      gone.abort();
      gone = new AbortController();
      if (document.visibilityState === "visible") void listen(gone.signal);
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      gone.abort();
      document.removeEventListener("visibilitychange", follow);
    };
  }, [times]);
  return live.value;
}

/** Connects again and again until `gone` is aborted or the session ends. */
async function listen(gone: AbortSignal): Promise<void> {
  const first = Promise.withResolvers<void>();
  // Until the first event the page may still change its layout. Later events change only values.
  if (live.peek().event === undefined) void trackPending(first.promise);
  gone.addEventListener("abort", () => first.resolve());
  for (let wait = RETRY_FIRST_MS; !gone.aborted; wait = Math.min(wait * 2, RETRY_MAX_MS)) {
    try {
      await readAll(gone, (event) => {
        wait = RETRY_FIRST_MS;
        live.value = { event, problem: undefined };
        first.resolve();
      });
    } catch (thrown) {
      first.resolve();
      if (gone.aborted) return;
      const problem =
        thrown instanceof CallError ? thrown : new CallError("unreachable", "The service does not answer.");
      live.value = { ...live.peek(), problem };
      if (problem.code === "unauthenticated") return void onSessionEnded();
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** Never resolves; throws when the stream ends. */
async function readAll(gone: AbortSignal, onEvent: (event: LiveEvent) => void): Promise<never> {
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), SILENT_MS);
  try {
    const signal = AbortSignal.any([gone, silent.signal]);
    const response = await fetch("/api/live", { headers: OWN_HEADERS, cache: "no-store", signal });
    if (!response.ok) throw toError(await response.text());
    const pieces = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const read = createEventReader();
    for (;;) {
      const { value, done } = await pieces.read();
      if (done) throw new CallError("unreachable", "The service closed the connection.");
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), SILENT_MS);
      for (const { event, data } of read(value)) {
        if (event === "error") throw toError(data);
        onEvent(JSON.parse(data) as LiveEvent);
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

function toError(text: string): CallError {
  try {
    const { code, message } = (JSON.parse(text) as { error: { code: string; message: string } }).error;
    return new CallError(code, message);
  } catch {
    return new CallError("unreachable", "The answer did not come from the service.");
  }
}
