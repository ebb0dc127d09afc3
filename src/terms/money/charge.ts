/**
 * The only place that decides what a vendor has charged. Each request that was sent gets a verdict from what is known
 * about that request alone; the verdict of a call follows from those of its requests. A fault without a request (the
 * request could not be recorded, the run was stopped, or the time was over before sending) plays no part.
 * `docs/explanation/charges-and-records.md` describes the same rules, and a test compares its table with this file.
 */
import { Fault, FAULTS, faultCodeOfStatus, type Charged } from "../fault.ts";

/**
 * What a vendor bills:
 *
 * - `free`: nothing.
 * - `per_call`: every request that it processes. Only the vendor knows whether it bills a request that ended in an
 *   error.
 * - `per_success`: every request that it completes, with or without a record. An error costs nothing.
 * - `per_match`: a record. An error, or an answer without a record, costs nothing.
 */
export const CHARGE_MODELS = ["free", "per_call", "per_success", "per_match"] as const;
export type ChargeModel = (typeof CHARGE_MODELS)[number];

/** What is known about one request that was sent. */
export interface SentRequest {
  /** Whether the author declares the request as never billed by itself: a login, a poll. */
  readonly free: boolean;
  /** `null`: no HTTP response has arrived. */
  readonly status: number | null;
  /** Whether that status is 2xx, or one that the source handles itself. */
  readonly isAnswer: boolean;
  /**
   * Whether the answer has arrived completely, or as much of it as can be used. False if it was cut off, or its end was
   * not observed.
   */
  readonly hasEnded: boolean;
  /** The author's explicit statement about the charge of this request. It overrides everything else. */
  readonly statedCharge: Charged | null;
  /** What the contract bills, if the credential's prices state it. It overrides the source's declaration. */
  readonly per: ChargeModel | null;
}

/** How a call ended: completed with or without a record, or failed. */
export type CallEnd = { readonly match: boolean } | Fault;

/** The charge of each request of a call, in order. */
export function chargesOf(requests: readonly SentRequest[], model: ChargeModel, end: CallEnd): Charged[] {
  const reported = end instanceof Fault ? end.reported : null;
  const reporting = reported === null ? -1 : requests.findLastIndex(mayReport);
  return requests.map((request, at) => {
    const billed = request.per ?? model;
    return at === reporting ? chargeOfReport(request, billed, end as Fault) : chargeOf(request, billed, end);
  });
}

/** The charge of a whole call: yes if any is yes, otherwise unknown if any is unknown. */
export function chargeOfCall(requests: readonly Charged[]): Charged {
  if (requests.includes("yes")) return "yes";
  return requests.includes("unknown") ? "unknown" : "no";
}

function chargeOf(request: SentRequest, model: ChargeModel, end: CallEnd): Charged {
  const { free, status, isAnswer, hasEnded, statedCharge: said } = request;
  if (said !== null) return said;
  if (free || model === "free") return "no";
  if (status === null) return "unknown";
  if (!isAnswer) return chargeOfStatus(status, model);
  if (!hasEnded) return "unknown";
  if (model !== "per_match") return "yes";
  // An unreadable answer may or may not have contained a record.
  return end instanceof Fault ? "unknown" : end.match ? "yes" : "no";
}

/** The charge for a status that its source does not handle. */
function chargeOfStatus(status: number, model: ChargeModel): Charged {
  if (status >= 300 && status < 400) return "no";
  const code = faultCodeOfStatus(status);
  return code === null ? "unknown" : chargeOfError(FAULTS[code].charged, model);
}

/** The charge for an error that the vendor itself reports: neither a completed call nor a record. */
function chargeOfError(charged: Charged, model: ChargeModel): Charged {
  return model === "per_call" ? charged : "no";
}

/**
 * Whether a failure that the vendor reports in an answer concerns this request. It concerns the last billable request:
 * the order, not the poll that returned it. If the author has stated that request's charge, the failure changes no
 * charge, because it does not concern an earlier request either.
 */
function mayReport({ free, hasEnded, statedCharge: said }: SentRequest): boolean {
  return !free && hasEnded && said !== "no";
}

function chargeOfReport(request: SentRequest, model: ChargeModel, end: Fault): Charged {
  if (request.statedCharge !== null) return request.statedCharge;
  if (model === "free") return "no";
  const { charged } = end.reported!;
  if (charged !== undefined) return charged;
  const { charged: ofKind } = end.row;
  return ofKind === "as_answered" || !request.isAnswer ? chargeOf(request, model, end) : chargeOfError(ofKind, model);
}
