import { CallError, type ErrorBody, readResult, send, toError } from "./ask.ts";
import { createEventReader } from "./read-events.ts";
import { counted } from "./under-way.ts";
import type { EndedCall } from "./verbs.ts";

const EVENTS = "text/event-stream";

/** The same as `ask`, told as it goes: of each call of the run that is made. @throws CallError */
export function askByEvents(path: string, input: object, ended: (call: EndedCall) => void): Promise<unknown> {
  return counted(post(path, input, ended));
}

async function post(path: string, input: object, ended: (call: EndedCall) => void): Promise<unknown> {
  const response = await send(path, input, {}, EVENTS);
  // What is refused before it begins is answered as always.
  if (!response.headers.get("Content-Type")?.startsWith(EVENTS)) return readResult(response);
  const pieces = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const read = createEventReader();
  for (;;) {
    const { value, done } = await pieces.read().catch(() => ({ value: undefined, done: true }));
    if (done || value === undefined) throw new CallError("unreachable", "The service has hung up.");
    for (const { event, data } of read(value)) {
      if (event === "result") return JSON.parse(data) as unknown;
      if (event === "error") throw toError(response.status, (JSON.parse(data) as { readonly error: ErrorBody }).error);
      if (event === "call") ended(JSON.parse(data) as EndedCall);
    }
  }
}
