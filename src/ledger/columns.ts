import type { AttemptIntent, AttemptReport, CallReport, RunIntent, RunReport } from "../run/ports.ts";
import type { Charged } from "../terms/fault.ts";
import { amountToColumn } from "../terms/money/money.ts";
import type { Price } from "../terms/money/price.ts";
import * as types from "./column.ts";
import { derived, recorded, type RowOf } from "./column.ts";
import { toStored } from "./stored-text.ts";

/*
 * All columns of the ledger: type, origin of the value, and export. Rows, records, statements, the journal's views,
 * exports and checksums are derived from these tables. Texts are in stored form (`stored-text.ts`): no NUL and no lone
 * surrogate. A new column needs a line here, marked `later`, and a migration of the shared database. Exports have the
 * order of these tables, so put a new column where a reader of exports expects it.
 *
 * Checksums use the columns of the first release by position: these are never moved, renamed or removed.
 */

const atStart = recorded<RunIntent>({ inIntent: true });
const atEnd = recorded<RunReport>();

/** Unique key: `transaction_id`. */
export const RUN_COLUMNS = {
  transaction_id: atStart(types.text(), (run) => run.transactionId, { csv: "transaction_id" }),
  /** `unknown`: the service died between an attempt and its outcome. */
  state: atEnd(types.name<"ended" | "unknown">(), (): "ended" => "ended", { csv: "state" }),
  kind: atStart(types.name<"data" | "func">(), (run) => run.kind, { csv: "kind" }),
  organization_id: atStart(types.name(), (run) => run.organizationId, {
    csv: "organization_id",
    inJournal: "organization",
  }),
  workflow_id: atStart(types.name(), (run) => run.workflowId, { csv: "workflow_id", inJournal: "workflow" }),
  token_id: atStart(types.name(), (run) => run.tokenId, { csv: "token_id", inJournal: "token" }),
  context: atStart(types.name(), (run) => run.context, { csv: "context" }),
  region: atStart(types.name(), (run) => run.region, { csv: "region" }),
  simulated: atStart(types.flag, (run) => (run.simulated ? 1 : 0), { csv: "simulated" }),
  /** A caller may send any id, so this is not a `name`. */
  function_id: atStart(types.textOrNull(), (run) => run.functionId, { csv: "function_id" }),
  /** The caller's own `X-Request-Id`. It need not be unique. */
  client_request_id: atStart(types.textOrNull(), (run) => run.clientRequestId, {
    csv: "client_request_id",
    later: true,
  }),
  /** The trace id of the caller's `traceparent`. */
  trace_id: atStart(types.textOrNull(), (run) => run.trace?.traceId ?? null, { csv: "trace_id", later: true }),
  started_at: atStart(types.moment, (run) => run.startedWallAt, { csv: "started_at" }),
  /**
   * Identifies the start of the service that made the run, so that the budget use of a dead process can be summed up.
   */
  start_id: atStart(types.nameOrNull(), (run) => run.startId ?? null, { inJournal: "start", later: true }),
  /** The digest of the function, for a run of a function. */
  function_version: atStart(types.nameOrNull(), (run) => run.functionVersion, { csv: "function_version", later: true }),
  /** The version of the deployment. */
  build: atStart(types.nameOrNull(), (run) => run.build, { csv: "build", later: true }),
  took_ms: atEnd(types.wholeOrNull, (run) => run.tookMs, { csv: "took_ms" }),
  client_gone: atEnd(types.flag, (run) => (run.clientGone ? 1 : 0), { csv: "client_gone" }),
  function_fault: atEnd(types.nameOrNull(), (run) => run.functionFault ?? null, { csv: "function_fault" }),
  /** 1 while some charge of the run is unknown (`verdicts.ts`). Pruning keeps these runs. */
  has_unknown: derived(types.flag),
  /** Outcomes and charges of its calls: see `verdicts.ts`. */
  verdicts: derived(types.whole),
  /**
   * The number of requested ids that belong to no source. They are not calls, and only a few of their names are stored.
   */
  unknown_sources: atEnd(types.whole, (run) => unknownSourcesOf(run.calls).length, { csv: "unknown_sources" }),
  unknown_source_names: atEnd(types.jsonOrNull, (run) => unknownSourceNames(run.calls)),
  /** Checksum of the whole run (`run-checksum.ts`); null for runs written before checksums were added. */
  checksum: derived(types.wholeOrNull, { unchecked: true }),
};

