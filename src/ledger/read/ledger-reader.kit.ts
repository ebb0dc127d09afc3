import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import * as fc from "fast-check";
import type { RunIntent, RunReport } from "../../run/ports.ts";
import { Fault } from "../../terms/fault.ts";
import { exportRuns } from "./export-runs.ts";
import type { LedgerAnswers } from "./ledger-reader.ts";
import { makeAttempt, makeCall, makeReport, makeRun } from "../ledger.kit.ts";

const DAY = 24 * 60 * 60 * 1_000;
export const MARCH = Date.UTC(2026, 2, 10);

/** A new, empty ledger. */
export interface LedgerToRead {
  /** Records a run as a service does. */
  put(run: RunIntent, report?: RunReport): Promise<unknown>;
  readonly reader: LedgerAnswers;
}

export const timedOut = makeCall({
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

async function textOf(pages: AsyncIterable<{ readonly text: string }>): Promise<string> {
  let whole = "";
  for await (const { text } of pages) whole += text;
  return whole;
}

/** The answers of every ledger, wherever its tables are. */
export function ledgerReaderContract(name: string, newLedger: (t: TestContext) => Promise<LedgerToRead>): void {
  describe(`reading the ledger of ${name}`, () => {
    test("lists have the newest runs first, whatever their charges, count those to settle, and continue from a cursor", async (t) => {
      const { put, reader } = await newLedger(t);
      const ids: string[] = [];
      for (let day = 0; day < 6; day += 1) {
        const run = makeRun({ startedWallAt: MARCH + day * DAY });
        ids.push(run.transactionId);
        await put(run, makeReport(run, day === 2 || day === 3 ? { calls: [makeCall(), timedOut] } : {}));
      }
      const order = ids.toReversed();

      const all = await reader.list({});
      assert.deepEqual(
        all.runs.map((run) => run.transaction_id),
        order,
      );
      assert.equal(all.next, null);
      assert.deepEqual(all.toSettle, { runs: 2, isMore: false });
      assert.deepEqual((await reader.list({ from: MARCH + 3 * DAY }, { limit: 1 })).toSettle?.runs, 1);
      const { calls, failed, requests, charged_yes, charged_unknown, outcomes } = all.runs[2]!;
      assert.deepEqual([calls, failed, requests, charged_yes, charged_unknown], [2, 1, 3, 1, 1]);
      assert.deepEqual(
        outcomes.map((call) => [call.source, call.outcome, call.fault_kind, call.is_sent]),
        [
          ["acme__people", "match", null, true],
          ["bell__phone", "failed", "timeout", true],
        ],
      );

      for (const limit of [1, 2, 3, 5]) {
        const seen: string[] = [];
        let after: string | null = "";
        while (after !== null) {
          const page = await reader.list({}, after === "" ? { limit } : { limit, after });
          seen.push(...page.runs.map((run) => run.transaction_id));
          after = page.next;
          assert.equal(page.toSettle === null, seen.length > limit);
        }
        assert.deepEqual(seen, order, `pages of ${limit}`);
      }
      await assert.rejects(() => reader.list({}, { after: "1; DROP TABLE runs" }), RangeError);
    });

    test("of calls without a recorded request, one of unknown charge may have been sent", async (t) => {
      const { put, reader } = await newLedger(t);
      const run = makeRun({ startedWallAt: MARCH });
      const failed = { success: false, match: false, attempts: [] };
      await put(
        run,
        makeReport(run, {
          calls: [makeCall({ ...failed, charged: "unknown" }), makeCall({ ...failed, charged: "no", ordinal: 1 })],
        }),
      );
      const [line] = (await reader.list({})).runs;
      assert.deepEqual(
        line!.outcomes.map((call) => [call.outcome, call.is_sent]),
        [
          ["failed", true],
          ["failed", false],
        ],
      );
    });

    test("each filter narrows the list, and filters on calls must all hold for the same call", async (t) => {
      const { put, reader } = await newLedger(t);
      const trace = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", parentId: "00f067aa0ba902b7", flags: "01" };
      const odd = makeRun({ organizationId: "org_b", workflowId: "wfl_b", startedWallAt: MARCH, trace });
      const noMatch = makeCall({ source: "acme__people", match: false, charged: "no", attempts: [] });
      await put(odd, makeReport(odd, { calls: [noMatch, timedOut] }));
      const plain = makeRun({
        startedWallAt: MARCH + DAY,
        kind: "func",
        functionId: "dfunc_sum",
        clientRequestId: "7",
      });
      await put(plain);
      const found = async (filter: Parameters<LedgerAnswers["list"]>[0]): Promise<string[]> =>
        (await reader.list(filter)).runs.map((run) => run.transaction_id);
      const exported = async (filter: Parameters<LedgerAnswers["list"]>[0]): Promise<string[]> =>
        (await textOf(exportRuns(reader, filter, "jsonl")))
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line).run.transaction_id);

      const [a, b] = [odd.transactionId, plain.transactionId];
      assert.deepEqual(await found({ transactionId: b }), [b]);
      assert.deepEqual(await found({ from: MARCH + 1 }), [b]);
      assert.deepEqual(await found({ to: MARCH + 1 }), [a]);
      assert.deepEqual(await found({ organizationId: "org_b" }), [a]);
      assert.deepEqual(await found({ workflowId: "wfl_a" }), [b]);
      assert.deepEqual(await found({ functionId: "dfunc_sum" }), [b]);
      assert.deepEqual(await found({ functionId: "dfunc_sum", workflowId: "wfl_b" }), []);
      assert.deepEqual(await found({ functionId: "dfunc_sum", organizationId: "org_a", source: "acme__people" }), [b]);
      assert.deepEqual(await found({ functionId: "dfunc_sum", source: "bell__phone" }), []);
      assert.deepEqual(await found({ functionId: "dfunc_other" }), []);
      assert.equal((await textOf(exportRuns(reader, { functionId: "dfunc_sum" }, "jsonl"))).includes(b), true);
      assert.equal(await textOf(exportRuns(reader, { functionId: "dfunc_other" }, "jsonl")), "");
      assert.deepEqual(await found({ clientRequestId: "7" }), [b]);
      assert.deepEqual(await found({ clientRequestId: "" }), []);
      assert.deepEqual(await found({ traceId: trace.traceId }), [a]);
      assert.deepEqual(await found({ traceId: trace.traceId, clientRequestId: "7" }), []);
      assert.deepEqual(await found({ traceId: trace.traceId, transactionId: b }), []);
      assert.deepEqual(
        await found({ traceId: trace.traceId, source: "bell__phone", charged: "unknown", to: MARCH + 1 }),
        [a],
      );
      for (const filter of [
        { traceId: trace.traceId, from: MARCH + 1 },
        { clientRequestId: "7", organizationId: "org_b" },
      ])
        assert.deepEqual(await found(filter), []);
      assert.deepEqual(
        [await exported({ clientRequestId: "7" }), await exported({ traceId: trace.traceId })],
        [[b], [a]],
      );
      assert.deepEqual(await found({ source: "bell__phone" }), [a]);
      assert.deepEqual(await found({ outcome: "match" }), [b]);
      assert.deepEqual(await found({ outcome: "no_match" }), [a]);
      assert.deepEqual(await found({ outcome: "failed" }), [a]);
      assert.deepEqual(await found({ outcome: "unknown" }), []);
      assert.deepEqual(await found({ charged: "unknown" }), [a]);
      assert.deepEqual(await found({ charged: "yes" }), [b]);
      assert.deepEqual(await found({ charged: "no" }), [a]);
      assert.deepEqual(await found({ charged: "no", outcome: "no_match" }), []);
      assert.deepEqual(await found({ source: "acme__people", outcome: "failed" }), []);
      assert.deepEqual(await found({ source: "acme__people" }), [b, a]);
    });

    test("runs are found by the failure and the duration of one call, or by the duration of the run", async (t) => {
      const { put, reader } = await newLedger(t);
      const slow = makeRun({ startedWallAt: MARCH });
      const slowCall = makeCall({ ordinal: 0, tookMs: 900 });
      await put(slow, makeReport(slow, { tookMs: 1_000, calls: [slowCall, { ...timedOut, tookMs: 100 }] }));
      const fast = makeRun({ startedWallAt: MARCH + DAY });
      const refused = makeCall({ success: false, match: false, fault: new Fault("source.budget_used"), attempts: [] });
      await put(fast, makeReport(fast, { tookMs: 20, calls: [{ ...refused, tookMs: 1 }] }));
      const [a, b] = [slow.transactionId, fast.transactionId];
      const found = async (filter: Parameters<LedgerAnswers["list"]>[0]): Promise<string[]> => {
        const listed = (await reader.list(filter)).runs.map((run) => run.transaction_id);
        const lines = (await textOf(exportRuns(reader, filter, "jsonl"))).split("\n").slice(0, -1);
        assert.deepEqual(
          lines.map((line) => JSON.parse(line).run.transaction_id as string),
          listed.toReversed(),
        );
        return listed;
      };
      assert.deepEqual(await found({ failure: "timeout" }), [a]);
      assert.deepEqual(await found({ failure: "budget" }), [b]);
      assert.deepEqual(await found({ failure: "timeout", source: "bell__phone" }), [a]);
      assert.deepEqual(await found({ failure: "timeout", source: "acme__people" }), []);
      assert.deepEqual(await found({ failure: "timeout", outcome: "match" }), []);
      assert.deepEqual(await found({ failure: "timeout", charged: "unknown", organizationId: "org_a" }), [a]);
      assert.deepEqual(await found({ failure: "input" }), []);
      assert.deepEqual(await found({ tookMsMin: 20 }), [b, a]);
      assert.deepEqual(await found({ tookMsMin: 21 }), [a]);
      assert.deepEqual(await found({ tookMsMin: 900, source: "acme__people" }), [a]);
      assert.deepEqual(await found({ tookMsMin: 101, source: "bell__phone" }), []);
      assert.deepEqual(await found({ tookMsMin: 50, failure: "timeout", source: "bell__phone" }), [a]);
      assert.deepEqual((await reader.list({ tookMsMin: 5 })).toSettle, { runs: 1, isMore: false });
    });

    test("runs are found by the versions of their function, their calls and the deployment", async (t) => {
      const { put, reader } = await newLedger(t);
      const ids: string[] = [];
      for (const [at, version] of ["f1", "f2", null].entries()) {
        const ofFunction = { kind: "func", functionId: "dfunc_x", functionVersion: version } as const;
        const run = makeRun({ ...ofFunction, build: version === null ? null : "1.2.0", startedWallAt: MARCH + at });
        const sourceVersion = at === 0 ? "s1" : null;
        await put(run, makeReport(run, { calls: [makeCall({ sourceVersion }), { ...timedOut, sourceVersion: "s2" }] }));
        ids.push(run.transactionId);
      }
      const found = async (filter: Parameters<LedgerAnswers["list"]>[0]): Promise<number[]> => {
        const listed = (await reader.list(filter)).runs.map((run) => ids.indexOf(run.transaction_id));
        const text = await textOf(exportRuns(reader, filter, "jsonl"));
        const lines = text.split("\n").slice(0, -1);
        const exported = lines.map((line) => ids.indexOf(JSON.parse(line).run.transaction_id as string));
        // A list has the newest first. All of these runs have an unknown charge.
        assert.deepEqual(exported, listed.toReversed());
        return exported;
      };
      assert.deepEqual(await found({ functionVersion: "f1" }), [0]);
      assert.deepEqual(await found({ functionVersion: "f2", functionId: "dfunc_x", organizationId: "org_a" }), [1]);
      assert.deepEqual(await found({ functionVersion: "f2", functionId: "dfunc_y" }), []);
      assert.deepEqual(await found({ build: "1.2.0" }), [0, 1]);
      assert.deepEqual(await found({ build: "1.2.0", to: MARCH + 1 }), [0]);
      assert.deepEqual(await found({ sourceVersion: "s1", source: "acme__people" }), [0]);
      assert.deepEqual(await found({ sourceVersion: "s2" }), [0, 1, 2]);
      assert.deepEqual(await found({ sourceVersion: "s3" }), []);
      assert.deepEqual(await found({ functionVersion: "f1", transactionId: ids[1]! }), []);
      const rows = await Promise.all(ids.map((id) => reader.show(id)));
      assert.deepEqual(
        rows.map((row) => [row!.run.function_version, row!.run.build, row!.calls[0]!.source_version, row!.damaged]),
        [
          ["f1", "1.2.0", "s1", false],
          ["f2", "1.2.0", null, false],
          [null, null, null, false],
        ],
      );
    });

    test("a run is shown with all its calls and requests; an unknown one is null", async (t) => {
      const { put, reader } = await newLedger(t);
      const run = makeRun();
      await put(run, makeReport(run, { calls: [makeCall(), timedOut] }));
      const row = await reader.show(run.transactionId);
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
      assert.equal(await reader.show("trx_none"), null);
    });

    test("the export holds every run, call and request once, over many pages", async (t) => {
      const { put, reader } = await newLedger(t);
      await Promise.all(
        Array.from({ length: 450 }, () => {
          const run = makeRun({ startedWallAt: MARCH });
          return put(run, makeReport(run, { calls: [makeCall(), timedOut, makeCall({ ordinal: 2, attempts: [] })] }));
        }),
      );
      const bare = makeRun({ startedWallAt: MARCH + DAY });
      await put(bare, makeReport(bare, { calls: [] }));

      const json = (await textOf(exportRuns(reader, {}, "jsonl"))).split("\n").slice(0, -1);
      assert.equal(new Set(json.map((line) => JSON.parse(line).run.transaction_id)).size, 451);
      assert.equal(json.length, 451);
      const csv = (await textOf(exportRuns(reader, {}, "csv"))).split("\r\n").slice(0, -1);
      assert.equal(csv.length, 1 + 450 * 4 + 1);
      const columns = csv[0]!.split(",").length;
      assert.ok(csv.every((line) => line.split(",").length === columns));
      assert.deepEqual((await textOf(exportRuns(reader, { from: MARCH + 1 }, "csv"))).split("\r\n").length, 3);
    });

    test("no id can break a line of the export, or be a formula in it", async (t) => {
      const { put, reader } = await newLedger(t);
      const nasty = ["=cmd|' /C calc'!A0", '"quoted", and more', "line\nbreak\0", "\ud800", "@x", "+1", "-1", "ü,ö"];
      const run = makeRun();
      const calls = nasty.map((source, ordinal) => makeCall({ source, ordinal, attempts: [] }));
      await put(run, makeReport(run, { calls }));
      const lines = (await textOf(exportRuns(reader, {}, "csv"))).split("\r\n");
      assert.equal(lines.length, nasty.length + 2);
      assert.ok(lines[1]!.includes(",'=cmd|' /C calc'!A0,"));
      assert.ok(lines[2]!.includes(',"""quoted"", and more",'));
      assert.ok(lines[3]!.includes(",line\\u000abreak\\u0000,"));
      assert.deepEqual((await reader.list({ source: "line\nbreak\0" })).runs.length, 1);
      assert.deepEqual((await reader.list({ source: "\udfff" })).runs.length, 0);
    });

    test("hostile text in a filter finds nothing and fails nothing", async (t) => {
      const { reader } = await newLedger(t);
      const text = fc.option(fc.string({ unit: "binary" }), { nil: undefined });
      await fc.assert(
        fc.asyncProperty(text, text, text, text, async (transactionId, organizationId, workflowId, source) => {
          const given = Object.entries({ transactionId, organizationId, workflowId, source });
          const filter = Object.fromEntries(given.filter(([, value]) => value !== undefined));
          assert.deepEqual((await reader.list(filter)).runs, []);
        }),
        { numRuns: 40 },
      );
    });

    test("the summary of a month has one line for each credential, however it was chosen, without simulated runs", async (t) => {
      const { put, reader } = await newLedger(t);
      const putAt = async (at: number, changes: Parameters<typeof makeRun>[0] = {}): Promise<void> => {
        const run = makeRun({ startedWallAt: at, ...changes });
        const acme = makeCall({ attempts: [makeAttempt({ sentWallAt: at })] });
        await put(run, makeReport(run, { calls: [acme, timedOut] }));
      };
      await putAt(MARCH);
      await putAt(MARCH);
      await putAt(MARCH, { simulated: true });
      await putAt(Date.UTC(2026, 3, 1));
      const chosen = (["named", "default", "inline"] as const).map((credentialRule, ordinal) =>
        makeCall({
          ...timedOut,
          ordinal,
          credentialRule,
          credentialId: credentialRule === "inline" ? null : "cred_b",
        }),
      );
      const run = makeRun({ startedWallAt: MARCH });
      await put(run, makeReport(run, { calls: chosen }));
      const lines = (await reader.summary("2026-03")).map((line) => Object.values(line));
      assert.deepEqual(lines, [
        ["acme__people", "org_a", null, "none", null, 2, 2, 0, 0, 2, 0n, 0n],
        ["bell__phone", "org_a", null, "inline", null, 2, 0, 1, 1, 1, 0n, 0n],
        ["bell__phone", "org_a", "cred_b", "stored", null, 10, 0, 5, 5, 5, 0n, 0n],
      ]);
      await assert.rejects(() => reader.summary("2026-13"), RangeError);
    });

    test("pruning deletes old, settled runs while the service runs", async (t) => {
      const { put, reader } = await newLedger(t);
      await Promise.all(Array.from({ length: 250 }, () => put(makeRun({ startedWallAt: MARCH }))));
      const open = makeRun({ startedWallAt: MARCH });
      await put(open, makeReport(open, { calls: [timedOut] }));
      const young = makeRun({ startedWallAt: MARCH + DAY });
      await put(young);

      assert.deepEqual(await reader.prune(MARCH + 1), { deleted: 250, kept_unknown: 1, kept_undrained: 0 });
      assert.deepEqual(
        (await reader.list({})).runs.map((run) => run.transaction_id),
        [young.transactionId, open.transactionId],
      );
      assert.deepEqual(await reader.prune(MARCH + 1, { unknownToo: true }), {
        deleted: 1,
        kept_unknown: 0,
        kept_undrained: 0,
      });
      assert.equal((await textOf(exportRuns(reader, {}, "jsonl"))).split("\n").length, 2);
      await put(makeRun());
    });
  });
}
