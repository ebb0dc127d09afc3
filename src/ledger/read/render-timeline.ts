import { SHORT_DIGEST } from "../../terms/version.ts";
import { outcomeOf } from "../journal/verdicts.ts";
import type { AttemptRow, CallRow, ReconciliationRow, RunReportRow } from "../ports.ts";
import { priceText } from "./costs.ts";
import { isOwnRecord } from "./recorded-charge.ts";
import { endOf, previousCalls } from "./previous-call.ts";

const WIDTH = 100;
const NAME_MAX = 36;
const BAR_MIN = 20;
/** Requests per call in the output. A source may poll a vendor very often; an export has all requests. */
const REQUESTS_SHOWN = 20;

/** The number of a recorded version; `null` if it is not known. */
type TimelineNumberOf = (kind: "function" | "source", id: string, digest: string) => number | null;

/**
 * One run as text for a terminal: a bar for each source on a common scale, the start and the preceding call of each
 * call, its requests, its outcome and its cost. Texts are in stored form, so they contain no control characters that
 * could move the cursor.
 */
export function renderTimeline(row: RunReportRow, numberOf: TimelineNumberOf = () => null, width = WIDTH): string {
  const { run, calls } = row;
  const lastEnd = largest(calls.map(endOf));
  const spanMs = Math.max(1, run.took_ms ?? 0, lastEnd);
  const nameWidth = Math.min(NAME_MAX, largest(calls.map(({ source }) => source.length)));
  const barWidth = Math.max(BAR_MIN, width - nameWidth - 40);
  const lines = [...header(row, numberOf), ""];
  if (calls.length === 0) lines.push("  no source was called");
  const parts = groupByCall(row, numberOf);
  for (const call of calls) {
    const isLast = calls.length > 1 && call.took_ms !== null && endOf(call) === lastEnd;
    lines.push(callLine(call, { spanMs, nameWidth, barWidth }));
    lines.push(...callNotes(call, parts, isLast).map((note) => `  ${" ".repeat(nameWidth)}   ${note}`));
  }
  if (calls.length > 0) lines.push("", `  ${" ".repeat(nameWidth)}  ${scale(spanMs, barWidth)}`);
  return lines.join("\n") + "\n";
}

/** Rows of possibly thousands of calls, found by their call. */
interface CallRows {
  readonly numberOf: TimelineNumberOf;
  readonly startedAt: number;
  readonly previousCall: (call: CallRow) => CallRow | null;
  readonly attempts: ReadonlyMap<number, readonly AttemptRow[]>;
  readonly reconciliations: ReadonlyMap<number, readonly ReconciliationRow[]>;
}

function groupByCall({ run, calls, attempts, reconciliations }: RunReportRow, numberOf: TimelineNumberOf): CallRows {
  return {
    numberOf,
    startedAt: run.started_at,
    previousCall: previousCalls(calls),
    attempts: Map.groupBy(attempts, ({ ordinal }) => ordinal),
    reconciliations: Map.groupBy(reconciliations, ({ ordinal }) => ordinal),
  };
}

function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

function header({ run, calls, attempts }: RunReportRow, numberOf: TimelineNumberOf): string[] {
  const title = run.function_id === null ? run.kind : `${run.kind} ${run.function_id}`;
  const facts = [
    `started   ${new Date(run.started_at).toISOString()}`,
    `caller    ${run.organization_id}  ${run.workflow_id}  ${run.token_id}`,
    ...(run.client_request_id === null ? [] : [`request   ${run.client_request_id}`]),
    ...(run.trace_id === null ? [] : [`trace     ${run.trace_id}`]),
    ...versionFacts(run, calls, numberOf),
    `where     ${run.context}, ${run.region === "" ? "no region" : run.region}${run.simulated === 1 ? ", simulated" : ""}`,
    `ended     ${howItEnded({ run, calls })}`,
    `charged   ${chargeCounts(attempts)}`,
    ...(run.unknown_sources === 0 ? [] : [`unknown   ${unknownSources(run)}`]),
  ];
  return [`${run.transaction_id}  ${title}`, ...facts.map((fact) => `  ${fact}`)];
}

function versionFacts(run: RunReportRow["run"], calls: readonly CallRow[], numberOf: TimelineNumberOf): string[] {
  const build = run.build === null ? [] : [`build     ${run.build}`];
  if (run.function_version !== null)
    return [`version   ${versionText("function", run.function_id ?? "", run.function_version, numberOf)}`, ...build];
  const usedCode = calls.length > 0 || (run.function_id !== null && run.function_fault !== "function.unknown");
  const isOlder = run.build === null && calls.every((call) => call.source_version === null);
  return usedCode && isOlder ? ["version   before versions were recorded"] : build;
}

/** The number, if it is known, and the beginning of the digest. */
function versionText(kind: "function" | "source", id: string, digest: string, numberOf: TimelineNumberOf): string {
  const number = numberOf(kind, id, digest);
  const short = digest.slice(0, SHORT_DIGEST);
  return number === null ? short : `${number} (${short})`;
}

