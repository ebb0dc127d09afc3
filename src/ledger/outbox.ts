import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { JOURNAL_FILE } from "./journal-database.ts";
import { RunReader, type NumberedRun } from "./read-runs.ts";

/** The next runs to go out: new ones in the order they were written, or ones whose charge was settled after they had gone. */
export interface OutboxBatch {
  readonly runs: readonly NumberedRun[];
  /** How far the outbox is drained once this has gone. */
  readonly upTo: number;
  readonly revisedUpTo: number | undefined;
}

/** The journal as the drainer reads it: beside the thread that writes, a few runs at a time. */
export class Outbox {
  readonly #database: DatabaseSync;
  readonly #runs: RunReader;
  /** Known here before it is on disk. */
  #drained: number;
  #revised = 0;

  constructor(directory: string) {
    this.#database = new DatabaseSync(join(directory, JOURNAL_FILE), { readOnly: true, timeout: 5_000 });
    this.#runs = new RunReader(this.#database);
    const row = this.#database.prepare("SELECT coalesce(max(run), 0) AS run FROM drained").get() as { run: number };
    this.#drained = row.run;
  }

  next(countMax: number): OutboxBatch | null {
    const fresh = this.#runs.read("WHERE r.id > ? ORDER BY r.id LIMIT ?", this.#drained, countMax);
    const last = fresh.at(-1);
    if (last !== undefined) return { runs: fresh, upTo: last.id, revisedUpTo: undefined };
    return this.#nextRevised(countMax);
  }

  #nextRevised(countMax: number): OutboxBatch | null {
    const found = this.#database
      .prepare("SELECT number, run FROM revised WHERE number > ? ORDER BY number LIMIT ?")
      .all(this.#revised, countMax) as { number: number; run: number }[];
    const last = found.at(-1);
    if (last === undefined) return null;
    const ids = [...new Set(found.map(({ run }) => run))];
    const runs = ids.flatMap((id) => this.#runs.read("WHERE r.id = ?", id));
    return { runs, upTo: this.#drained, revisedUpTo: last.number };
  }

  wentOut(batch: OutboxBatch): void {
    this.#drained = batch.upTo;
    if (batch.revisedUpTo !== undefined) this.#revised = batch.revisedUpTo;
  }

  get drained(): number {
    return this.#drained;
  }

  /** How many runs are waiting, about, and when the first of them started. */
  waiting(): { readonly runs: number; readonly oldestWallAt: number | null } {
    const row = this.#database
      .prepare(
        `SELECT coalesce(max(id), 0) AS newest,
           (SELECT started_at FROM runs WHERE id > ? ORDER BY id LIMIT 1) AS oldest_at FROM runs`,
      )
      .get(this.#drained) as { newest: number; oldest_at: number | null };
    return { runs: Math.max(0, row.newest - this.#drained), oldestWallAt: row.oldest_at };
  }

  /** Whether runs that have gone out and started before a moment are still here. */
  holdsOld(startedBefore: number): boolean {
    const row = this.#database.prepare("SELECT 1 FROM runs WHERE started_at < ? AND id <= ? LIMIT 1");
    return row.get(startedBefore, this.#drained) !== undefined;
  }

  close(): void {
    this.#database.close();
  }
}
