import type { AttemptIntent, AttemptReport, CallReport, RunIntent, RunReport } from "../run/ports.ts";
import type { Charged } from "../terms/fault.ts";
import * as holds from "./column.ts";
import { made, recorded, type RowOf } from "./column.ts";
import { toStored } from "./stored-text.ts";

/*
 * The columns of the ledger, each once: what it holds, where it comes from, and how it goes out. Rows, records, statements,
 * the journal's views, exports and checksums are made of these tables. Texts are in stored form (`stored-text.ts`): no NUL,
 * no lone surrogate. A new column is a line here, marked `later`, and one in the migrations of the database that
 * several machines share; a place in a table is a place in exports, so that it stands where people look for it.
 *
 * The first columns stand in checksums by their place: they are never moved, renamed or taken away.
 */

const atStart = recorded<RunIntent>({ inIntent: true });
const atEnd = recorded<RunReport>();

/** Unique key: `transaction_id`. */
export const RUN_COLUMNS = {
  transaction_id: atStart(holds.text(), (run) => run.transactionId, { csv: "transaction_id" }),
  /** `ended`, or `unknown`: the service died between an attempt and its outcome. */
  state: atEnd(holds.name<"ended" | "unknown">(), (): "ended" => "ended", { csv: "state" }),
  kind: atStart(holds.name<"data" | "func">(), (run) => run.kind, { csv: "kind" }),
  organization_id: atStart(holds.name(), (run) => run.organizationId, {
    csv: "organization_id",
    inJournal: "organization",
  }),
  workflow_id: atStart(holds.name(), (run) => run.workflowId, { csv: "workflow_id", inJournal: "workflow" }),
  token_id: atStart(holds.name(), (run) => run.tokenId, { csv: "token_id", inJournal: "token" }),
  context: atStart(holds.name(), (run) => run.context, { csv: "context" }),
  region: atStart(holds.name(), (run) => run.region, { csv: "region" }),
  simulated: atStart(holds.flag, (run) => (run.simulated ? 1 : 0), { csv: "simulated" }),
  /** Whatever a caller has asked for, so no name. */
  function_id: atStart(holds.textOrNull(), (run) => run.functionId, { csv: "function_id" }),
  started_at: atStart(holds.moment, (run) => run.startedWallAt, { csv: "started_at" }),
  took_ms: atEnd(holds.wholeOrNull, (run) => run.tookMs, { csv: "took_ms" }),
  client_gone: atEnd(holds.flag, (run) => (run.clientGone ? 1 : 0), { csv: "client_gone" }),
  function_fault: atEnd(holds.nameOrNull(), (run) => run.functionFault ?? null, { csv: "function_fault" }),
  /** 1 while a charge of the run is known to nobody (`verdicts.ts`): what lists begin with and deletion spares. */
  has_unknown: made(holds.flag),
  /** How its calls came out and were charged: see `verdicts.ts`. */
  verdicts: made(holds.whole),
  /** How many ids of no source it asked for. They are no calls, and of their names only a few are kept. */
  unknown_sources: atEnd(holds.whole, (run) => unknownSourcesOf(run.calls).length, { csv: "unknown_sources" }),
  unknown_source_names: atEnd(holds.jsonOrNull, (run) => unknownSourceNames(run.calls)),
  /** Of the whole run (`run-checksum.ts`); null for runs that were written before there was one. */
  checksum: made(holds.wholeOrNull, { unchecked: true }),
};

/** What the journal's calls have of their run, so that a list by source is answered from an index of theirs alone. */
export const CALL_COLUMNS_OF_RUN = {
  has_unknown: RUN_COLUMNS.has_unknown,
  started_at: RUN_COLUMNS.started_at,
  organization_id: RUN_COLUMNS.organization_id,
  workflow_id: RUN_COLUMNS.workflow_id,
};

const ofCall = recorded<CallReport>();

/** Unique key: the run's `transaction_id`, `ordinal`. Of a run in state `unknown`, what nobody saw is null. */
export const CALL_COLUMNS = {
  ordinal: ofCall(holds.whole, (call) => call.ordinal, { csv: "call" }),
  source: ofCall(holds.name(), (call) => call.source, { csv: "source" }),
  /** Exported as one word together with `match`. */
  success: ofCall(holds.flagOrNull, (call) => (call.success ? 1 : 0), { csv: "outcome" }),
  match: ofCall(holds.flagOrNull, (call) => (call.match ? 1 : 0)),
  fault_code: ofCall(holds.nameOrNull(), (call) => call.fault?.code ?? null, { csv: "fault_code" }),
  fault_kind: ofCall(holds.nameOrNull(), (call) => call.fault?.row.kind ?? null, { csv: "fault_kind" }),
  charged: ofCall(holds.name<Charged>(), (call) => call.charged, { csv: "charged" }),
  /** What its requests were charged, for lists: see `verdicts.ts`. */
  charges: made(holds.whole),
  credential_id: ofCall(holds.nameOrNull(), (call) => call.credentialId, {
    csv: "credential_id",
    inJournal: "credential",
  }),
  credential_rule: ofCall(holds.name(), (call) => call.credentialRule, { csv: "credential_rule" }),
  /** From the arrival of the run. */
  started_after_ms: ofCall(holds.wholeOrNull, (call) => call.startedAfterMs, { csv: "call_started_after_ms" }),
  took_ms: ofCall(holds.wholeOrNull, (call) => call.tookMs, { csv: "call_took_ms" }),
  output_bytes: ofCall(holds.wholeOrNull, (call) => call.outputBytes, { csv: "output_bytes" }),
  /** The vendor's number for what it has taken up, by which a later run can ask for it. */
  order_id: ofCall(holds.textOrNull(), (call) => call.orderId, { csv: "order_id", later: true }),
};

