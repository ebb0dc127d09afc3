import assert from "node:assert/strict";
import { test } from "node:test";
import { readableLine } from "./readable-line.ts";

const time = new Date(2026, 0, 2, 3, 4, 5).toISOString();

test("a run is a line, and each of its calls one below it", () => {
  const line = JSON.stringify({
    level: 30,
    time,
    event: "run",
    transaction_id: "trx_1",
    kind: "func",
    organization: "org_1",
    function: "dfunc_a",
    function_fault: "function.timeout",
    took_ms: 12,
    calls: [
      { source: "acme__people", success: true, match: true, took_ms: 5, charged: "yes" },
      { source: "bell__phone", success: true, match: false, took_ms: 6 },
      { source: "c__d", success: false, match: false, took_ms: 7, fault: "source.timeout", detail: { afterMs: 7 } },
    ],
  });
  assert.equal(
    readableLine(line),
    [
      "03:04:05 info  run    dfunc_a  12 ms  function.timeout  trx_1",
      "               record  acme__people  5 ms",
      "               none    bell__phone  6 ms",
      '               FAILED  c__d  7 ms  source.timeout  {"afterMs":7}',
      "",
    ].join("\n"),
  );
});

test("any other event is its words and its fields", () => {
  const line = JSON.stringify({
    level: 50,
    time,
    event: "broken_file",
    file: "/p/a.ts",
    line: 3,
    reason: "cannot be loaded",
  });
  assert.equal(readableLine(line), "03:04:05 ERROR broken_file  file=/p/a.ts  line=3  reason=cannot be loaded\n");
  assert.equal(readableLine(`{"level":30,"time":"x","message":"hello"}`), "         info  hello\n");
});

test("words of others have no power over the terminal", () => {
  const source = "\u001b[2J\nfake line\u202e";
  const call = { source, success: false, took_ms: 1, fault: "source.unknown", detail: { source } };
  for (const entry of [
    { event: "run", kind: "data", took_ms: 1, transaction_id: "trx_1", calls: [call] },
    { event: "source_log", message: source, [source]: source },
  ]) {
    const text = readableLine(JSON.stringify({ level: 30, time: "x", ...entry }));
    assert.ok(!/[^\n\P{C}]/u.test(text), JSON.stringify(text));
    assert.equal(text.split("\n").length, entry.event === "run" ? 3 : 2);
  }
});
