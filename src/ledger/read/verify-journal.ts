import type { OnProgress } from "../../terms/on-progress.ts";
import { systemClock } from "../../terms/time/clock.ts";
import { isDamage } from "../journal/journal-damage.ts";
import type { JournalRows } from "../journal/journal-rows.ts";
import { JournalTables } from "../journal/journal-tables.ts";
import { positionOf } from "../column.ts";
import { RUN_COLUMNS } from "../columns.ts";
import { readOutcomes } from "../journal/outcome-files.ts";
import { checksumOfValues } from "../journal/run-checksum.ts";
import { verifyTotals } from "./verify-totals.ts";
import { Tally, type Verified } from "./verified.ts";

/** The journal counts its runs in blocks of this many numbers: see `run_counts`. */
const BLOCK = 512;
/** Few enough that their rows fit in memory, whatever the number of calls in each run. */
const AT_ONCE = 32;
const IDS_AT_ONCE = 1_000;
/** All attempts together take longer than the service takes to move its log. */
const LOG_READS_MAX = 5;
const LOG_READ_MS = 200;

const CHECKED_TABLES = [
  "runs",
  "calls",
  "attempts",
  "reconciliations",
  "names",
  "run_counts",
  "journal",
  "drained",
  "set_aside",
  "prunings",
  "forgotten",
  "ahead",
  "moved",
  "lost_outcomes",
  "unread_intents",
  "ledger_total_spans",
  "ledger_totals",
  "ledger_history_spans",
  "ledger_history",
];

const TRANSACTION_ID = positionOf(RUN_COLUMNS, "transaction_id");
const CHECKSUM_OF_RUN = positionOf(RUN_COLUMNS, "checksum");

/**
 * Checks every run of a journal, in short reads concurrently with the writing thread: whether its rows match its
 * checksum, and whether as many runs exist as were written and not deleted. Damage hides only the runs in it.
 */
