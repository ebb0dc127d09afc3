import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import * as fc from "fast-check";
import { Fault } from "../terms/fault.ts";
import { openLedgerReader, type LedgerReader } from "./ledger-reader.ts";
import {
  atEnd,
  makeAttempt,
  makeCall,
  makeDirectory,
  makeReport,
  makeRun,
  runOnce,
  startLedger,
  type LedgerUnderTest,
} from "./ledger-under-test.ts";

const DAY = 24 * 60 * 60 * 1_000;
const MARCH = Date.UTC(2026, 2, 10);

interface Reading extends LedgerUnderTest {
  readonly reader: LedgerReader;
}

async function startReading(t: TestContext): Promise<Reading> {
  const tested = await startLedger(t);
  const reader = openLedgerReader({ dir: tested.directory });
  atEnd(t, () => reader.close());
  return { ...tested, reader };
}

const timedOut = makeCall({
  source: "bell__phone",
  ordinal: 1,
  success: false,
  match: false,
  fault: new Fault("source.timeout", { afterMs: 100 }),
  charged: "unknown",
  credentialId: "cred_b",
  credentialRule: "auto",
  attempts: [
    makeAttempt({ status: 401, charged: "no", sentWallAt: MARCH }),
    makeAttempt({ number: 2, status: null, charged: "unknown", sentWallAt: MARCH }),
  ],
});

test("lists put runs with unknown charges first, then the newest, and go on where they ended", async (t) => {
  const { ledger, reader } = await startReading(t);
  const ids: string[] = [];
  for (let day = 0; day < 6; day += 1) {
    const run = makeRun({ startedWallAt: MARCH + day * DAY });
    ids.push(run.transactionId);
    await runOnce(ledger, run, makeReport(run, day === 2 || day === 3 ? { calls: [makeCall(), timedOut] } : {}));
  }
  const order = [3, 2, 5, 4, 1, 0].map((day) => ids[day]);

  const all = reader.list({});
  assert.deepEqual(
    all.runs.map((run) => run.transaction_id),
    order,
  );
  assert.equal(all.next, null);
  assert.deepEqual(
    [all.runs[0]?.calls, all.runs[0]?.failed, all.runs[0]?.charged_yes, all.runs[0]?.charged_unknown],
    [2, 1, 1, 1],
  );

  for (const limit of [1, 2, 3, 5]) {
    const seen: string[] = [];
    let after: string | null = "";
    while (after !== null) {
      const page = reader.list({}, after === "" ? { limit } : { limit, after });
      seen.push(...page.runs.map((run) => run.transaction_id));
      after = page.next;
    }
    assert.deepEqual(seen, order, `pages of ${limit}`);
  }
  assert.throws(() => reader.list({}, { after: "1; DROP TABLE runs" }), RangeError);
});

test("each filter narrows, and those about a call speak of one call", async (t) => {
  const { ledger, reader } = await startReading(t);
  const odd = makeRun({ organizationId: "org_b", workflowId: "wfl_b", startedWallAt: MARCH });
  const noMatch = makeCall({ source: "acme__people", match: false, charged: "no" });
  await runOnce(ledger, odd, makeReport(odd, { calls: [noMatch, timedOut] }));
  const plain = makeRun({ startedWallAt: MARCH + DAY });
  await runOnce(ledger, plain);
  const found = (filter: Parameters<LedgerReader["list"]>[0]): string[] =>
    reader.list(filter).runs.map((run) => run.transaction_id);

  const [a, b] = [odd.transactionId, plain.transactionId];
  assert.deepEqual(found({ transactionId: b }), [b]);
  assert.deepEqual(found({ from: MARCH + 1 }), [b]);
  assert.deepEqual(found({ to: MARCH + 1 }), [a]);
  assert.deepEqual(found({ organizationId: "org_b" }), [a]);
  assert.deepEqual(found({ workflowId: "wfl_a" }), [b]);
  assert.deepEqual(found({ source: "bell__phone" }), [a]);
  assert.deepEqual(found({ outcome: "match" }), [b]);
  assert.deepEqual(found({ outcome: "no_match" }), [a]);
  assert.deepEqual(found({ outcome: "failed" }), [a]);
  assert.deepEqual(found({ outcome: "unknown" }), []);
  assert.deepEqual(found({ charged: "unknown" }), [a]);
  assert.deepEqual(found({ source: "acme__people", outcome: "failed" }), []);
  assert.deepEqual(found({ source: "acme__people" }), [a, b]);
});

