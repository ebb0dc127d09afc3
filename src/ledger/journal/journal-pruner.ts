import type { DatabaseSync, StatementSync } from "node:sqlite";
import { isDamage } from "./journal-damage.ts";

/** Runs per step. A commit may wait for a step, a few milliseconds. */
const AT_ONCE = 50;
/** A younger run may still be open, with only its intents recorded. */
const YOUNG_MS = 10 * 60 * 1_000;

/** A state of a request; 0 is waiting and 1 is done. */
export const GIVEN_UP = 2;

interface Request {
  readonly id: number;
  readonly started_before: number;
  readonly unknown_too: number;
}

interface Candidate {
  readonly id: number;
  readonly started_at: number;
  readonly has_unknown: number;
  /** Whether the shared database has refused the run, so that this journal has the only copy. */
  readonly set_aside: number;
}

/**
 * Carries out deletions requested by operators and retention, in the only thread that writes the journal. It deletes a
 * few runs between two commits, so that commits need not wait for the write lock. It continues after the last run of
 * the previous step, so that it examines each run once.
 */
export class JournalPruner {
  readonly #database: DatabaseSync;
  readonly #request: StatementSync;
  readonly #candidates: StatementSync;
  readonly #drained: StatementSync;
  readonly #deletes: readonly StatementSync[];
  readonly #recordProgress: StatementSync;
  #current: Request | null = null;
  #cursor: readonly [startedAt: number, id: number] = [0, 0];

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#request = database.prepare(
      "SELECT id, started_before, unknown_too FROM prunings WHERE done = 0 ORDER BY id LIMIT 1",
    );
    this.#candidates = database.prepare(
      `SELECT id, started_at, has_unknown, EXISTS (SELECT 1 FROM set_aside WHERE run = runs.id) AS set_aside FROM runs WHERE (started_at, id) > (?, ?) AND started_at < ?
       ORDER BY started_at, id LIMIT ${AT_ONCE}`,
    );
    this.#drained = database.prepare("SELECT run FROM drained");
    this.#deletes = deletionsOfRun(database);
    this.#recordProgress = database.prepare(
      `UPDATE prunings SET deleted = deleted + ?, kept_unknown = kept_unknown + ?, kept_undrained = kept_undrained + ?,
         done = ? WHERE id = ?`,
    );
  }

  /** Does one step of a request. False if there was nothing to do. */
  step(): boolean {
    this.#current ??= (this.#request.get() as Request | undefined) ?? null;
    const request = this.#current;
    if (request === null) return false;
    this.#database.exec("BEGIN IMMEDIATE");
    let done: boolean;
    try {
      done = this.#deleteSome(request);
      this.#database.exec("COMMIT");
    } catch (error) {
      if (isDamage(error)) this.#giveUp(request);
      throw error;
    }
    if (done) this.#finishRequest();
    return true;
  }

  /** Rows in damaged pages cannot be deleted, and another attempt would not help. */
  #giveUp({ id }: Request): void {
    this.#database.exec("ROLLBACK");
    this.#database.prepare(`UPDATE prunings SET done = ${GIVEN_UP} WHERE id = ?`).run(id);
    this.#finishRequest();
  }

  #finishRequest(): void {
    this.#current = null;
    this.#cursor = [0, 0];
  }

  #deleteSome({ id, started_before, unknown_too }: Request): boolean {
    const startedBefore = Math.min(started_before, Date.now() - YOUNG_MS);
    const candidates = this.#candidates.all(...this.#cursor, startedBefore) as unknown as Candidate[];
    const outbox = this.#drained.get() as { readonly run: number } | undefined;
    const kept = { unknown: 0, undrained: 0 };
    let deleted = 0;
    for (const run of candidates) {
      if (run.set_aside === 1 || (outbox !== undefined && run.id > outbox.run)) kept.undrained += 1;
      else if (run.has_unknown === 1 && unknown_too === 0) kept.unknown += 1;
      else {
        for (const statement of this.#deletes) statement.run(run.id);
        deleted += 1;
      }
    }
    if (deleted > 0) recordForgotten(this.#database, startedBefore);
    const last = candidates.at(-1);
    if (last !== undefined) this.#cursor = [last.started_at, last.id];
    const done = candidates.length < AT_ONCE;
    this.#recordProgress.run(deleted, kept.unknown, kept.undrained, done ? 1 : 0, id);
    return done;
  }
}

/** The statements that delete a run by its number, with all its rows. */
export function deletionsOfRun(database: DatabaseSync): readonly StatementSync[] {
  const ofRun = ["reconciliations", "attempts", "calls"].map((table) => `DELETE FROM ${table} WHERE run = ?`);
  return [...ofRun, "DELETE FROM runs WHERE id = ?"].map((sql) => database.prepare(sql));
}

/** Records, inside the caller's transaction, that runs which started before `startedBefore` may have been deleted. */
export function recordForgotten(database: DatabaseSync, startedBefore: number): void {
  database
    .prepare(
      `INSERT INTO forgotten (only, started_before) VALUES (1, ?)
       ON CONFLICT (only) DO UPDATE SET started_before = max(started_before, excluded.started_before)`,
    )
    .run(startedBefore);
}

/** A missing run that started before this time may have been deleted. */
export function forgottenBefore(database: DatabaseSync): number {
  const row = database.prepare("SELECT started_before FROM forgotten").get() as { started_before: number } | undefined;
  return row?.started_before ?? Number.MIN_SAFE_INTEGER;
}
