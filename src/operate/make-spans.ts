import type { AttemptReport, CallReport, RunReport } from "../run/ports.ts";
import { newSpanId } from "../terms/trace.ts";

/** A span in the JSON form of OTLP: ids in hexadecimal, times in nanoseconds as text. */
export interface TraceSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly code: number };
}

export interface Attribute {
  readonly key: string;
  readonly value: AttributeValue;
}

type AttributeValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly boolValue: boolean };

/** Values of OTLP's enumerations. */
const INTERNAL = 1;
const SERVER = 2;
const CLIENT = 3;
const ERROR = { code: 2 };

/** The number of spans of a run. */
export function countSpans({ calls }: RunReport): number {
  return 1 + calls.length + calls.reduce((sum, { attempts }) => sum + attempts.length, 0);
}

/**
 * The spans of a finished run: one for the run as the caller sees it, below it one for each source call, and below that
 * one for each request. The trace is the caller's; without one, its id is made from the transaction id. Spans contain
 * no inputs, no outputs, and no paths of vendors, which may contain inputs.
 */
export function makeSpans(report: RunReport): readonly TraceSpan[] {
  const traceId = traceIdOf(report);
  const path = `/${report.kind}`;
  const run: TraceSpan = {
    traceId,
    spanId: newSpanId(),
    ...(report.trace !== null && { parentSpanId: report.trace.parentId }),
    name: `POST ${path}`,
    kind: SERVER,
    ...during(report.startedWallAt, report.tookMs),
    attributes: attributesOf({
      "http.request.method": "POST",
      "http.route": path,
      "url.path": path,
      // The public port only speaks HTTP. The scheme that a proxy in front accepts is unknown here.
      "url.scheme": "http",
      ...(!report.clientGone && { "http.response.status_code": 200 }),
      "datarun.transaction_id": report.transactionId,
      "datarun.organization": report.organizationId,
      "datarun.workflow": report.workflowId,
      "datarun.context": report.context,
      "datarun.region": report.region,
      ...(report.simulated && { "datarun.simulated": true }),
      ...(report.clientGone && { "datarun.client_gone": true }),
      ...(report.functionId !== null && { "datarun.function": report.functionId }),
      ...(report.functionFault != null && { "error.type": report.functionFault }),
    }),
  };
  return [run, ...report.calls.flatMap((call) => spansOfCall(call, report.startedWallAt, run))];
}

/** 32 hexadecimal digits, which are also the end of a transaction id. */
export function traceIdOf({ trace, transactionId }: Pick<RunReport, "trace" | "transactionId">): string {
  return trace?.traceId ?? transactionId.slice(-32);
}

function spansOfCall(
  call: CallReport,
  runStartedAt: number,
  { traceId, spanId: parentSpanId }: TraceSpan,
): TraceSpan[] {
  // The id of an unknown source is the caller's text, and the number of span names must be bounded.
  const isUnknown = call.fault?.code === "source.unknown";
  const startedAt = runStartedAt + call.startedAfterMs;
  const span: TraceSpan = {
    traceId,
    spanId: newSpanId(),
    parentSpanId,
    name: isUnknown ? "unknown source" : call.source,
    kind: INTERNAL,
    ...during(startedAt, call.tookMs),
    attributes: attributesOf({
      ...(!isUnknown && { "datarun.source": call.source }),
      "datarun.match": call.match,
      "datarun.charged": call.charged,
      ...(call.credentialRule !== "none" && { "datarun.credential_rule": call.credentialRule }),
      ...(call.credentialId !== null && { "datarun.credential": call.credentialId }),
      ...(call.fault !== null && { "error.type": call.fault.code }),
    }),
    ...(call.fault !== null && { status: ERROR }),
  };
  const endedAt = startedAt + call.tookMs;
  return [span, ...call.attempts.map((attempt) => spanOfAttempt(attempt, endedAt, span))];
}

function spanOfAttempt(attempt: AttemptReport, callEndedAt: number, call: TraceSpan): TraceSpan {
  const { protocol, hostname, port } = new URL(attempt.origin);
  const { status, tookMs, sentWallAt } = attempt;
  const isError = status === null || status >= 400;
  return {
    traceId: call.traceId,
    spanId: attempt.spanId ?? newSpanId(),
    parentSpanId: call.spanId,
    name: attempt.method,
    kind: CLIENT,
    ...during(sentWallAt, tookMs ?? Math.max(0, callEndedAt - sentWallAt)),
    attributes: attributesOf({
      "http.request.method": attempt.method,
      "server.address": hostname.replace(/^\[|\]$/g, ""),
      "server.port": port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
      "url.scheme": protocol.slice(0, -1),
      ...(attempt.number > 1 && { "http.request.resend_count": attempt.number - 1 }),
      ...(status !== null && { "http.response.status_code": status }),
      ...(isError && { "error.type": status === null ? "no_reply" : String(status) }),
      "datarun.charged": attempt.charged,
    }),
    ...(isError && { status: ERROR }),
  };
}

function during(startedWallAt: number, tookMs: number) {
  return {
    startTimeUnixNano: nanoseconds(startedWallAt),
    endTimeUnixNano: nanoseconds(startedWallAt + tookMs),
  };
}

/** A time as OTLP has it in JSON. */
export function nanoseconds(wallAt: number): string {
  return `${Math.round(wallAt)}000000`;
}

export function attributesOf(values: Readonly<Record<string, string | number | boolean>>): readonly Attribute[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: string | number | boolean): AttributeValue {
  if (typeof value === "string") return { stringValue: value };
  // The JSON form of protobuf has 64-bit integers as texts.
  return typeof value === "number" ? { intValue: String(value) } : { boolValue: value };
}
