import { isDamage } from "../journal/journal-damage.ts";
import { JournalTables } from "../journal/journal-tables.ts";
import type { RunBatch, RunReportRow } from "../ports.ts";
import { readRuns } from "../read/read-runs.ts";
import { BatchBuilder, batchOf } from "./batch-builder.ts";
import { RunsInOrder } from "./runs-in-order.ts";

interface Numbered {
  readonly run: number;
  readonly transaction_id: string | null;
}

/** The next runs to send, in the order they were written. */
export interface OutboxBatch {
  readonly runs: RunBatch;
  /** The outbox is drained up to this number once the batch has been sent. */
  readonly upTo: number;
  /** The next run, if it is damaged. The batch then has no runs. */
  readonly damaged: DamagedRun | null;
}

export interface DamagedRun {
  /** Null if it cannot be read. */
  readonly transactionId: string | null;
  readonly number: number;
}

/** The drainer's view of the journal, read concurrently with the writing thread, a few runs at a time. */
export class Outbox {
  readonly #tables: JournalTables;
  readonly #inOrder: RunsInOrder;
  /** The journal's own id. */
  readonly journal: string;
  /** Updated before the value is on disk. */
  #drained: number;

  constructor(directory: string) {
    this.#tables = new JournalTables(directory);
    this.#inOrder = new RunsInOrder(directory);
    const [row] = this.#tables.rows<{ run: number }>("SELECT coalesce(max(run), 0) AS run FROM drained");
    this.#drained = row!.run;
    this.journal = this.#tables.id();
  }

  async next(countMax: number): Promise<OutboxBatch | null> {
    return this.#soundRuns(countMax) ?? (await this.#oneByOne(countMax));
  }

  /** The next runs, up to the first that is or may be damaged. `null` if that is the first one, or there is none. */
  #soundRuns(countMax: number): OutboxBatch | null {
    const builder = new BatchBuilder();
    let upTo = 0;
    try {
      this.#inOrder.addAfter(this.#drained, builder, countMax, (number) => (upTo = number));
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    return builder.count === 0 ? null : { runs: builder.batch(), upTo, damaged: null };
  }

  /** Reads past damage. A damaged run is never sent; it is returned alone so that it can be reported. */
  async #oneByOne(countMax: number): Promise<OutboxBatch | null> {
    let found: readonly Numbered[];
    try {
      found = this.#tables.rows<Numbered>(
        "SELECT r.run, r.transaction_id FROM ledger_runs AS r WHERE r.run > ? ORDER BY r.run LIMIT ?",
        [this.#drained, countMax],
      );
    } catch (error) {
      if (!isDamage(error)) throw error;
      found = this.#findOne();
    }
    const ids = found.flatMap(({ transaction_id: id }) => id ?? []);
    const read = await readRuns(this.#tables.query, ids);
    const sound = new Map(
      read.flatMap(({ row, damaged }) => (damaged || row === null ? [] : [[row.run.transaction_id, row]])),
    );
    const runs: RunReportRow[] = [];
    let upTo = 0;
    for (const { run, transaction_id: transactionId } of found) {
      const row = sound.get(transactionId ?? "");
      if (row === undefined) {
        if (runs.length > 0) break;
        return { runs: batchOf([]), upTo: run, damaged: { transactionId, number: run } };
      }
      runs.push(row);
      upTo = run;
    }
    return runs.length === 0 ? null : { runs: batchOf(runs), upTo, damaged: null };
  }

  /** Reads one number at a time and skips unreadable rows. */
  #findOne(): readonly Numbered[] {
    const last = this.#lastNumber();
    for (let number = this.#drained + 1; number <= last; number += 1) {
      try {
        const found = this.#tables.rows<Numbered>(
          "SELECT r.run, r.transaction_id FROM ledger_runs AS r WHERE r.run = ?",
          [number],
        );
        if (found.length > 0) return found;
      } catch (error) {
        if (!isDamage(error)) throw error;
        return [{ run: number, transaction_id: null }];
      }
    }
    return [];
  }

  #lastNumber(): number {
    const ends = ["SELECT max(id) AS last FROM runs", "SELECT max(run) AS last FROM calls"].map((sql) => {
      try {
        return this.#tables.rows<{ last: number | null }>(sql)[0]?.last ?? 0;
      } catch (error) {
        if (!isDamage(error)) throw error;
        return 0;
      }
    });
    return Math.max(...ends);
  }

  markSent(batch: OutboxBatch): void {
    this.#drained = batch.upTo;
  }

  /** Moves back to the last run that a database has, as far as the journal still has later runs. */
  rewindTo(run: number): void {
    const [row] = this.#tables.rows<{ first: number | null }>("SELECT min(id) AS first FROM runs WHERE id > ?", [run]);
    const first = row!.first;
    this.#drained = first === null ? this.#drained : Math.min(this.#drained, first - 1);
  }

  get drained(): number {
    return this.#drained;
  }

  /** The approximate number of waiting runs, and the start of the first. */
  waiting(): { readonly runs: number; readonly oldestWallAt: number | null } {
    const [row] = this.#tables.rows<{ newest: number; oldest_at: number | null }>(
      // A time beyond the safe integers is damage, which is reported when the run is sent.
      `SELECT coalesce(max(id), 0) AS newest,
         (SELECT started_at FROM runs WHERE id > ? AND started_at <= ? ORDER BY id LIMIT 1) AS oldest_at FROM runs`,
      [this.#drained, Number.MAX_SAFE_INTEGER],
    );
    return { runs: Math.max(0, row!.newest - this.#drained), oldestWallAt: row!.oldest_at };
  }

  /** Whether sent runs that started before `startedBefore` still exist. */
  hasOldRuns(startedBefore: number): boolean {
    const old = "SELECT 1 FROM runs WHERE started_at < ? AND id <= ? LIMIT 1";
    return this.#tables.rows(old, [startedBefore, this.#drained]).length > 0;
  }

  close(): void {
    this.#inOrder.close();
    this.#tables.close();
  }
}
