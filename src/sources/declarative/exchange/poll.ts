import type { SourceCall } from "../../../sdk/source.ts";
import { Fault } from "../../../terms/fault.ts";
import { compilePredicate, type ExpressionNames, type ReplyView } from "../expressions/expression.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import type { StepFile } from "../format/steps-format.ts";
import type { Failing } from "../reply/judge-reply.ts";

/** How a step is repeated, and when it is finished. */
export interface Poll {
  isReady(view: ReplyView): boolean;
  /** Throws if the vendor reports that it has given up. */
  readonly failing: Failing;
  readonly firstAfterMs: number;
  readonly everyMs: number;
  readonly backoff: number;
  readonly requestsMax: number;
}

/** The interval grows to at most this multiple of `every_ms`. */
const GROWTH_MAX = 10;
/** Polling ends after this many consecutive failed requests. */
const LOST_MAX = 3;

/** @throws DeclarationError */
export function compilePoll(file: StepFile, names: ExpressionNames, place: DocumentLocation): Poll | null {
  const { poll } = file;
  if (poll === undefined) return null;
  if (file.free !== true) {
    const hint = "write free: true; make what is billed another step, such as the order";
    place.refuseKey("format.value", "a step that polls is sent many times, so it must be free", hint);
  }
  const hasGivenUp =
    poll.fail_when === undefined ? () => false : compilePredicate(poll.fail_when, place.in("fail_when"), names);
  return {
    isReady: compilePredicate(poll.until, place.in("until"), names),
    failing(view) {
      const detail = { status: view.status, problem: "it reports a failure" };
      if (hasGivenUp(view)) throw new Fault("source.vendor_failure", detail, { reported: {} });
    },
    firstAfterMs: poll.first_after_ms ?? 0,
    everyMs: poll.every_ms ?? 1_000,
    backoff: poll.backoff ?? 1,
    requestsMax: poll.max_polls ?? 30,
  };
}

/** The outcome of one request of a poll: a reply, or a failure that does not concern the order. */
export type Polled<Answer> =
  | { readonly answer: Answer; readonly isReady: boolean; readonly retryAfterMs: number }
  | { readonly lost: Fault; readonly retryAfterMs: number };

/**
 * Repeats the request until the vendor is ready, with waits in between, within the time limit of the call. Calls
 * `ordered` when a reply first shows that the vendor is working on the order. @throws Fault `source.pending` if the
 * vendor is not ready in time
 */
export async function pollFor<Answer>(
  poll: Poll,
  { wait, ordered }: Pick<SourceCall, "wait" | "ordered">,
  start: { readonly afterMs: number; readonly isOrdered: boolean },
  askOnce: () => Promise<Polled<Answer>>,
): Promise<Answer> {
  let { isOrdered } = start;
  let waitMs = start.afterMs;
  let everyMs = poll.everyMs;
  let lost = 0;
  for (let asked = 1; ; asked += 1) {
    if (waitMs > 0) await wait(waitMs);
    const polled = await askOnce();
    if ("answer" in polled) {
      if (polled.isReady) return polled.answer;
      lost = 0;
      if (!isOrdered) ordered();
      isOrdered = true;
    } else if ((lost += 1) === LOST_MAX) throw polled.lost;
    waitMs = Math.max(polled.retryAfterMs, everyMs);
    everyMs = Math.min(everyMs * poll.backoff, GROWTH_MAX * poll.everyMs);
    if (asked === poll.requestsMax) throw new Fault("source.pending");
  }
}

/** Failures of the connection or of this service, which do not concern the order. */
const PASSING: ReadonlySet<string> = new Set([
  "source.connection_lost",
  "source.no_room",
  "source.queue_full",
  "source.unreachable",
]);

/** Returns the fault if the request can be repeated after it; otherwise `null`. */
export function passingFault(thrown: unknown): Fault | null {
  return thrown instanceof Fault && PASSING.has(thrown.code) ? thrown : null;
}

/** Whether the vendor may accept the same request later. */
export function isPassingStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
