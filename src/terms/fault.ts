/**
 * Every failure of the service. A fault has two audiences: the client gets the row's sentence, filled from `detail`;
 * the log gets `cause` and `detail`. No match is not a fault. `docs/errors.md` lists the same codes, and a test
 * compares the two.
 *
 * - `surface` request: the HTTP status and error body; source, function: an entry of a 200 answer.
 * - `kind`: the wire code of an error body, or `failure.kind` (decision 0005), or a declarative source's
 *   `errors[].kind`.
 * - `charged`: whether a vendor that bills by the call has billed the failed request; `as_answered` if the vendor's
 *   answer decides that, not the failure. `charge.ts` decides the charge.
 */
export type Surface = "request" | "source" | "function";
export type Charged = "yes" | "no" | "unknown";

/** Checks an author's statement, which has not been validated. */
export function isCharged(said: unknown): said is Charged {
  return said === "yes" || said === "no" || said === "unknown";
}

interface FaultTableRow {
  readonly surface: Surface;
  readonly status: number;
  readonly prefix: string;
  readonly kind: string;
  readonly retryable: boolean;
  readonly charged: Charged | "as_answered";
  readonly says: string;
}

function request<const K extends string>(status: number, kind: K, says: string, retryable = false) {
  return { surface: "request", status, prefix: "", kind, retryable, charged: "no", says } as const;
}

function source<const K extends string, const C extends FaultTableRow["charged"]>(
  kind: K,
  retryable: boolean,
  charged: C,
  says: string,
  prefix = "Adapter error:",
) {
  return { surface: "source", status: 200, prefix, kind, retryable, charged, says } as const;
}

/** A function itself charges nothing; its calls do. `retryable`: nothing of the function has run. */
function dataFunction<const K extends string>(
  kind: K,
  says: string,
  { prefix = "Data function error:", retryable = false } = {},
) {
  return { surface: "function", status: 200, prefix, kind, retryable, charged: "no", says } as const;
}