/** The journal copies these columns from the run to its calls, so that one index on calls serves a list by source. */
export const CALL_COLUMNS_OF_RUN = {
  has_unknown: RUN_COLUMNS.has_unknown,
  started_at: RUN_COLUMNS.started_at,
  organization_id: RUN_COLUMNS.organization_id,
  workflow_id: RUN_COLUMNS.workflow_id,
};

const ofCall = recorded<CallReport>();

/** Unique key: the run's `transaction_id`, `ordinal`. In a run in state `unknown`, unreported values are null. */
export const CALL_COLUMNS = {
  ordinal: ofCall(types.whole, (call) => call.ordinal, { csv: "call" }),
  source: ofCall(types.name(), (call) => call.source, { csv: "source" }),
  /** Exported as one word together with `match`. */
  success: ofCall(types.flagOrNull, (call) => (call.success ? 1 : 0), { csv: "outcome" }),
  match: ofCall(types.flagOrNull, (call) => (call.match ? 1 : 0)),
  fault_code: ofCall(types.nameOrNull(), (call) => call.fault?.code ?? null, { csv: "fault_code" }),
  fault_kind: ofCall(types.nameOrNull(), (call) => call.fault?.row.kind ?? null, { csv: "fault_kind" }),
  charged: ofCall(types.name<Charged>(), (call) => call.charged, { csv: "charged" }),
  /** The charges of its requests, as bits for lists: see `verdicts.ts`. */
  charges: derived(types.whole),
  credential_id: ofCall(types.nameOrNull(), (call) => call.credentialId, {
    csv: "credential_id",
    inJournal: "credential",
  }),
  credential_rule: ofCall(types.name(), (call) => call.credentialRule, { csv: "credential_rule" }),
  /** Milliseconds from the arrival of the run. */
  started_after_ms: ofCall(types.wholeOrNull, (call) => call.startedAfterMs, { csv: "call_started_after_ms" }),
  took_ms: ofCall(types.wholeOrNull, (call) => call.tookMs, { csv: "call_took_ms" }),
  output_bytes: ofCall(types.wholeOrNull, (call) => call.outputBytes, { csv: "output_bytes" }),
  /** The vendor's number for an order that it accepted. A later run can refer to the order by it. */
  order_id: ofCall(types.textOrNull(), (call) => call.orderId, { csv: "order_id", later: true }),
  /** The budget that had no capacity for a request of the call. */
  budget_id: ofCall(types.nameOrNull(), (call) => rejectingBudget(call), {
    csv: "budget_id",
    inJournal: "budget",
    later: true,
  }),
  /** The digest of the source. */
  source_version: ofCall(types.nameOrNull(), (call) => call.sourceVersion, { csv: "source_version", later: true }),
};

function rejectingBudget({ fault }: CallReport): string | null {
  return fault?.code === "source.budget_used" ? String(fault.detail["budget"]) : null;
}

const ofAttempt = recorded<AttemptReport>();

/** Unique key: the run's `transaction_id`, `ordinal`, `number`. */
export const ATTEMPT_COLUMNS = {
  /** The ordinal of its call. */
  ordinal: derived(types.whole),
  number: ofAttempt(types.whole, (attempt) => attempt.number, { csv: "attempt" }),
  origin: ofAttempt(types.name(), (attempt) => attempt.origin, { csv: "origin" }),
  method: ofAttempt(types.name(), (attempt) => attempt.method, { csv: "method" }),
  sent_at: ofAttempt(types.moment, (attempt) => attempt.sentWallAt, { csv: "sent_at" }),
  status: ofAttempt(types.wholeOrNull, (attempt) => attempt.status, { csv: "status" }),
  took_ms: ofAttempt(types.wholeOrNull, (attempt) => attempt.tookMs, { csv: "attempt_took_ms" }),
  charged: ofAttempt(types.name<Charged>(), (attempt) => attempt.charged, { csv: "attempt_charged" }),
  /** Price of the request when it was sent, in millionths. Null: no price was known. */
  price: ofAttempt(types.wholeOrNull, ({ price }) => micros(price), { csv: "price", later: true }),
  currency: ofAttempt(types.nameOrNull(), ({ price }) => price?.currency ?? null, { csv: "currency", later: true }),
};