test("a run is shown whole, and one that is not there is null", async (t) => {
  const { ledger, reader } = await startReading(t);
  const run = makeRun();
  await runOnce(ledger, run, makeReport(run, { calls: [makeCall(), timedOut] }));
  const row = reader.show(run.transactionId);
  assert.equal(row?.run.transaction_id, run.transactionId);
  assert.ok(row !== null && !("id" in row.run));
  assert.deepEqual(
    row.calls.map((call) => [call.transaction_id, call.source]),
    [
      [run.transactionId, "acme__people"],
      [run.transactionId, "bell__phone"],
    ],
  );
  assert.equal(row.attempts.length, 3);
  assert.equal(reader.show("trx_none"), null);
});

test("the export holds every run, call and request once, over many pages", async (t) => {
  const { ledger, reader } = await startReading(t);
  await Promise.all(
    Array.from({ length: 450 }, () => {
      const run = makeRun({ startedWallAt: MARCH });
      return runOnce(
        ledger,
        run,
        makeReport(run, { calls: [makeCall(), timedOut, makeCall({ ordinal: 2, attempts: [] })] }),
      );
    }),
  );
  const bare = makeRun({ startedWallAt: MARCH + DAY });
  await runOnce(ledger, bare, makeReport(bare, { calls: [] }));

  const json = [...reader.export({}, "jsonl")].join("").split("\n").slice(0, -1);
  assert.equal(new Set(json.map((line) => JSON.parse(line).run.transaction_id)).size, 451);
  assert.equal(json.length, 451);
  const csv = [...reader.export({}, "csv")].join("").split("\r\n").slice(0, -1);
  assert.equal(csv.length, 1 + 450 * 4 + 1);
  const columns = csv[0]!.split(",").length;
  assert.ok(csv.every((line) => line.split(",").length === columns));
  assert.deepEqual([...reader.export({ from: MARCH + 1 }, "csv")].join("").split("\r\n").length, 3);
});

test("no id can break a line of the export, or be a formula in it", async (t) => {
  const { ledger, reader } = await startReading(t);
  const nasty = ["=cmd|' /C calc'!A0", '"quoted", and more', "line\nbreak\0", "\ud800", "@x", "+1", "-1", "ü,ö"];
  const run = makeRun();
  const calls = nasty.map((source, ordinal) => makeCall({ source, ordinal, attempts: [] }));
  await runOnce(ledger, run, makeReport(run, { calls }));
  const lines = [...reader.export({}, "csv")].join("").split("\r\n");
  assert.equal(lines.length, nasty.length + 2);
  assert.ok(lines[1]!.includes(",'=cmd|' /C calc'!A0,"));
  assert.ok(lines[2]!.includes(',"""quoted"", and more",'));
  assert.ok(lines[3]!.includes(",line\\u000abreak\\u0000,"));
  assert.deepEqual(reader.list({ source: "line\nbreak\0" }).runs.length, 1);
  assert.deepEqual(reader.list({ source: "\udfff" }).runs.length, 0);
});

test("any filter is answered, whatever its texts say", async (t) => {
  const { reader } = await startReading(t);
  const text = fc.option(fc.string({ unit: "binary" }), { nil: undefined });
  fc.assert(
    fc.property(text, text, text, text, (transactionId, organizationId, workflowId, source) => {
      const given = Object.entries({ transactionId, organizationId, workflowId, source });
      const filter = Object.fromEntries(given.filter(([, value]) => value !== undefined));
      assert.deepEqual(reader.list(filter).runs, []);
    }),
    { numRuns: 40 },
  );
});