export const FAULTS = {
  "request.unauthenticated": request(
    401,
    "unauthenticated",
    "The access token or workflow is missing or was rejected.",
  ),
  "request.invalid": request(422, "invalid_request", "The request does not match the schema of this endpoint."),
  "request.no_sources": request(500, "no_sources", "config.sources names no source."),
  "request.overloaded": request(500, "overloaded", "The service is at its limit. Nothing was run; try again.", true),
  "request.stopping": request(500, "overloaded", "The service is shutting down. Nothing was run; try again.", true),
  "request.journal_unavailable": request(
    500,
    "unavailable",
    "The service cannot record runs now. Nothing was run.",
    true,
  ),
  "request.store_unavailable": request(
    500,
    "unavailable",
    "The service cannot check access now. Nothing was run.",
    true,
  ),
  "request.unexpected": request(500, "internal", "The service could not process the request."),
  "request.not_found": request(404, "not_found", "There is nothing at this path."),
  "request.method": request(405, "method_not_allowed", "This path does not support this method."),
  "request.http": request(400, "bad_http", "The request is not valid HTTP."),
  "request.http_timeout": request(408, "timeout", "The request did not arrive in time."),
  "request.http_expectation": request(417, "expectation_failed", "The expectation of the request cannot be met."),
  "request.http_headers": request(431, "headers_too_large", "The header fields are too large."),

  "source.unknown": source("unknown_source", false, "no", "{source}", "Adapter not found for"),
  "source.version_unavailable": source(
    "shed",
    true,
    "no",
    "version {version} of this source, which the workflow names, cannot be loaded now, so the vendor was not called",
  ),
  "source.version_unusable": source(
    "internal",
    false,
    "no",
    "version {version} of this source, which the workflow names, cannot be used, so the vendor was not called",
  ),
  "source.region_refused": source(
    "region",
    false,
    "no",
    "{what} may only be used in {regions}, and the region of this service is {region}",
  ),
  "source.input_invalid": source("input", false, "no", "input {field} {problem}"),
  "source.credential_missing": source("credential", false, "no", "{problem}"),
  "source.credential_unavailable": source("shed", true, "no", "the credentials of this source cannot be looked up now"),
  "source.queue_full": source("shed", true, "no", "too many calls to this vendor are waiting"),
  "source.no_room": source(
    "shed",
    true,
    "no",
    "there is no room in memory for the request and its answer, so the vendor was not called",
  ),
  "source.breaker_open": source("shed", true, "no", "this vendor has been failing and is not called for now"),
  "source.rate_limited_here": source("shed", true, "no", "the rate configured for this source is used up"),
  "source.limits_unknown": source(
    "shed",
    true,
    "no",
    "what is left of this source's limits cannot be looked up now, so the vendor was not called",
  ),
  "source.budget_used": source(
    "budget",
    false,
    "no",
    "budget {budget} ({scope}; {limit}) has no room for this request until {until}, so it was not sent",
  ),
  "source.budget_unknown": source(
    "shed",
    true,
    "no",
    "what is left of a budget cannot be looked up now, so the vendor was not called",
  ),
  "source.stopped": source("shed", true, "no", "the run ended before this vendor was called"),
  "source.unrecorded": source("shed", true, "no", "the call could not be recorded, so it was not made"),
  "source.unreachable": source("unreachable", true, "no", "the vendor could not be reached"),
  "source.timeout": source("timeout", true, "unknown", "timed out after {afterMs} ms"),
  "source.connection_lost": source("connection_lost", false, "unknown", "the connection to the vendor was lost"),
  "source.vendor_5xx": source("vendor_5xx", true, "unknown", "the vendor answered with status {status}"),
  "source.credential_rejected": source("credential", false, "no", "the vendor rejected the credential"),
  "source.rate_limited": source("rate_limited", false, "no", "the vendor is limiting the rate of calls"),
  "source.vendor_4xx": source("vendor_4xx", false, "unknown", "the vendor answered with status {status}"),
  "source.vendor_input": source("input", false, "unknown", "the vendor rejected the inputs"),
  "source.vendor_failure": source("vendor_5xx", true, "unknown", "the vendor reports a failure of its own"),
  "source.pending": source("pending", false, "as_answered", "the vendor had not finished in time"),
  "source.vendor_timeout": source("timeout", true, "unknown", "the vendor reports a timeout of its own"),
  "source.vendor_refusal": source("vendor_4xx", false, "unknown", "the vendor refused the request"),
  "source.contract": source("contract", false, "as_answered", "the vendor's answer cannot be used: {problem}"),
  "source.no_room_for_answer": source(
    "no_room",
    false,
    "as_answered",
    "there was no room in memory to hold the vendor's answer",
  ),
  "source.abandoned": source("abandoned", false, "as_answered", "the run ended before the vendor answered"),
  "source.adapter_raised": source("adapter", false, "as_answered", "the adapter of this source failed"),
  "source.collect": source("internal", false, "as_answered", "the result could not be collected", "Unexpected error:"),

  "function.unknown": dataFunction("unknown_function", "{function}", { prefix: "Data function not found:" }),
  "function.version_unavailable": dataFunction(
    "unavailable",
    "version {version} of this function, which the workflow names, cannot be loaded now, so it was not run",
    { retryable: true },
  ),
  "function.version_unusable": dataFunction(
    "internal",
    "version {version} of this function, which the workflow names, cannot be used, so it was not run",
  ),
  "function.input_invalid": dataFunction("input", "{problem}"),
  "function.raised": dataFunction("raised", "the function raised an error"),
  "function.timeout": dataFunction("timeout", "timed out after {afterMs} ms"),
  "function.memory": dataFunction("memory", "the function used too much memory"),
  "function.process_memory": dataFunction(
    "memory",
    "the functions of its organization that ran at this time used too much memory together",
  ),
  "function.interrupted": dataFunction(
    "interrupted",
    "the process that ran the function ended before the function did",
  ),
  "function.contract": dataFunction("contract", "{problem}"),
  "function.no_room": dataFunction("no_room", "there was no room in memory for the function's inputs or its result"),
  "function.overloaded": dataFunction(
    "overloaded",
    "the service is at its limit for functions, so this one was not run; try again",
    { retryable: true },
  ),
  "function.unavailable": dataFunction(
    "unavailable",
    "the service cannot start a process for functions, so this one was not run",
    { retryable: true },
  ),
  "function.collect": dataFunction("internal", "the result could not be collected", { prefix: "Unexpected error:" }),
} as const satisfies Record<string, FaultTableRow>;

export type FaultCode = keyof typeof FAULTS;
/** All kinds in the table, so that a misspelled one does not compile. */
export type FaultKind = (typeof FAULTS)[FaultCode]["kind"];
export type FaultRow = FaultTableRow & { readonly kind: FaultKind };
export type SourceFaultCode = Extract<FaultCode, `source.${string}`>;
export type SourceFailureKind = (typeof FAULTS)[SourceFaultCode]["kind"];
export type FunctionFaultCode = Extract<FaultCode, `function.${string}`>;
/**
 * `reported`: the function itself reports the failure, with `success: false`. That is not a fault: the function has
 * ended as its author intended.
 */
export type FunctionFailureKind = (typeof FAULTS)[FunctionFaultCode]["kind"] | typeof REPORTED;
export const REPORTED = "reported";
export type RequestFaultCode = Extract<FaultCode, `request.${string}`>;

/**
 * Values for the placeholders of a row's sentence: only numbers and names that this service chose, never a value that
 * was sent.
 */
export interface FaultDetail {
  readonly [name: string]: string | number | boolean | undefined;
}

/** One problem of a document: a JSON pointer, and a sentence that repeats no value. */
export interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

/** A problem of a value that an author's schema describes. */
export interface ValueProblem extends FieldProblem {
  /**
   * The location for everyone except the sender of the value: `people.*`, with a `*` for each name that the schema does
   * not have, because such a name may be personal data.
   */
  readonly declaredField: string;
}

