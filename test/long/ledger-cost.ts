/**
 * What the ledger costs: `node test/long/ledger-cost.ts [seconds]`. Open loop, five calls a run, each vendor a 20 ms
 * timer; with the ledger and without it in turns, each in a process of its own. Prints one line of JSON a measurement.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLedger } from "../../src/ledger/ledger.ts";
import type { CallReport, Ledger, RunIntent } from "../../src/run/ports.ts";
import { NOT_RECORDED } from "../../src/run/not-recorded.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { newId } from "../../src/terms/ids.ts";

const CALLS = 5;
const VENDOR_MS = 20;
const WARM_SECONDS = 3;
const ROUNDS = 3;

const [first = "8", mode, rate = ""] = process.argv.slice(2);
if (mode === undefined) compare(Number(first));
else process.stdout.write(`${JSON.stringify(await measure(Number(first), mode === "on", Number(rate)))}\n`);

function compare(seconds: number): void {
  const program = fileURLToPath(import.meta.url);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const runsPerSecond of ["100", "1000"]) {
      for (const ledger of ["off", "on"]) {
        const child = spawnSync(process.execPath, [program, String(seconds), ledger, runsPerSecond], {
          encoding: "utf8",
          stdio: ["ignore", "pipe", "inherit"],
        });
        process.stdout.write(child.stdout);
      }
    }
  }
}

async function measure(seconds: number, withLedger: boolean, runsPerSecond: number): Promise<object> {
  const directory = mkdtempSync(join(tmpdir(), "datarun-cost-"));
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  const kept = withLedger ? createLedger({ dir: directory, clock: systemClock, log: quiet }) : null;
  await kept?.ready;
  const ledger: Ledger = kept ?? NOT_RECORDED;
  await load(ledger, runsPerSecond, WARM_SECONDS);

  const before = { main: process.threadCpuUsage(), journal: journalCpuUs() };
  const { tookMs, waitedMs } = await load(ledger, runsPerSecond, seconds);
  const main = process.threadCpuUsage(before.main);
  const runs = tookMs.length;
  const journal = journalCpuUs() - before.journal;
  await kept?.close();
  rmSync(directory, { recursive: true });
  return {
    ledger: withLedger ? "on" : "off",
    runs_per_second: runsPerSecond,
    runs,
    main_us_a_run: Math.round((main.user + main.system) / runs),
    journal_us_a_run: Math.round(journal / runs),
    took_ms: quantiles(tookMs),
    waited_for_disk_ms: quantiles(waitedMs),
  };
}

/** The processor time of the journal's thread, from the kernel. */
function journalCpuUs(): number {
  for (const task of readdirSync("/proc/self/task")) {
    const folder = `/proc/self/task/${task}`;
    if (readFileSync(`${folder}/comm`, "utf8").trim() !== "journal") continue;
    return Number(readFileSync(`${folder}/schedstat`, "utf8").split(" ")[0]) / 1_000;
  }
  return 0;
}

async function load(
  ledger: Ledger,
  runsPerSecond: number,
  seconds: number,
): Promise<{ readonly tookMs: number[]; readonly waitedMs: number[] }> {
  const tookMs: number[] = [];
  const waitedMs: number[] = [];
  const total = runsPerSecond * seconds;
  const startedAt = systemClock.now();
  let started = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(total, ((systemClock.now() - startedAt) * runsPerSecond) / 1_000);
      for (; started < due; started += 1) {
        void runOnce(ledger).then(([took, waited]) => {
          tookMs.push(took);
          waitedMs.push(waited);
          if (tookMs.length === total) resolve();
        });
      }
      if (started >= total) clearInterval(timer);
    }, 1);
  });
  return { tookMs, waitedMs };
}

async function runOnce(ledger: Ledger): Promise<readonly [tookMs: number, waitedMs: number]> {
  const startedAt = systemClock.now();
  const startedWallAt = systemClock.wall();
  const run: RunIntent = {
    transactionId: newId("transaction", startedWallAt),
    kind: "data",
    organizationId: "org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
    workflowId: "wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
    tokenId: "tok_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
    context: "prod",
    region: "eu-central",
    simulated: false,
    functionVersion: null,
    build: null,
    functionId: null,
    clientRequestId: null,
    trace: null,
    startedWallAt,
  };
  const record = ledger.open(run);
  const calls = await Promise.all(
    Array.from({ length: CALLS }, async (_, ordinal): Promise<CallReport> => {
      const origin = `https://api.vendor-${ordinal}.example`;
      const source = `vendor_${ordinal}__people_search`;
      const credentialId = "cred_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f";
      const sent = { origin, method: "GET", sentWallAt: systemClock.wall() };
      record
        .intend({
          ...sent,
          source,
          sourceVersion: null,
          ordinal,
          attempt: 1,
          credentialId,
          credentialRule: "auto",
          free: false,
          price: null,
        })
        .record();
      await new Promise((resolve) => setTimeout(resolve, VENDOR_MS));
      const attempt = { ...sent, number: 1, status: 200, tookMs: VENDOR_MS, charged: "yes" as const, price: null };
      const common = {
        source,
        sourceVersion: null,
        ordinal,
        success: true,
        match: true,
        fault: null,
        charged: "yes",
      } as const;
      const times = { startedAfterMs: 0, tookMs: VENDOR_MS, orderId: null, outputBytes: 2_048 };
      return { ...common, ...times, credentialId, credentialRule: "auto", attempts: [attempt] };
    }),
  );
  const closedAt = systemClock.now();
  await record.close({ ...run, tookMs: closedAt - startedAt, clientGone: false, calls });
  const endedAt = systemClock.now();
  return [endedAt - startedAt, endedAt - closedAt];
}

function quantiles(values: number[]): { readonly p50: number; readonly p99: number; readonly max: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 100) / 100;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