test("the summary of a month counts requests by source and credential, without simulated ones", async (t) => {
  const { ledger, reader } = await startReading(t);
  const put = async (at: number, changes: Parameters<typeof makeRun>[0] = {}): Promise<void> => {
    const run = makeRun({ startedWallAt: at, ...changes });
    const acme = makeCall({ attempts: [makeAttempt({ sentWallAt: at })] });
    await runOnce(ledger, run, makeReport(run, { calls: [acme, timedOut] }));
  };
  await put(MARCH);
  await put(MARCH);
  await put(MARCH, { simulated: true });
  await put(Date.UTC(2026, 3, 1));
  const lines = reader.summary("2026-03").map((line) => Object.values(line));
  assert.deepEqual(lines, [
    ["acme__people", "org_a", null, "none", 2, 2, 0, 0],
    ["bell__phone", "org_a", "cred_b", "auto", 6, 0, 3, 3],
  ]);
  assert.throws(() => reader.summary("2026-13"), RangeError);
});

test("an unknown charge is settled once and for all with a name and a note, and can be settled again", async (t) => {
  const { ledger, reader } = await startReading(t);
  const run = makeRun();
  await runOnce(ledger, run, makeReport(run, { calls: [makeCall(), timedOut] }));
  const { transactionId } = run;
  const decision = { transactionId, ordinal: 1, decidedBy: "ada", decidedAt: MARCH, note: "invoice 17" } as const;

  assert.deepEqual(
    reader.unknown().map(({ source, attempt }) => [source, attempt]),
    [["bell__phone", 2]],
  );
  assert.equal(reader.reconcile({ ...decision, transactionId: "trx_other", charged: "yes" }), null);
  assert.equal(reader.reconcile({ ...decision, ordinal: 0, charged: "no" }), null, "a known charge was overruled");
  assert.equal(reader.reconcile({ ...decision, attempt: 1, charged: "yes" }), null, "a known charge was overruled");
  assert.deepEqual(reader.reconcile({ ...decision, charged: "yes" }), { attempts: 1, charged: "yes" });
  assert.deepEqual(reader.unknown(), []);
  assert.deepEqual(reader.reconcile({ ...decision, charged: "no", note: "credited" }), { attempts: 1, charged: "no" });

  const row = reader.show(transactionId);
  assert.equal(row?.calls[1]?.charged, "no");
  assert.deepEqual(
    row?.reconciliations.map((one) => [one.revision, one.attempt, one.charged, one.decided_by, one.note]),
    [
      [1, 2, "yes", "ada", "invoice 17"],
      [2, 2, "no", "ada", "credited"],
    ],
  );
});

test("a call with an unknown charge and no request of its own is settled as a call", async (t) => {
  const { ledger, reader } = await startReading(t);
  const run = makeRun();
  await runOnce(ledger, run, makeReport(run, { calls: [makeCall({ charged: "unknown", attempts: [] })] }));
  assert.equal(reader.unknown()[0]?.attempt, null);
  const decision = { transactionId: run.transactionId, ordinal: 0, decidedBy: "ada", decidedAt: 1, note: "" } as const;
  assert.deepEqual(reader.reconcile({ ...decision, charged: "no" }), { attempts: 0, charged: "no" });
  assert.deepEqual(reader.unknown(), []);
});

test("pruning deletes what is old and settled, beside the running service", async (t) => {
  const { ledger, reader } = await startReading(t);
  for (let i = 0; i < 250; i += 1) void runOnce(ledger, makeRun({ startedWallAt: MARCH }));
  const open = makeRun({ startedWallAt: MARCH });
  await runOnce(ledger, open, makeReport(open, { calls: [timedOut] }));
  const young = makeRun({ startedWallAt: MARCH + DAY });
  await runOnce(ledger, young);

  assert.deepEqual(reader.prune(MARCH + 1), { deleted: 250, kept_unknown: 1, kept_undrained: 0 });
  assert.deepEqual(
    reader.list({}).runs.map((run) => run.transaction_id),
    [open.transactionId, young.transactionId],
  );
  assert.deepEqual(reader.prune(MARCH + 1, { unknownToo: true }), { deleted: 1, kept_unknown: 0, kept_undrained: 0 });
  assert.equal([...reader.export({}, "jsonl")].join("").split("\n").length, 2);
  await runOnce(ledger);
});

test("a directory without a ledger is named as such, and a reader makes none there", (t) => {
  const directory = makeDirectory(t);
  assert.throws(() => openLedgerReader({ dir: directory }), /there is no ledger/);
  assert.throws(() => openLedgerReader({ dir: directory }), /there is no ledger/);
});
