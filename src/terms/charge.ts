/**
 * The one place where it is decided what a vendor has charged. A verdict belongs to a request that was sent, and is made
 * of what is known of that request alone; a call's is made of its requests'. A fault that belongs to no request (nothing
 * could be recorded, the run was stopped, the time was over before sending) is no part of it.
 * `docs/explanation/charges-and-records.md` says the same in words, and a test compares its table with this.
 */
import { Fault, FAULTS, faultCodeOfStatus, type Charged } from "./fault.ts";

/**
 * What a vendor bills:
 * - `free`: nothing.
 * - `per_call`: every request that it takes up. Whether one that ended in an error is on the invoice, only it knows.
 * - `per_success`: every request that it completes, with or without a record. An error costs nothing.
 * - `per_match`: a record. An error, and an answer without a record, costs nothing.
 */
export const CHARGE_MODELS = ["free", "per_call", "per_success", "per_match"] as const;
export type ChargeModel = (typeof CHARGE_MODELS)[number];

/** What is known of one request that was sent. */
export interface SentRequest {
  /** Never billed by itself, as its author says: a login, a poll. */
  readonly free: boolean;
  /** `null`: no HTTP has come back. */
  readonly status: number | null;
  /** Whether that status is 2xx, or one that the source reads as an answer. */
  readonly isAnswer: boolean;
  /** Its answer has come, all of it or as much as anybody could use. False: cut short, or nobody saw its end. */
  readonly hasEnded: boolean;
  /** The author's own word on this very request, which overrules everything. */
  readonly said: Charged | null;
}

/** How a call ended: completed with or without a record, or failed. */
export type CallEnd = { readonly match: boolean } | Fault;

/** What each request of a call was charged, in their order. */
export function chargesOf(requests: readonly SentRequest[], model: ChargeModel, end: CallEnd): Charged[] {
  const reported = end instanceof Fault ? end.reported : null;
  const reporting = reported === null ? -1 : requests.findLastIndex(mayReport);
  return requests.map((request, at) =>
    at === reporting ? chargeOfReport(request, model, end as Fault) : chargeOf(request, model, end),
  );
}

/** What a whole call was charged: any yes is yes, else any unknown is unknown. */
export function chargeOfCall(requests: readonly Charged[]): Charged {
  if (requests.includes("yes")) return "yes";
  return requests.includes("unknown") ? "unknown" : "no";
}

function chargeOf(request: SentRequest, model: ChargeModel, end: CallEnd): Charged {
  const { free, status, isAnswer, hasEnded, said } = request;
  if (said !== null) return said;
  if (free || model === "free") return "no";
  if (status === null) return "unknown";
  if (!isAnswer) return chargeOfStatus(status, model);
  if (!hasEnded) return "unknown";
  if (model !== "per_match") return "yes";
  // Nobody can tell whether there was a record in what could not be read.
  return end instanceof Fault ? "unknown" : end.match ? "yes" : "no";
}

/** Of a status that its source does not read. */
function chargeOfStatus(status: number, model: ChargeModel): Charged {
  if (status >= 300 && status < 400) return "no";
  const code = faultCodeOfStatus(status);
  return code === null ? "unknown" : chargeOfError(FAULTS[code].charged, model);
}

/** An error that the vendor itself owns up to is neither a completed call nor a record. */
function chargeOfError(charged: Charged, model: ChargeModel): Charged {
  return model === "per_call" ? charged : "no";
}

/** A vendor's failure inside an answer speaks of the last request that may be billed: an order, not the poll that tells of it. */
function mayReport({ free, hasEnded, said }: SentRequest): boolean {
  return !free && hasEnded && said === null;
}

function chargeOfReport(request: SentRequest, model: ChargeModel, end: Fault): Charged {
  if (model === "free") return "no";
  const { charged } = end.reported!;
  if (charged !== undefined) return charged;
  const { charged: ofKind } = end.row;
  return ofKind === "as_answered" || !request.isAnswer ? chargeOf(request, model, end) : chargeOfError(ofKind, model);
}