export interface FaultOptions {
  readonly cause?: unknown;
  /** The vendor itself reports this failure, in an answer that was read. */
  readonly reported?: ReportedFailure;
  /** The problems of a request, field by field, for its error body. */
  readonly problems?: readonly FieldProblem[];
  /**
   * Replaces entries of `detail` in the client's sentence, but not in the log: names that the client itself has sent.
   */
  readonly told?: FaultDetail;
}

export interface ReportedFailure {
  /** The author's statement about the charge; without it, the row decides. */
  readonly charged?: Charged | undefined;
}

export class Fault extends Error {
  readonly code: FaultCode;
  readonly detail: FaultDetail;
  readonly reported: ReportedFailure | null;
  readonly problems: readonly FieldProblem[] | undefined;
  readonly #told: FaultDetail | undefined;

  constructor(code: FaultCode, detail: FaultDetail = {}, options: FaultOptions = {}) {
    const framesMax = Error.stackTraceLimit;
    // A fault needs no stack trace: an unexpected failure has a cause with its own. Creating traces would make a flood
    // of refusals expensive. Until it is read, a trace also retains the functions that were running with all their
    // closures, such as the body of a request, and a fault lives until its run ends.
    Error.stackTraceLimit = 0;
    super(code, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = framesMax;
    this.name = "Fault";
    this.code = code;
    this.detail = detail;
    this.reported = options.reported ?? null;
    this.problems = options.problems;
    this.#told = options.told;
  }

  get row(): FaultRow {
    return FAULTS[this.code];
  }

  /** The sentence for the client: prefix and filled row, and nothing else. */
  get says(): string {
    const row = this.row;
    // A problem of no particular field has an empty `field`, which must leave no gap.
    const sentence = row.says.replace(/( ?)\{(\w+)\}/g, (_, gap: string, name: string) => {
      const value = String(this.#told?.[name] ?? this.detail[name] ?? "");
      return value === "" ? "" : gap + value;
    });
    return row.prefix === "" ? sentence : `${row.prefix} ${sentence}`;
  }
}

/**
 * Returns a fault of that surface unchanged; any other thrown value becomes the cause of the fault `otherwise`. Never
 * throws.
 */
export function asFault(thrown: unknown, otherwise: FaultCode): Fault {
  return isFaultOf(thrown, FAULTS[otherwise].surface) ? thrown : new Fault(otherwise, {}, { cause: thrown });
}

/** Authors' code may throw anything: a proxy that throws when it is read, or a fault whose code was changed. */
function isFaultOf(thrown: unknown, surface: Surface): thrown is Fault {
  try {
    return thrown instanceof Fault && Object.hasOwn(FAULTS, thrown.code) && thrown.row.surface === surface;
  } catch {
    return false;
  }
}

/**
 * The failure that a status means if its source does not list it; `null` if the status is no failure, or not one of
 * HTTP.
 */
export function faultCodeOfStatus(status: number) {
  if (status === 401 || status === 403) return "source.credential_rejected";
  if (status === 429) return "source.rate_limited";
  if (status >= 400 && status < 500) return "source.vendor_4xx";
  return status >= 500 && status < 600 ? "source.vendor_5xx" : null;
}

/** What the fault of a deadline depends on. */
export interface CallTimes {
  readonly startedAt: number;
  readonly deadlineAt: number;
  /** The order on which the vendor works, if known. */
  readonly order: object | null;
}

/**
 * The failure of a call whose deadline has passed. An order on which the vendor still works is not lost: a later run
 * can fetch it.
 */
export function faultOfDeadline({ startedAt, deadlineAt, order }: CallTimes): Fault {
  if (order !== null) return new Fault("source.pending");
  // If the body was slow to arrive, no time may have been left.
  return new Fault("source.timeout", { afterMs: Math.max(0, Math.round(deadlineAt - startedAt)) });
}

/**
 * Why something may not be used in a region; `null` if it may. Regions are an operator's own names and are compared as
 * written; without a list, every region is allowed.
 */
export function regionFault(
  what: "this source" | "the credential",
  regions: readonly string[] | undefined,
  region: string,
): Fault | null {
  if (regions === undefined || regions.length === 0 || regions.includes(region)) return null;
  return new Fault("source.region_refused", { what, regions: regions.join(" or "), region });
}

/** The kinds with which an author may report a failure in a readable reply, and the fault of each. */
export const FAULT_OF_KIND = {
  credential: "source.credential_rejected",
  input: "source.vendor_input",
  rate_limited: "source.rate_limited",
  vendor_5xx: "source.vendor_failure",
  vendor_4xx: "source.vendor_refusal",
  contract: "source.contract",
  timeout: "source.vendor_timeout",
  unreachable: "source.unreachable",
} as const satisfies Record<string, SourceFaultCode>;

export type FailureKind = keyof typeof FAULT_OF_KIND;

/** The kinds of failure that concern the vendor. Bad inputs, credentials and rates do not. */
export const VENDOR_FAILED = [
  "unreachable",
  "timeout",
  "connection_lost",
  "vendor_5xx",
] as const satisfies readonly SourceFailureKind[];
