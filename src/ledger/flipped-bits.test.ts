import { exportRuns } from "./read/export-runs.ts";
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import * as fc from "fast-check";
import { OperatorError } from "../terms/operator-error.ts";
import { Fault } from "../terms/fault.ts";
import { JOURNAL_FILE } from "./journal/journal-file.ts";
import { openJournalReader, type JournalReader } from "./read/journal-reader.ts";
import { makeAttempt, makeCall, makeDirectory, makeReport, makeRun, runOnce, startLedger } from "./ledger.kit.ts";
import type { Verified } from "./read/verified.ts";

const DAY = 24 * 60 * 60 * 1_000;
const RUNS = 60;

interface Journal {
  readonly bytes: Buffer;
  /** Each run of the journal, as it was written. */
  readonly runs: ReadonlyMap<string, string>;
}

/** A journal in which runs have been settled and deleted. */
async function makeJournal(t: TestContext): Promise<Journal> {
  const directory = makeDirectory(t);
  const { ledger } = await startLedger(t, { directory });
  const now = Date.now();
  let settled = "";
  for (let at = 0; at < RUNS; at += 1) {
    const run = makeRun({ startedWallAt: now - (RUNS - at) * DAY, organizationId: `org_${at % 3}`, context: "dev" });
    const failed = makeCall({
      source: "bell__phone",
      ordinal: 1,
      success: false,
      match: false,
      fault: new Fault("source.timeout", { afterMs: 100 }),
      charged: "unknown",
      attempts: [makeAttempt({ charged: "unknown", status: null }), makeAttempt({ number: 2, charged: "no" })],
    });
    const calls = at % 7 === 0 ? [] : at % 5 === 0 ? [makeCall(), failed] : [makeCall({ credentialId: "cred_1" })];
    if (at % 5 === 0 && at % 7 !== 0) settled = run.transactionId;
    await runOnce(ledger, run, makeReport(run, { calls }));
  }
  const reader = openJournalReader({ dir: directory });
  await reader.reconcile({
    transactionId: settled,
    ordinal: 1,
    charged: "no",
    decidedBy: "a",
    decidedAt: 1,
    note: "n",
  });
  await reader.prune(now - (RUNS - 10) * DAY);
  const runs = await readAll(reader);
  reader.close();
  await ledger.close();
  return { bytes: readFileSync(join(directory, JOURNAL_FILE)), runs };
}

async function readAll(reader: JournalReader, onDamaged?: (run: string) => void): Promise<Map<string, string>> {
  const runs = new Map<string, string>();
  for await (const { text, damaged } of exportRuns(reader, {}, "jsonl")) {
    for (const line of text.split("\n").filter((each) => each !== "")) {
      const { run } = JSON.parse(line) as { readonly run: { readonly transaction_id: string } };
      runs.set(run.transaction_id, line);
    }
    for (const run of damaged) onDamaged?.(run);
  }
  return runs;
}

function isClean({ damaged, missing, structure }: Verified): boolean {
  return damaged === 0 && missing === 0 && structure.length === 0;
}

/** A damaged journal may give answers, or errors with a message for operators, and nothing else. */
async function inWords<Result>(ask: () => Promise<Result>): Promise<Result | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof OperatorError || (error as Error).message === "the ledger was written by another version")
      return null;
    throw error;
  }
}

test("whatever bit of a journal is flipped, no reader gets anything that was not written, and what is lost is named", async (t) => {
  const { bytes, runs } = await makeJournal(t);
  const place = makeDirectory(t);
  let tries = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length * 8 - 1), async (bit) => {
      const directory = join(place, String((tries += 1)));
      mkdirSync(directory);
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(join(directory, JOURNAL_FILE), flipped);
      const reader = await inWords(async () => openJournalReader({ dir: directory }));
      if (reader === null) return;
      try {
        await compare(reader, runs);
      } finally {
        reader.close();
      }
    }),
    { numRuns: Number(process.env["FLIPS"] ?? 150), examples: [] },
  );
});

async function compare(reader: JournalReader, runs: ReadonlyMap<string, string>): Promise<void> {
  const verified = await inWords(() => reader.verify());
  const clean = verified !== null && isClean(verified);
  const told: string[] = [];
  const exported = await inWords(() => readAll(reader, (run) => told.push(run)));
  for (const [id, line] of exported ?? []) assert.equal(line, runs.get(id), "the export tells what was not written");
  if (clean) assert.deepEqual(exported, runs, "nobody says that something is lost");
  for (const [id, line] of runs) {
    const shown = await inWords(() => reader.show(id));
    const { damaged = true, ...row } = shown ?? {};
    if (!damaged) assert.equal(JSON.stringify(row), line, "what is shown was not written");
    if (damaged) assert.equal(clean, false, "nobody says that a run is lost");
  }
  for (const filter of [{}, { source: "bell__phone" }, { organizationId: "org_1" }]) {
    const list = await inWords(() => reader.list(filter, { limit: 1_000 }));
    for (const line of list?.runs ?? []) assert.ok(runs.has(line.transaction_id));
    if (clean) assert.ok(list !== null && list.damaged.length === 0);
    if (clean && Object.keys(filter).length === 0) assert.equal(list!.runs.length, runs.size);
  }
  await inWords(() => reader.summary("2026-03"));
  await inWords(() => reader.unknown());
}
