import { runColumnsOf } from "./ledger-columns.ts";
import { JournalTables } from "./journal-tables.ts";
import type { RunReportRow, RunRow } from "./ports.ts";
import { withAllRows } from "./whole-runs.ts";

/** The next runs to go out, in the order they were written. */
export interface OutboxBatch {
  readonly runs: readonly RunReportRow[];
  /** How far the outbox is drained once this has gone. */
  readonly upTo: number;
}

/** The journal as the drainer reads it: beside the thread that writes, a few runs at a time. */
export class Outbox {
  readonly #tables: JournalTables;
  /** The journal's own id. */
  readonly journal: string;
  /** Known here before it is on disk. */
  #drained: number;

  constructor(directory: string) {
    this.#tables = new JournalTables(directory);
    const [row] = this.#tables.rows<{ run: number }>("SELECT coalesce(max(run), 0) AS run FROM drained");
    this.#drained = row!.run;
    const [journal] = this.#tables.rows<{ id: string }>("SELECT id FROM journal");
    this.journal = journal!.id;
  }

  async next(countMax: number): Promise<OutboxBatch | null> {
    const found = this.#tables.rows<RunRow & { readonly run: number }>(
      `SELECT r.run, ${runColumnsOf("r")} FROM ledger_runs AS r WHERE r.run > ? ORDER BY r.run LIMIT ?`,
      [this.#drained, countMax],
    );
    const last = found.at(-1);
    if (last === undefined) return null;
    const runs = found.map(({ run: _number, ...run }) => run);
    return { runs: await withAllRows(this.#tables.query, runs), upTo: last.run };
  }

  wentOut(batch: OutboxBatch): void {
    this.#drained = batch.upTo;
  }

  /** Goes back to what a database has, as far as it is still here. */
  goBackTo(run: number): void {
    const [row] = this.#tables.rows<{ first: number | null }>("SELECT min(id) AS first FROM runs WHERE id > ?", [run]);
    const first = row!.first;
    this.#drained = first === null ? this.#drained : Math.min(this.#drained, first - 1);
  }

  get drained(): number {
    return this.#drained;
  }

  /** How many runs are waiting, about, and when the first of them started. */
  waiting(): { readonly runs: number; readonly oldestWallAt: number | null } {
    const [row] = this.#tables.rows<{ newest: number; oldest_at: number | null }>(
      `SELECT coalesce(max(id), 0) AS newest,
         (SELECT started_at FROM runs WHERE id > ? ORDER BY id LIMIT 1) AS oldest_at FROM runs`,
      [this.#drained],
    );
    return { runs: Math.max(0, row!.newest - this.#drained), oldestWallAt: row!.oldest_at };
  }

  /** Whether runs that have gone out and started before a moment are still here. */
  holdsOld(startedBefore: number): boolean {
    const old = "SELECT 1 FROM runs WHERE started_at < ? AND id <= ? LIMIT 1";
    return this.#tables.rows(old, [startedBefore, this.#drained]).length > 0;
  }

  close(): void {
    this.#tables.close();
  }
}