function micros(price: Price | null): number | null {
  return price === null ? null : amountToColumn(price.amount);
}

/**
 * A later decision of an operator on a charge. The last decision for a request is valid. Before the first decision that
 * overrules a yes or a no, the service's own record is stored as a row by `RECORDED_BY`; a charge that was unknown has
 * no such row. Unique key: the run's `transaction_id`, `ordinal`, `revision`.
 */
export const RECONCILIATION_COLUMNS = {
  ordinal: derived(types.whole),
  /** Counts up from 1 within the call. */
  revision: derived(types.whole),
  charged: derived(types.text<Charged>()),
  decided_by: derived(types.text()),
  decided_at: derived(types.moment),
  note: derived(types.text()),
  /** The attempt that the decision concerns; 0 for a call without attempts. */
  attempt: derived(types.whole),
  /** The price of the request after the decision, which may have changed it. */
  price: derived(types.wholeOrNull, { later: true }),
  currency: derived(types.textOrNull(), { later: true }),
};

const ofIntent = recorded<AttemptIntent>({ inIntent: true });

/** A line of the intent file for a request about to be sent: columns of its call and columns of its own. */
export const INTENT_COLUMNS = {
  ordinal: ofIntent(types.whole, (intent) => intent.ordinal),
  number: ofIntent(types.whole, (intent) => intent.attempt),
  source: ofIntent(types.text(), (intent) => intent.source),
  origin: ofIntent(types.text(), (intent) => intent.origin),
  method: ofIntent(types.text(), (intent) => intent.method),
  credential_id: ofIntent(types.textOrNull(), (intent) => intent.credentialId),
  credential_rule: ofIntent(types.text(), (intent) => intent.credentialRule),
  sent_at: ofIntent(types.moment, (intent) => intent.sentWallAt),
  /** The request costs nothing, however it ends. */
  free: ofIntent(types.flagOrNull, (intent) => (intent.free ? 1 : 0), { later: true }),
  /** The highest possible price. */
  price: ofIntent(types.wholeOrNull, ({ price }) => micros(price), { later: true }),
  currency: ofIntent(types.textOrNull(), ({ price }) => price?.currency ?? null, { later: true }),
  source_version: ofIntent(types.textOrNull(), (intent) => intent.sourceVersion, { later: true }),
};

interface OfRun {
  readonly transaction_id: string;
}

export type RunRow = RowOf<typeof RUN_COLUMNS>;
export type CallRow = OfRun & RowOf<typeof CALL_COLUMNS>;
export type AttemptRow = OfRun & RowOf<typeof ATTEMPT_COLUMNS>;
export type ReconciliationRow = OfRun & RowOf<typeof RECONCILIATION_COLUMNS>;
export type IntentRow = RowOf<typeof INTENT_COLUMNS>;

/*
 * A caller can invent any number of ids of any length that belong to no source. They cause no vendor call and no bill,
 * so a run stores them in one column instead of a row for each.
 */

const NAMES_MAX = 3;
const NAME_CHARACTERS_MAX = 48;

function unknownSourcesOf(calls: readonly CallReport[]): readonly CallReport[] {
  return calls.some(isOfNoSource) ? calls.filter(isOfNoSource) : [];
}

/** The first few, shortened, as JSON; `null` if there are none. */
function unknownSourceNames(calls: readonly CallReport[]): string | null {
  const unknown = unknownSourcesOf(calls);
  if (unknown.length === 0) return null;
  return JSON.stringify(unknown.slice(0, NAMES_MAX).map(({ source }) => toStored(shorten(source))));
}

/** A call of no source never sends anything. */
export function isOfNoSource(call: CallReport): boolean {
  return call.fault?.code === "source.unknown" && call.attempts.length === 0;
}

function shorten(name: string): string {
  return name.length > NAME_CHARACTERS_MAX ? `${name.slice(0, NAME_CHARACTERS_MAX)}…` : name;
}
