import { CallError, type ErrorBody, readResult, send, toError } from "./send-request.ts";
import { createEventReader } from "./read-events.ts";
import { trackPending } from "./pending-requests.ts";
import type { EndedCall } from "./verbs.ts";

const EVENTS = "text/event-stream";

/** Like `ask`, but also reports each call of the run as it ends. @throws CallError */
export function sendRequestWithEvents(path: string, input: object, ended: (call: EndedCall) => void): Promise<unknown> {
  return trackPending(post(path, input, ended));
}

async function post(path: string, input: object, ended: (call: EndedCall) => void): Promise<unknown> {
  const response = await send(path, input, {}, EVENTS);
  // A request that is refused before its run starts gets an ordinary JSON answer.
  if (!response.headers.get("Content-Type")?.startsWith(EVENTS)) return readResult(response);
  const pieces = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const read = createEventReader();
  for (;;) {
    const { value, done } = await pieces.read().catch(() => ({ value: undefined, done: true }));
    if (done || value === undefined) throw new CallError("unreachable", "The service closed the connection.");
    for (const { event, data } of read(value)) {
      if (event === "result") return JSON.parse(data) as unknown;
      if (event === "error") throw toError(response.status, (JSON.parse(data) as { readonly error: ErrorBody }).error);
      if (event === "call") ended(JSON.parse(data) as EndedCall);
    }
  }
}