export async function verifyJournal(directory: string, onProgress: OnProgress = () => {}): Promise<Verified> {
  const tables = new JournalTables(directory);
  try {
    const verification = new Verification(tables);
    const runs = verification.counted();
    for (let block = verification.next(-1); block !== null; block = verification.next(block)) {
      verification.checkBlock(block);
      onProgress("runs checked", verification.checkedRuns, runs);
      // Lets other queries use this thread.
      await new Promise((resolve) => setImmediate(resolve));
    }
    verification.nameMissing();
    for (const [at, table] of CHECKED_TABLES.entries()) {
      verification.checkStructure(table);
      onProgress("tables checked", at + 1, CHECKED_TABLES.length);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await verification.checkTotals(onProgress);
    await verification.checkLog(directory);
    return verification.result();
  } finally {
    tables.close();
  }
}

interface Missing {
  readonly block: number;
  /** Numbers of missing runs with remaining calls. */
  readonly numbers: Set<number>;
  readonly runs: number;
}

class Verification {
  readonly #tables: JournalTables;
  readonly #rows: JournalRows;
  readonly #tally = new Tally();
  readonly #missing: Missing[] = [];
  /** The number of checked runs. */
  checkedRuns = 0;

  constructor(tables: JournalTables) {
    this.#tables = tables;
    this.#rows = tables.byPosition();
  }

  /** The expected number of runs, if it can be read. */
  counted(): number | undefined {
    const rows = this.#attempt("how many runs there are", () =>
      this.#tables.rows<{ runs: number | null }>("SELECT sum(runs) AS runs FROM run_counts"),
    );
    return rows?.[0]?.runs ?? undefined;
  }

  /** The next block that has runs, should have runs, or has calls. */
  next(after: number): number | null {
    const from = (after + 1) * BLOCK;
    const nexts = [
      ["SELECT block AS next FROM run_counts WHERE block > ? ORDER BY block LIMIT 1", after],
      [`SELECT id / ${BLOCK} AS next FROM runs WHERE id >= ? ORDER BY id LIMIT 1`, from],
      [`SELECT run / ${BLOCK} AS next FROM calls WHERE run >= ? ORDER BY run LIMIT 1`, from],
    ] as const;
    const found = nexts.flatMap(([sql, value]) => {
      const rows = this.#attempt("the numbers of runs", () => this.#tables.rows<{ next: number }>(sql, [value]));
      // If the next block cannot be read, the one after it may have runs.
      if (rows === null) return after < this.#lastBlock() ? [after + 1] : [];
      return rows.map(({ next }) => next).filter((next) => next > after);
    });
    return found.length === 0 ? null : Math.min(...found);
  }

  #lastBlock(): number {
    const ends = ["SELECT max(block) AS last FROM run_counts", `SELECT max(id) / ${BLOCK} AS last FROM runs`];
    const found = ends.map((sql) => this.#attempt("the last run", () => this.#tables.rows<{ last: number }>(sql)));
    return Math.max(-1, ...found.map((rows) => rows?.[0]?.last ?? -1));
  }

  /**
   * Reads a snapshot of the journal, so that a run which is added, deleted or settled meanwhile does not look damaged.
   */
  checkBlock(block: number): void {
    this.#tables.snapshot(() => {
      const counted = this.#attempt("how many runs there are", () =>
        this.#tables.rows<{ runs: number }>("SELECT runs FROM run_counts WHERE block = ?", [block]),
      );
      let found = 0;
      const orphans = new Set<number>();
      for (let at = 0; at < BLOCK; at += AT_ONCE) {
        const from = block * BLOCK + at;
        try {
          found += this.#read(from, from + AT_ONCE - 1, orphans);
        } catch (error) {
          if (!isDamage(error)) throw error;
          for (let number = from; number < from + AT_ONCE; number += 1) found += this.#readAlone(number, orphans);
        }
      }
      this.checkedRuns += found;
      const lacking = (counted?.[0]?.runs ?? 0) - found;
      if (counted === null) return;
      if (lacking > 0 || orphans.size > 0)
        this.#missing.push({ block, numbers: orphans, runs: Math.max(lacking, orphans.size) });
      if (lacking < 0) this.#tally.structure(`${-lacking} of the runs ${numbersOf(block)} are not among those counted`);
    });
  }

  /** Records no result before all rows are read. */
  #read(from: number, to: number, orphans: Set<number>): number {
    const after = from - 1;
    const { runs: table, calls, attempts, reconciliations } = this.#rows;
    const runs = table.read(after, to);
    const present = new Set(runs.map((run) => table.runOf(run)));
    // Damaged rows may be out of the order of their runs.
    const orphan = (number: number): void => void (present.has(number) || orphans.add(number));
    const callsOf = calls.byRun(after, to, orphan);
    const attemptsOf = attempts.byRun(after, to, orphan);
    const reconciliationsOf = reconciliations.byRun(after, to, orphan);
    const unlike = this.#rows.unlikeTheirCalls(after, to);
    for (const run of runs) {
      const number = table.runOf(run);
      const rows = [run, callsOf(number), attemptsOf(number), reconciliationsOf(number)] as const;
      const checksum = run[CHECKSUM_OF_RUN];
      const isWhole = checksum === null || checksum === checksumOfValues(...rows);
      if (isWhole && !unlike.has(number)) this.#tally.sound(checksum !== null);
      else this.#tally.found({ what: "altered", transactionId: idOf(run[TRANSACTION_ID]), number });
    }
    for (const finish of [callsOf, attemptsOf, reconciliationsOf]) finish(to + 1);
    return runs.length;
  }

  #readAlone(number: number, orphans: Set<number>): number {
    try {
      return this.#read(number, number, orphans);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return this.#countUnreadable(number);
    }
  }

  /** An unreadable number may belong to no run. */
  #countUnreadable(number: number): 0 | 1 {
    let transactionId: string | null = null;
    try {
      const [run] = this.#tables.rows<{ transaction_id: string }>("SELECT transaction_id FROM runs WHERE id = ?", [
        number,
      ]);
      if (run === undefined) return 0;
      transactionId = idOf(run.transaction_id);
    } catch (error) {
      if (!isDamage(error)) throw error;
      // The count of the block shows whether the run existed.
      return 0;
    }
    this.#tally.found({ what: "unreadable", transactionId, number });
    return 1;
  }

  /** The index by transaction may still have the id of a missing run. */
  nameMissing(): void {
    if (this.#missing.length === 0) return;
    const blocks = new Map(this.#missing.map((missing) => [missing.block, missing]));
    const named = new Map<number, number>();
    let after = "";
    for (let more = true; more;) {
      const ids = this.#attempt("the index of runs", () =>
        this.#tables.rows<{ id: number; transaction_id: string }>(
          "SELECT id, transaction_id FROM runs WHERE transaction_id > ? ORDER BY transaction_id LIMIT ?",
          [after, IDS_AT_ONCE],
        ),
      );
      for (const { id, transaction_id } of ids ?? []) {
        const missing = blocks.get(Math.floor(id / BLOCK));
        if (missing === undefined || this.#hasRow(id)) continue;
        this.#tally.found({ what: "missing", transactionId: transaction_id, number: id });
        missing.numbers.delete(id);
        named.set(missing.block, (named.get(missing.block) ?? 0) + 1);
      }
      after = ids?.at(-1)?.transaction_id ?? after;
      more = ids?.length === IDS_AT_ONCE;
    }
    for (const { block, numbers, runs } of this.#missing) {
      for (const number of numbers) this.#tally.found({ what: "missing", transactionId: null, number });
      const unnamed = runs - numbers.size - (named.get(block) ?? 0);
      if (unnamed <= 0) continue;
      this.#tally.missing(unnamed);
      this.#tally.structure(`runs that are gone and have left nothing: ${unnamed}, of the runs ${numbersOf(block)}`);
    }
  }

  #hasRow(id: number): boolean {
    // Selects columns that the index in doubt lacks, so that SQLite cannot use that index.
    const rows = this.#attempt("a run", () =>
      this.#tables.rows("SELECT started_at, token FROM runs WHERE id = ?", [id]),
    );
    return rows !== null && rows.length > 0;
  }

  /** SQLite's own checks: pages, the order of rows, indexes that lack a row. One table at a time, for short reads. */
  checkStructure(table: string): void {
    const problems = this.#attempt(`the table ${table}`, () =>
      this.#tables.rows<{ integrity_check: string }>(`PRAGMA integrity_check(${table})`),
    );
    for (const { integrity_check: says } of problems ?? []) if (says !== "ok") this.#tally.structure(says);
  }

  checkTotals(onProgress: OnProgress): Promise<void> {
    return verifyTotals(this.#tables, this.#tally, onProgress);
  }

  /**
   * Reports outcomes that an earlier start found lost in the log, and those that a start would find lost now. While the
   * service runs, it writes and reuses the log between these two reads. Outcomes that seem missing then are in the
   * journal a moment later, so this reads several times.
   */
  async checkLog(directory: string): Promise<void> {
    const noted = this.#attempt("the table lost_outcomes", () =>
      this.#tables.rows<{ noted_at: number; outcomes: number }>("SELECT noted_at, outcomes FROM lost_outcomes"),
    );
    for (const { noted_at: at, outcomes } of noted ?? [])
      this.#tally.structure(`the start at ${new Date(at).toISOString()} could not read ${logged(outcomes)}`);
    for (let look = 1; ; look += 1) {
      const [moved] =
        this.#attempt("the table moved", () => this.#tables.rows<{ number: number }>("SELECT number FROM moved")) ?? [];
      const { lost } = readOutcomes(directory, moved?.number ?? 0);
      if (lost === 0) return;
      if (look === LOG_READS_MAX) return this.#tally.structure(`nobody can read ${logged(lost)}`);
      await new Promise<void>((resolve) => systemClock.after(LOG_READ_MS, resolve));
    }
  }

  #attempt<Result>(what: string, read: () => Result): Result | null {
    try {
      return read();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#tally.structure(`${what} cannot be read: ${(error as Error).message}`);
      return null;
    }
  }

  result(): Verified {
    return this.#tally.result();
  }
}

/** Runs that called a vendor still have their intents. */
function logged(outcomes: number): string {
  const [which, whose] =
    outcomes === 1 ? ["1 outcome", "its run stands"] : [`${outcomes} outcomes`, "their runs stand"];
  return `${which} in the log: ${whose} as unknown, or is missing if no vendor was called`;
}

/** In a damaged run the id can be any value. */
function idOf(id: unknown): string | null {
  return typeof id === "string" ? id : null;
}

function numbersOf(block: number): string {
  return `${block * BLOCK} to ${(block + 1) * BLOCK - 1}`;
}
