import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { catchUp } from "../../src/ledger/journal/replay-outcomes.ts";
import { openJournalReader } from "../../src/ledger/read/journal-reader.ts";
import type { SpendLine } from "../../src/ledger/read/sum-spend.ts";
import { createLedger } from "../../src/ledger/ledger.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { PRICE } from "./crash-price.ts";

export interface CrashCount {
  readonly opened: number;
  readonly sent: number;
  readonly answered: number;
  /** Runs whose service died between an attempt and its outcome. */
  readonly unknown: number;
  /** Intents whose request had not gone out yet: at most one a kill. */
  readonly intendedOnly: number;
  /** Outcomes on disk whose answer had not gone out yet. */
  readonly durableUnanswered: number;
}

/**
 * Kills a loaded service at random moments, starting it again each time on the same directory, and then holds the
 * ledger against what the outside saw: nothing missing, nothing invented.
 */
export async function crashRounds(
  directory: string,
  rounds: number,
  runsPerSecond: number,
  aliveMsMax: number,
): Promise<CrashCount> {
  const ledgerDirectory = join(directory, "ledger");
  const seen = join(directory, "seen");
  mkdirSync(seen, { recursive: true });
  for (let round = 0; round < rounds; round += 1) {
    await killOnce(ledgerDirectory, seen, runsPerSecond, 50 + Math.random() * aliveMsMax);
  }
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  const last = createLedger({
    dir: ledgerDirectory,
    clock: systemClock,
    log: quiet,
    limits: { reserveBytes: 64 * 1024 },
  });
  await last.ready;
  await last.close();
  const count = compare(join(ledgerDirectory, "journal.db"), seen, rounds);
  await assertSpent(ledgerDirectory, new Set(wholeLines(seen, "vendor")));
  return count;
}

/**
 * What the vendor would bill is within the ledger's range, and is its sum once every unknown charge has been settled by
 * the vendor's own list.
 */
async function assertSpent(directory: string, billed: ReadonlySet<string>): Promise<void> {
  const reader = openJournalReader({ dir: directory });
  try {
    const spent = async (): Promise<SpendLine> => {
      const lines = await reader.spend("org", { from: 0, to: systemClock.wall() + 60_000 });
      assert.deepEqual(
        lines.map(({ key, currency, unpriced }) => [key, currency, unpriced]),
        [["org_a", PRICE.currency, 0]],
      );
      return lines[0]!;
    };
    const bill = BigInt(billed.size) * PRICE.amount;
    const before = await spent();
    assert.ok(before.least <= bill && bill <= before.most, `${bill} is not from ${before.least} to ${before.most}`);
    for (const { transaction_id: transactionId, ordinal, attempt } of await reader.unknown({ limit: 100_000 })) {
      const charged = billed.has(`${transactionId} ${ordinal} ${attempt}`) ? "yes" : "no";
      const decision = { transactionId, ordinal, attempt: attempt!, charged } as const;
      await reader.reconcile({ ...decision, decidedBy: "test", decidedAt: systemClock.wall(), note: "the bill" });
    }
    const after = await spent();
    assert.deepEqual([after.least, after.most], [bill, bill]);
  } finally {
    reader.close();
  }
}

async function killOnce(directory: string, seen: string, runsPerSecond: number, aliveMs: number): Promise<void> {
  const program = fileURLToPath(new URL("./crash-load.ts", import.meta.url));
  const child = spawn(process.execPath, [program, directory, seen, String(runsPerSecond)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const gone = once(child, "exit");
  await Promise.race([
    once(child.stdout, "data"),
    gone.then(([code]) => assert.fail(`the loaded service ended by itself with ${String(code)}`)),
  ]);
  // Another process reads meanwhile, and puts into the journal what the log alone has: also between any two of the service's commits.
  for (const killAt = performance.now() + aliveMs; performance.now() < killAt; await sleep(20)) catchUp(directory);
  child.kill("SIGKILL");
  const [, signal] = (await gone) as [number | null, string | null];
  assert.equal(signal, "SIGKILL", "the loaded service was alive until it was killed");
}

interface Counted {
  readonly transaction_id: string;
  readonly state: string;
  readonly calls: number;
  readonly attempts: number;
}

function compare(journal: string, seen: string, kills: number): CrashCount {
  const opened = new Map(wholeLines(seen, "opened").map((line) => line.split(" ") as [string, string]));
  const sent = new Set(wholeLines(seen, "vendor"));
  const answered = wholeLines(seen, "answered");
  const database = new DatabaseSync(journal, { readOnly: true });
  try {
    const check = database.prepare("PRAGMA integrity_check").get() as { integrity_check: string };
    assert.equal(check.integrity_check, "ok");
    const runs = database
      .prepare(
        `SELECT transaction_id, (SELECT name FROM names WHERE names.id = state) AS state, (SELECT count(*) FROM calls WHERE run = runs.id) AS calls,
           (SELECT count(*) FROM attempts WHERE run = runs.id) AS attempts FROM runs`,
      )
      .all() as unknown as Counted[];
    const byId = new Map(runs.map((run) => [run.transaction_id, run]));
    const attempts = new Set(
      (
        database
          .prepare(
            `SELECT transaction_id || ' ' || ordinal || ' ' || number AS line FROM attempts JOIN runs ON runs.id = run`,
          )
          .all() as { line: string }[]
      ).map(({ line }) => line),
    );

    for (const id of answered) assert.equal(byId.get(id)?.state, "ended", `an answered run is missing: ${id}`);
    for (const line of sent) assert.ok(attempts.has(line), `a vendor was called and the ledger does not know: ${line}`);
    let intendedOnly = 0;
    for (const line of attempts) {
      if (sent.has(line)) continue;
      assert.equal(byId.get(line.split(" ")[0]!)?.state, "unknown", `an outcome was invented: ${line}`);
      intendedOnly += 1;
    }
    assert.ok(intendedOnly <= kills, `${intendedOnly} attempts that no vendor saw in ${kills} kills`);
    for (const run of runs) {
      const calls = Number(opened.get(run.transaction_id) ?? Number.NaN);
      assert.ok(calls >= 0, `a run was invented: ${run.transaction_id}`);
      if (run.state !== "ended") continue;
      assert.equal(run.calls, calls, `a run lost a call: ${run.transaction_id}`);
      assert.equal(run.attempts, calls === 3 ? 4 : calls, `a run lost an attempt: ${run.transaction_id}`);
    }
    const ended = runs.filter(({ state }) => state === "ended").length;
    return {
      opened: opened.size,
      sent: sent.size,
      answered: answered.length,
      unknown: runs.length - ended,
      intendedOnly,
      durableUnanswered: ended - answered.length,
    };
  } finally {
    database.close();
  }
}

/** A file is read after its writer's death; every line was one write, so the last is whole too. */
function wholeLines(seen: string, name: string): string[] {
  return readFileSync(join(seen, name), "utf8").split("\n").slice(0, -1);
}