function howItEnded({ run, calls }: Pick<RunReportRow, "run" | "calls">): string {
  if (run.state === "unknown") return "unknown: the service died while this run was under way";
  const failed = calls.filter(({ success }) => success === 0).length;
  const parts = [
    `after ${String(run.took_ms)} ms`,
    `${calls.length} ${calls.length === 1 ? "call" : "calls"}, ${failed} failed`,
  ];
  if (run.function_fault !== null) parts.push(`function failed (${run.function_fault})`);
  if (run.client_gone === 1) parts.push("the client had gone");
  return parts.join("; ");
}

function unknownSources(run: RunReportRow["run"]): string {
  const names = JSON.parse(run.unknown_source_names ?? "[]") as readonly string[];
  const more = run.unknown_sources - names.length;
  const ids = run.unknown_sources === 1 ? "1 id" : `${run.unknown_sources} ids`;
  return `${ids} of no source: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function chargeCounts(attempts: readonly AttemptRow[]): string {
  const count = (charged: string): number => attempts.filter((attempt) => attempt.charged === charged).length;
  const requests = `${attempts.length} ${attempts.length === 1 ? "request" : "requests"}`;
  return `${requests}: ${count("yes")} yes, ${count("no")} no, ${count("unknown")} unknown`;
}

interface Scale {
  readonly spanMs: number;
  readonly nameWidth: number;
  readonly barWidth: number;
}

function callLine(call: CallRow, { spanMs, nameWidth, barWidth }: Scale): string {
  const outcome = call.fault_kind === null ? outcomeOf(call).replace("_", " ") : `failed: ${call.fault_kind}`;
  const name = call.source.length > nameWidth ? `${call.source.slice(0, nameWidth - 1)}…` : call.source;
  const took = call.took_ms === null ? "      ?" : `${call.took_ms}`.padStart(7);
  return `  ${name.padEnd(nameWidth)} |${bar(call, spanMs, barWidth)}|${took} ms  ${outcome}`;
}

function bar(call: CallRow, spanMs: number, width: number): string {
  if (call.started_after_ms === null || call.took_ms === null) return "?".repeat(width);
  const start = Math.min(width - 1, Math.max(0, Math.floor((call.started_after_ms / spanMs) * width)));
  const end = Math.min(width, Math.max(start + 1, Math.ceil((endOf(call) / spanMs) * width)));
  const mark = call.success === 0 ? "x" : "█";
  return " ".repeat(start) + mark.repeat(end - start) + " ".repeat(width - end);
}

function callNotes(call: CallRow, rows: CallRows, isLast: boolean): string[] {
  const notes: string[] = [];
  const before = rows.previousCall(call);
  if (before !== null) notes.push(`began at ${String(call.started_after_ms)} ms, after ${before.source} had ended`);
  if (isLast) notes.push("the answer waited for this one last");
  if (call.source_version !== null)
    notes.push(`version ${versionText("source", call.source, call.source_version, rows.numberOf)}`);
  if (call.credential_rule !== "none") {
    notes.push(`credential ${call.credential_id ?? "sent with the request"} (${call.credential_rule})`);
  }
  const attempts = rows.attempts.get(call.ordinal) ?? [];
  for (const attempt of attempts.slice(0, REQUESTS_SHOWN)) notes.push(attemptNote(attempt, rows.startedAt));
  const more = attempts.length - REQUESTS_SHOWN;
  if (more > 0) notes.push(`and ${more} more ${more === 1 ? "request" : "requests"}`);
  if (call.order_id !== null) notes.push(`the vendor's order ${call.order_id}`);
  notes.push(`call ${call.ordinal}: charged ${call.charged}${call.fault_code === null ? "" : ` (${call.fault_code})`}`);
  for (const settled of rows.reconciliations.get(call.ordinal) ?? []) {
    const about = settled.attempt === 0 ? "" : ` for request ${settled.attempt}`;
    const when = new Date(settled.decided_at).toISOString();
    if (isOwnRecord(settled, attempts)) notes.push(`recorded as ${settled.charged}${about}`);
    else notes.push(`settled as ${settled.charged}${about} by ${settled.decided_by} on ${when}: ${settled.note}`);
  }
  return notes;
}

function attemptNote(attempt: AttemptRow, startedAt: number): string {
  const status = attempt.status === null ? "no answer" : `status ${attempt.status}`;
  const took = attempt.took_ms === null ? "" : ` after ${attempt.took_ms} ms`;
  const sentAfterMs = Math.max(0, attempt.sent_at - startedAt);
  return `${attempt.number}. ${attempt.method} ${attempt.origin} at ${sentAfterMs} ms: ${status}${took}, charged ${attempt.charged}${priceNote(attempt)}`;
}

function priceNote({ charged, price, currency }: AttemptRow): string {
  const text = priceText(price);
  if (text === null || charged === "no") return "";
  return charged === "yes" ? ` ${text} ${currency}` : ` (0.00 to ${text} ${currency})`;
}

function scale(spanMs: number, width: number): string {
  const end = `${spanMs} ms`;
  return `0${" ".repeat(Math.max(1, width - end.length - 1))}${end}`;
}
