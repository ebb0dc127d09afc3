import type { SourceCall } from "../../../sdk/source.ts";
import type { Clock } from "../../../terms/clock.ts";
import { Fault } from "../../../terms/fault.ts";
import { compilePredicate, type ExpressionNames, type ReplyView } from "../expressions/expression.ts";
import type { Place } from "../format/read-document.ts";
import type { StepFile } from "../format/steps-format.ts";
import type { Failing } from "../reply/judge-reply.ts";

/** What a step that is asked again and again waits for, and how. */
export interface Poll {
  isReady(view: ReplyView): boolean;
  /** Throws where the vendor has given up. */
  readonly failing: Failing;
  readonly firstAfterMs: number;
  readonly everyMs: number;
  readonly backoff: number;
  readonly requestsMax: number;
}

/** How much longer than the first one a wait may become. */
const GROWTH_MAX = 10;
/** So many requests may go wrong in a row. */
const LOST_MAX = 3;

/** @throws DeclarationError */
export function compilePoll(file: StepFile, names: ExpressionNames, place: Place): Poll | null {
  const { poll } = file;
  if (poll === undefined) return null;
  if (file.free !== true) {
    const hint = "write free: true; what is billed is another step, such as the order";
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

/** One request of a poll: what came, or that nothing did which says anything of the order. */
export type Polled<Answer> =
  | { readonly answer: Answer; readonly isReady: boolean; readonly retryAfterMs: number }
  | { readonly lost: Fault; readonly retryAfterMs: number };

/**
 * Asks until the vendor is ready, waiting in between, and no longer than the call lasts. `order` says that the vendor
 * works on it. @throws Fault `source.pending` where that is not in time
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
    try {
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
    } catch (thrown) {
      const isOver = thrown instanceof Fault && thrown.code === "source.stopped";
      throw isOver && isOrdered ? new Fault("source.pending", {}, { cause: thrown }) : thrown;
    }
    if (asked === poll.requestsMax) throw new Fault("source.pending");
  }
}

/** Failures that say something of a connection, or of this service, and nothing of the order. */
const PASSING: ReadonlySet<string> = new Set([
  "source.connection_lost",
  "source.no_room",
  "source.queue_full",
  "source.unreachable",
]);

/** The failure of a request after which another may do. */
export function passingFault(thrown: unknown): Fault | null {
  return thrown instanceof Fault && PASSING.has(thrown.code) ? thrown : null;
}

/** Statuses by which a vendor says "not now". */
export function isPassingStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** What an answer asks to be waited: seconds, or the time of day until when. 0 where it says nothing that can be read. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, clock: Clock): number {
  const written = headers["retry-after"]?.trim() ?? "";
  if (/^[0-9]{1,9}$/.test(written)) return Number(written) * 1_000;
  const until = /^[A-Z][a-z]{2}, /.test(written) ? Date.parse(written) : Number.NaN;
  return Number.isNaN(until) ? 0 : Math.max(0, until - clock.wall());
}
