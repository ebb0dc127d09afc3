/** For the ledger's tests: a ledger in its own directory, runs to record in it, and queries on its tables. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { AttemptIntent, AttemptReport, CallReport, RunIntent, RunRecord, RunReport } from "../run/ports.ts";
import { systemClock } from "../terms/time/clock.ts";
import { newId } from "../terms/ids.ts";
import {
  DISK_FAULT,
  DISK_STEP,
  makeDiskFaults,
  setDiskFault,
  type DiskFault,
  type DiskStep,
} from "./journal/disk-faults.ts";
import { JOURNAL_FILE } from "./journal/journal-file.ts";
import { JOURNAL_VIEWS } from "./journal/journal-views.ts";
import type { RunningLedger } from "./journal/running-ledger.ts";
import { makeOutcomeFile, type MakeOutcomeFile } from "./journal/outcome-files.ts";
import { catchUp } from "./journal/replay-outcomes.ts";
import { createLedger, type LedgerOptions } from "./ledger.ts";

export const RESERVE_BYTES = 16 * 1024;

export interface LedgerUnderTest {
  readonly ledger: RunningLedger;
  readonly directory: string;
  /** All events that were logged. */
  readonly events: string[];
  setFault(step: DiskStep, fault: DiskFault): void;
}

const endings = new WeakMap<TestContext, (() => Promise<void> | void)[]>();

/** Runs in reverse order, so that a directory is deleted after its ledger was closed. */
export function atEnd(t: TestContext, end: () => Promise<void> | void): void {
  const known = endings.get(t);
  if (known !== undefined) {
    known.push(end);
    return;
  }
  const list = [end];
  endings.set(t, list);
  t.after(async () => {
    for (const each of list.toReversed()) await each();
  });
}

export function makeDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "datarun-ledger-"));
  atEnd(t, () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export async function startLedger(
  t: TestContext,
  options: Partial<LedgerOptions> & { readonly directory?: string } = {},
): Promise<LedgerUnderTest> {
  const directory = options.directory ?? makeDirectory(t);
  const disk = options.faults?.disk ?? makeDiskFaults();
  const events: string[] = [];
  const note = (fields: object): number => events.push(String((fields as { event?: unknown }).event));
  const ledger = createLedger({
    dir: directory,
    clock: systemClock,
    log: { info: note, warn: note, error: note },
    ...options,
    // On a machine that is busy with other tests, a slow disk must not count as stalled.
    limits: { reserveBytes: RESERVE_BYTES, closeMs: 2_000, stallMs: 600_000, ...options.limits },
    faults: { makeOutcomeFile: failingFiles(disk), ...options.faults, disk },
  });
  atEnd(t, async () => {
    for (const step of ["commit", "sync", "reserve", "open", "recovery", "log"] as const)
      setDiskFault(disk, step, "none");
    await ledger.close();
  });
  await ledger.ready;
  return { ledger, directory, events, setFault: (step, fault) => setDiskFault(disk, step, fault) };
}

/** Files for the log, on a disk that fails when a test asks for it. */
function failingFiles(faults: Int32Array): MakeOutcomeFile {
  const isAsked = (...asked: DiskFault[]): boolean =>
    asked.some((fault) => faults[DISK_STEP.log] === DISK_FAULT[fault]);
  const pass = async (): Promise<void> => {
    while (isAsked("hang")) await sleep(5);
    if (isAsked("ENOSPC", "EIO"))
      throw Object.assign(new Error("asked for by a test"), { code: isAsked("EIO") ? "EIO" : "ENOSPC" });
  };
  return async (path, bytes) => {
    await pass();
    const file = await makeOutcomeFile(path, bytes);
    return {
      write: async (group, at) => {
        await pass();
        await file.write(group, at);
      },
      close: () => file.close(),
    };
  };
}

export function makeRun(changes: Partial<RunIntent> = {}): RunIntent {
  const startedWallAt = changes.startedWallAt ?? Date.now();
  return {
    transactionId: newId("transaction", startedWallAt),
    kind: "data",
    organizationId: "org_a",
    workflowId: "wfl_a",
    tokenId: "tok_a",
    context: "prod",
    region: "eu",
    simulated: false,
    functionId: null,
    functionVersion: null,
    build: null,
    clientRequestId: null,
    trace: null,
    startedWallAt,
    ...changes,
  };
}

export function makeIntent(changes: Partial<AttemptIntent> = {}): AttemptIntent {
  return {
    source: "acme__people",
    sourceVersion: null,
    ordinal: 0,
    attempt: 1,
    origin: "https://api.acme.example",
    method: "GET",
    credentialId: null,
    credentialRule: "none",
    sentWallAt: Date.now(),
    free: false,
    price: null,
    ...changes,
  };
}

export function makeCall(changes: Partial<CallReport> = {}): CallReport {
  return {
    source: "acme__people",
    sourceVersion: null,
    ordinal: 0,
    success: true,
    match: true,
    fault: null,
    credentialId: null,
    credentialRule: "none",
    charged: "yes",
    startedAfterMs: 1,
    tookMs: 20,
    orderId: null,
    outputBytes: 300,
    attempts: [makeAttempt()],
    ...changes,
  };
}

export function makeAttempt(changes: Partial<AttemptReport> = {}): AttemptReport {
  return {
    number: 1,
    origin: "https://api.acme.example",
    method: "GET",
    sentWallAt: Date.now(),
    status: 200,
    tookMs: 19,
    charged: "yes",
    price: null,
    ...changes,
  };
}

export function makeReport(run: RunIntent, changes: Partial<RunReport> = {}): RunReport {
  return { ...run, tookMs: 25, clientGone: false, calls: [makeCall()], ...changes };
}

/** A whole run: opened, one vendor called, closed. Resolves when its answer may be sent. */
export async function runOnce(
  ledger: RunningLedger,
  run: RunIntent = makeRun(),
  report: RunReport = makeReport(run),
): Promise<RunRecord> {
  const record = ledger.open(run);
  for (const call of report.calls) {
    for (const { number, origin, method, sentWallAt, price } of call.attempts) {
      const { source, sourceVersion, ordinal, credentialId, credentialRule } = call;
      record
        .intend({
          source,
          sourceVersion,
          ordinal,
          attempt: number,
          origin,
          method,
          credentialId,
          credentialRule,
          sentWallAt,
          free: false,
          price,
        })
        .record();
    }
  }
  await record.close(report);
  return record;
}

/** The rows of a query, read concurrently with the service, as an operator's verb would. */
export function query(directory: string, sql: string, ...values: string[]): Record<string, unknown>[] {
  catchUp(directory);
  const database = new DatabaseSync(join(directory, JOURNAL_FILE), { readOnly: true });
  try {
    database.exec(JOURNAL_VIEWS);
    return database.prepare(sql).all(...values);
  } finally {
    database.close();
  }
}

export function stateOf(directory: string, run: RunIntent): unknown {
  return query(directory, "SELECT state FROM ledger_runs WHERE transaction_id = ?", run.transactionId)[0]?.["state"];
}

/** Waits for a condition that another thread will meet. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  for (const startedAt = performance.now(); !condition(); await sleep(5)) {
    if (performance.now() - startedAt > 60_000) throw new Error(`waited in vain until ${what}`);
  }
}
