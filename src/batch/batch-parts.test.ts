import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { valueOfText } from "./batch-spec.ts";
import { spreadRows, wilsonInterval } from "./estimate.ts";
import { indexRecords, readRecords } from "./records-file.ts";
import { makeRef, timeOfRef } from "./request-ref.ts";
import { isOpen } from "./read-answer.ts";
import { outcomeOf } from "./service-client.ts";
import { headLine, readStateFile, stateLine } from "./state-file.ts";

const IDENTITY = {
  id: "a1b2c3",
  sha256: "",
  rows: 10,
  spec: { sources: ["a__b"], func: null, workflow: "wfl_1", context: null, columns: {}, constants: {}, kept: [] },
};

test("only an answer that certainly nothing was run for is asked again", () => {
  const error = (code: string) => ({ error: { code, message: code } });
  assert.equal(outcomeOf(200, {}).kind, "answered");
  for (const status of [500, 503]) assert.equal(outcomeOf(status, error("overloaded")).kind, "busy");
  assert.equal(outcomeOf(500, error("unavailable")).kind, "busy");
  for (const status of [408, 429]) assert.equal(outcomeOf(status, null).kind, "busy");
  for (const status of [413, 422, 431]) assert.equal(outcomeOf(status, null).kind, "refused");
  for (const status of [500, 502, 503, 504]) assert.equal(outcomeOf(status, null).kind, "unsure");
  assert.equal(outcomeOf(500, error("internal")).kind, "unsure");
  assert.equal(outcomeOf(200, null).kind, "unsure");
  for (const status of [301, 401, 403, 404]) assert.equal(outcomeOf(status, null).kind, "stopped");
});

test("only sources to which nothing was sent are asked again", () => {
  const failed = (kind: string, charged: "yes" | "no" | "unknown") =>
    isOpen({ failure: { kind, retryable: true, charged } });
  for (const kind of ["shed", "unreachable", "budget"]) assert.ok(failed(kind, "no"));
  for (const kind of ["timeout", "vendor_5xx", "rate_limited", "input"]) assert.ok(!failed(kind, "no"));
  assert.ok(!failed("shed", "unknown"), "an earlier request of the call was sent");
});

test("a state and records that a crash has cut short are read up to their last whole line", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-state-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "state");
  assert.equal(await readStateFile(path), null);
  const whole = [headLine(IDENTITY), stateLine.asked(1, "r-1"), stateLine.done(1, "trx_1"), stateLine.asked(2, "r-2")];
  writeFileSync(path, `${whole.join("")}done 2`);
  const { state, bytes } = (await readStateFile(path))!;
  assert.equal(bytes, Buffer.byteLength(whole.join("")));
  assert.deepEqual([state.of(1), state.of(2), state.of(3)], ["done", "asked", "none"]);
  assert.deepEqual([...state.unanswered()], [[2, "r-2"]]);
  const records = join(folder, "records");
  writeFileSync(records, '{"row":2,"ref":"a"}\n{"row":1,"ref":"b"}\n{"row":2,"ref":"c"}\n{"row":3,');
  const index = await indexRecords(records);
  assert.deepEqual([index.count, index.isInOrder, index.has(3)], [2, false, false]);
  const read = [];
  for await (const piece of readRecords(records)) read.push(...piece.map(({ ref }) => ref));
  assert.deepEqual(read, ["b", "c"], "the last record of a row counts");
  appendFileSync(path, " trx_2\nnonsense\n");
  await assert.rejects(readStateFile(path), /has a line that cannot be read/);
});

test("texts become what an input allows, and shares have Wilson's intervals", () => {
  assert.equal(valueOfText("007", new Set(["string"])), "007");
  assert.equal(valueOfText("7", new Set(["integer"])), 7);
  assert.equal(valueOfText("007", new Set(["integer"])), "007", "the check of the inputs reports it");
  assert.equal(valueOfText("TRUE", new Set(["boolean"])), true);
  assert.deepEqual(valueOfText('["a"]', new Set(["array"])), ["a"]);
  assert.equal(valueOfText("7", new Set()), "7");
  const { low, high } = wilsonInterval(8, 10);
  assert.deepEqual([low.toFixed(4), high.toFixed(4)], ["0.4902", "0.9433"]);
  assert.deepEqual([...spreadRows(3, 9)], [2, 5, 8]);
  assert.deepEqual([...spreadRows(9, 3)], [1, 2, 3]);
  const ref = makeRef("a1b2c3", 1_000_000, 1_790_000_000_000);
  assert.equal(timeOfRef(ref), 1_790_000_000_000);
  assert.match(ref, /^[ -~]{1,64}$/);
});
