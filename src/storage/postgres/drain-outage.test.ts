import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { startFaultyProxy } from "../../../test/postgres/faulty-proxy.ts";
import { startPostgres } from "../../../test/postgres/start-postgres.ts";
import { Drainer } from "../../ledger/drain/drainer.ts";
import { atEnd, makeRun, runOnce, startLedger, until } from "../../ledger/ledger.kit.ts";
import type { LedgerSink } from "../../ledger/ports.ts";
import { systemClock } from "../../terms/time/clock.ts";
import { openStore } from "../store.ts";

const RUNS_A_SECOND = 300;
const BATCH_RUNS = 32;
const WEATHER = ["1 KB/s", "black hole", "fair", "resets", "black hole"] as const;
const EACH_MS = 700;

/** Records the drainer's writes and the pending ones. */
class Watched implements LedgerSink {
  readonly #sink: LedgerSink;
  #waiting = 0;
  mostWaiting = 0;
  failed = 0;

  constructor(sink: LedgerSink) {
    this.#sink = sink;
  }

  async write(batch: Parameters<LedgerSink["write"]>[0]): Promise<void> {
    this.#waiting += batch.transactionIds.length;
    this.mostWaiting = Math.max(this.mostWaiting, this.#waiting);
    try {
      await this.#sink.write(batch);
    } catch (error) {
      this.failed += 1;
      throw error;
    } finally {
      this.#waiting -= batch.transactionIds.length;
    }
  }
}

test("runs that end by the hundreds while the database is slow, silent or unavailable arrive once each, and few wait in memory", async (t) => {
  const server = await startPostgres();
  atEnd(t, () => server.stop());
  const proxy = await startFaultyProxy(server.socket);
  atEnd(t, () => proxy.close());
  const databaseUrl = `postgres://datarun@127.0.0.1:${proxy.port}/postgres`;
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  atEnd(t, () => store.close());
  await store.ready();
  const tested = await startLedger(t);
  const sink = new Watched(store.ledger);
  const drainer = new Drainer({
    dir: tested.directory,
    ledger: tested.ledger,
    sink,
    clock: systemClock,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    limits: { batchRuns: BATCH_RUNS, gatherMs: 1, retryFirstMs: 20, retryMaxMs: 200 },
  });
  atEnd(t, () => drainer.close());

  const ids: string[] = [];
  const ended: Promise<unknown>[] = [];
  for (const weather of WEATHER) {
    proxy.turn(weather);
    for (const until = performance.now() + EACH_MS; performance.now() < until; await sleep(10)) {
      for (let i = 0; i < RUNS_A_SECOND / 100; i += 1) {
        const run = makeRun();
        ids.push(run.transactionId);
        ended.push(runOnce(tested.ledger, run));
      }
    }
  }
  await Promise.all(ended);
  // The last answered runs are in the outcome log, and in the journal a moment later.
  await tested.ledger.flush();
  assert.ok(drainer.state().pendingRuns > BATCH_RUNS, "the outage was long enough to prove something");
  proxy.turn("fair");
  await until(() => drainer.state().pendingRuns === 0, "all have gone out");

  assert.ok(sink.failed > 0, "the database has been away");
  assert.ok(sink.mostWaiting <= BATCH_RUNS, `${sink.mostWaiting} runs waited in memory`);
  const client = new Client({ connectionString: server.url("postgres") });
  await client.connect();
  atEnd(t, () => client.end());
  const found = async (table: string): Promise<string[]> =>
    (await client.query<{ transaction_id: string }>(`SELECT transaction_id FROM ${table}`)).rows
      .map((row) => row.transaction_id)
      .sort();
  const expected = ids.toSorted();
  for (const table of ["ledger_runs", "ledger_calls", "ledger_attempts"])
    assert.deepEqual(await found(table), expected);
  t.diagnostic(JSON.stringify({ runs: ids.length, failedWrites: sink.failed, sent: drainer.state().sent }));
});
