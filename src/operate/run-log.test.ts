import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallReport, RunReport } from "../run/ports.ts";
import { Fault } from "../terms/fault.ts";
import { createLog } from "./log.ts";
import { causeOf, createRunLog } from "./run-log.ts";

const FAILED = new Fault("source.vendor_5xx", { status: 503 });

function call(ordinal: number, source: string, fault: Fault | null): CallReport {
  const credential = { credentialId: null, credentialRule: "none" as const };
  const times = { startedAfterMs: 0, tookMs: 1, orderId: null, outputBytes: 2 };
  const ended = { success: fault === null, match: fault === null, fault, charged: "no" as const };
  return { source, sourceVersion: null, ordinal, ...ended, ...credential, ...times, attempts: [] };
}

/** The log line of a run with these calls, as text and parsed. */
function lineOf(calls: readonly CallReport[]) {
  const lines: string[] = [];
  const report = {
    transactionId: "trx_1",
    kind: "data",
    functionId: null,
    clientRequestId: null,
    trace: null,
    calls,
  } as unknown as RunReport;
  const log = createLog("info", { write: (line) => void lines.push(line) });
  createRunLog(log, { allows: () => true }).runEnded(report);
  assert.equal(lines.length, 1);
  const read = JSON.parse(lines[0]!) as { calls: { source: string; fault?: string }[]; calls_not_shown?: number };
  return { text: lines[0]!, ...read };
}

test("identifiers that are of no source do not fill the log: a few of them, shortened, and how many there were", () => {
  const made = Array.from({ length: 100 }, (_, at) => "\u0001".repeat(120) + String(at).padStart(8, "0"));
  const line = lineOf(made.map((id, at) => call(at, id, new Fault("source.unknown", { source: id }))));
  assert.ok(line.text.length < 4_000, `${line.text.length} characters`);
  assert.equal(line.calls.length, 3);
  assert.equal(line.calls_not_shown, 97);
  const one = lineOf([call(0, "acme__poeple", new Fault("source.unknown", { source: "acme__poeple" }))]);
  assert.equal(one.calls[0]!.source, "acme__poeple");
  assert.equal(one.calls_not_shown, undefined);
});

test("of a run with very many calls those that failed are shown first, in their order", () => {
  const calls = Array.from({ length: 100 }, (_, at) => call(at, `acme__s${at}`, at >= 95 ? FAILED : null));
  const line = lineOf(calls);
  assert.equal(line.calls.length, 32);
  assert.equal(line.calls_not_shown, 68);
  assert.deepEqual(
    line.calls.slice(-5).map(({ source, fault }) => [source, fault]),
    calls.slice(95).map(({ source }) => [source, "source.vendor_5xx"]),
  );
});

test("a field that a fault names is shortened, whatever the origin of its name", () => {
  const fault = new Fault("source.input_invalid", { field: "x".repeat(100_000), problem: "must be a string" });
  assert.ok(lineOf([call(0, "acme__people", fault)]).text.length < 1_000);
});

test("the log has no name, code or location that the code of an author or a caller invented", () => {
  const secret = "hunter2-Ada";
  const posing = Object.assign(new Error(secret), { name: secret, code: secret });
  assert.match(causeOf(posing)!, /^an error of its own at file:.*run-log\.test\.ts:\d+:\d+$/);
  const frames = [
    `${secret}\n    at ${secret} (/${secret}:1:1)`,
    `Error\n    at Object.${secret} (file:///${secret}.js:1:1)`,
    `\n    at file:///tmp/${secret}:1:1)`,
    `    at node:internal/${secret}:1:1`,
    secret.repeat(10_000),
    "\u001b[2J\n    at \u001b[2J (/\u001b:1:1)",
  ];
  for (const stack of frames) assert.equal(causeOf(Object.assign(new TypeError(secret), { stack })), "TypeError");
  for (const code of ["HUNTER2-ADA", `E${"X".repeat(200)}`, "ESECRET", { toString: () => secret }, 4711]) {
    assert.doesNotMatch(causeOf(Object.assign(new Error(), { code, stack: "" }))!, / /, String(code));
  }
  const nested = new Error(secret, { cause: Object.assign(new RangeError(secret), { code: "ECONNRESET", stack: "" }) });
  assert.match(causeOf(nested)!, / < RangeError ECONNRESET$/);
  function named() {
    return { [secret]: () => new Error(secret) }[secret]!();
  }
  assert.doesNotMatch(causeOf(named())!, /hunter/);
});

test("what an error throws while it is read is not the log's trouble", () => {
  const hostile = new Error("x");
  Object.defineProperty(hostile, "code", {
    get: () => {
      throw new Error("hunter2");
    },
  });
  assert.equal(causeOf(hostile), "unreadable");
});

test("a message that imitates stack frames costs the log little, however long it is", () => {
  const messages = [
    `\n    at /${"?".repeat(15_000)}`,
    "\n    at /a:1:1".repeat(1_600),
    `\n    at ${"(/a".repeat(6_000)}`,
  ];
  const before = process.cpuUsage();
  for (let count = 0; count < 40; count += 1) for (const message of messages) causeOf(new Error(message));
  const { user, system } = process.cpuUsage(before);
  // A pattern with backtracking took four seconds.
  assert.ok(user + system < 2_000_000, `it took ${(user + system) / 1_000} ms of CPU`);
  assert.match(causeOf(new Error(messages[1]))!, /run-log\.test\.ts:\d+:\d+$/);
});