const ofAttempt = recorded<AttemptReport>();

/** Unique key: the run's `transaction_id`, `ordinal`, `number`. */
export const ATTEMPT_COLUMNS = {
  /** Of its call. */
  ordinal: made(holds.whole),
  number: ofAttempt(holds.whole, (attempt) => attempt.number, { csv: "attempt" }),
  origin: ofAttempt(holds.name(), (attempt) => attempt.origin, { csv: "origin" }),
  method: ofAttempt(holds.name(), (attempt) => attempt.method, { csv: "method" }),
  sent_at: ofAttempt(holds.moment, (attempt) => attempt.sentWallAt, { csv: "sent_at" }),
  status: ofAttempt(holds.wholeOrNull, (attempt) => attempt.status, { csv: "status" }),
  took_ms: ofAttempt(holds.wholeOrNull, (attempt) => attempt.tookMs, { csv: "attempt_took_ms" }),
  charged: ofAttempt(holds.name<Charged>(), (attempt) => attempt.charged, { csv: "attempt_charged" }),
};

/**
 * Somebody's later word on a charge; the last of a request holds. Before the first that overrules a yes or a no stands what
 * the service had recorded, by `RECORDED_BY`; one that was unknown has none. Unique key: the run's `transaction_id`,
 * `ordinal`, `revision`.
 */
export const RECONCILIATION_COLUMNS = {
  ordinal: made(holds.whole),
  /** Counts up from 1 within the call. */
  revision: made(holds.whole),
  charged: made(holds.text<Charged>()),
  decided_by: made(holds.text()),
  decided_at: made(holds.moment),
  note: made(holds.text()),
  /** The attempt it is about; 0 for a call that has none. */
  attempt: made(holds.whole),
};

const ofIntent = recorded<AttemptIntent>({ inIntent: true });

/** A request that is about to be sent, in the intent file: what will be its call's and what will be its own. */
export const INTENT_COLUMNS = {
  ordinal: ofIntent(holds.whole, (intent) => intent.ordinal),
  number: ofIntent(holds.whole, (intent) => intent.attempt),
  source: ofIntent(holds.text(), (intent) => intent.source),
  origin: ofIntent(holds.text(), (intent) => intent.origin),
  method: ofIntent(holds.text(), (intent) => intent.method),
  credential_id: ofIntent(holds.textOrNull(), (intent) => intent.credentialId),
  credential_rule: ofIntent(holds.text(), (intent) => intent.credentialRule),
  sent_at: ofIntent(holds.moment, (intent) => intent.sentWallAt),
  /** Whatever becomes of it, it costs nothing. */
  free: ofIntent(holds.flagOrNull, (intent) => (intent.free ? 1 : 0), { later: true }),
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
 * Ids that are of no source are whatever a caller makes up, as many and as long as he likes. Nobody was called for them
 * and nobody can be billed, so a run has one note of them and no row for each.
 */

const NAMES_MAX = 3;
const NAME_CHARACTERS_MAX = 48;

function unknownSourcesOf(calls: readonly CallReport[]): readonly CallReport[] {
  // Nearly always there is none.
  return calls.some(isOfNoSource) ? calls.filter(isOfNoSource) : [];
}

/** The first few, shortened, as JSON; `null` where there is none. */
function unknownSourceNames(calls: readonly CallReport[]): string | null {
  const unknown = unknownSourcesOf(calls);
  if (unknown.length === 0) return null;
  return JSON.stringify(unknown.slice(0, NAMES_MAX).map(({ source }) => toStored(shorten(source))));
}

/** Never one that sent anything. */
export function isOfNoSource(call: CallReport): boolean {
  return call.fault?.code === "source.unknown" && call.attempts.length === 0;
}

function shorten(name: string): string {
  return name.length > NAME_CHARACTERS_MAX ? `${name.slice(0, NAME_CHARACTERS_MAX)}…` : name;
}
