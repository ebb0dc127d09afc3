import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { listOf, type Columns, type RowOf } from "../column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, CALL_COLUMNS_OF_RUN, RUN_COLUMNS } from "../columns.ts";
import type { AttemptRow, CallRow, RunReportRow } from "../ports.ts";
import { ATTEMPT_LINE, CALL_LINE, RUN_LINE, type CallLine, type Line, type RunRecordLine } from "./record-lines.ts";
import { checksumOf, type Unchecked } from "./run-checksum.ts";
import { chargesBits, hasUnknown, verdictsOf } from "./verdicts.ts";

/**
 * Writes runs inside the caller's transaction. Writing a run again changes nothing: it is found by its transaction id,
 * and its calls and attempts were written with it.
 */
export class JournalWriter {
  readonly #runs: Insert<typeof RUN_COLUMNS>;
  readonly #calls: Insert<typeof CALL_COLUMNS & typeof CALL_COLUMNS_OF_RUN>;
  readonly #attempts: Insert<typeof ATTEMPT_COLUMNS>;
  readonly #lastId: StatementSync;
  readonly #changes: StatementSync;
  #nextId = 1;
  /** SQLite's counter of commits by other connections, when it was last read. */
  #seen = -1;

  constructor(database: DatabaseSync) {
    const names = new JournalNames(database);
    this.#runs = new Insert(database, names, "runs", "id", RUN_COLUMNS, "transaction_id");
    const ofCall = { ...CALL_COLUMNS, ...CALL_COLUMNS_OF_RUN };
    this.#calls = new Insert(database, names, "calls", "run", ofCall, "run, ordinal");
    this.#attempts = new Insert(database, names, "attempts", "run", ATTEMPT_COLUMNS, "run, ordinal, number");
    // The outbox depends on ids that never repeat: not after drained runs were deleted, and not after damage has
    // destroyed the last runs but not their calls.
    this.#lastId = database.prepare(
      `SELECT max(coalesce((SELECT max(id) FROM runs), 0), coalesce((SELECT max(run) FROM calls), 0),
         coalesce((SELECT run FROM drained), 0)) AS id`,
    );
    this.#changes = database.prepare("PRAGMA data_version");
  }

  /** Called first in each transaction: others may have added runs since the last one, see `catchUp`. */
  begin(): void {
    const { data_version: seen } = this.#changes.get() as { readonly data_version: number };
    if (seen === this.#seen) return;
    this.#seen = seen;
    this.#nextId = (this.#lastId.get() as { readonly id: number }).id + 1;
  }

  /** False if the run is here already. */
  add(record: RunRecordLine): boolean {
    const { run, calls, attempts } = rowsOfRecord(record);
    const id = this.#nextId;
    if (!this.#runs.add(id, run)) return false;
    this.#nextId += 1;
    const { has_unknown, started_at, organization_id, workflow_id } = run;
    for (const call of calls) this.#calls.add(id, { ...call, has_unknown, started_at, organization_id, workflow_id });
    for (const attempt of attempts) this.#attempts.add(id, attempt);
    return true;
  }
}

/** Inserts rows into a table of the journal, in which runs and names are numbers. */
class Insert<Table extends Columns> {
  readonly #statement: StatementSync;
  readonly #columns: readonly { readonly name: keyof Table; readonly isName: boolean }[];
  readonly #names: JournalNames;

  constructor(
    database: DatabaseSync,
    names: JournalNames,
    into: string,
    idName: "id" | "run",
    table: Table,
    key: string,
  ) {
    const columns = listOf(table);
    const inJournal = [idName, ...columns.map(({ name, column }) => column.inJournal ?? name)];
    this.#statement = database.prepare(
      `INSERT INTO ${into} (${inJournal.join(", ")}) VALUES (${inJournal.map(() => "?").join(", ")})
       ON CONFLICT (${key}) DO NOTHING`,
    );
    this.#columns = columns.map(({ name, column }) => ({ name, isName: column.holds.isName }));
    this.#names = names;
  }

  /** False if it is there already. */
  add(id: number, row: RowOf<Table>): boolean {
    const values: SQLInputValue[] = [id];
    for (const { name, isName } of this.#columns) {
      const value = row[name] as string | number | null;
      values.push(isName && value !== null ? this.#names.numberOf(value as string) : value);
    }
    return this.#statement.run(...values).changes !== 0;
  }
}

/** Far more than there are sources, organizations and so on; still, it limits memory. */
const KEPT_MAX = 20_000;

/**
 * The numbers that the journal stores for repeated texts, so that a text that comes with every run takes only a byte or
 * two. Used inside transactions by the only thread that writes. Numbers given in a failed transaction are forgotten,
 * because the thread ends.
 */
export class JournalNames {
  readonly #find: StatementSync;
  readonly #add: StatementSync;
  readonly #numbers = new Map<string, number>();

  constructor(database: DatabaseSync) {
    this.#find = database.prepare("SELECT id FROM names WHERE name = ?");
    this.#add = database.prepare("INSERT INTO names (name) VALUES (?)");
  }

  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const found = this.#find.get(name) as { readonly id: number } | undefined;
    const number = found?.id ?? Number(this.#add.run(name).lastInsertRowid);
    if (this.#numbers.size >= KEPT_MAX) this.#numbers.clear();
    this.#numbers.set(name, number);
    return number;
  }
}

/**
 * The rows of a run, in the order of their keys and without duplicates, with derived columns and the checksum. No
 * record may be refused because of its content, neither here nor by a shared database: it would be sent again for ever.
 */
function rowsOfRecord([line, callLines]: RunRecordLine): RunReportRow {
  const recorded = RUN_LINE.read(line);
  const rows = byKey(
    callLines.map((one) => rowsOfCall(recorded.transaction_id, one)),
    ({ call }) => call.ordinal,
  );
  const calls = rows.map(({ call }) => call);
  const attempts = rows.flatMap((one) => one.attempts);
  const unchecked: Unchecked = {
    run: {
      ...recorded,
      has_unknown: calls.some(({ charges }) => hasUnknown(charges)) ? 1 : 0,
      verdicts: verdictsOf(calls),
    },
    calls,
    attempts,
    reconciliations: [],
  };
  return { ...unchecked, run: { ...unchecked.run, checksum: checksumOf(unchecked) } };
}

interface CallRows {
  readonly call: CallRow;
  readonly attempts: readonly AttemptRow[];
}

function rowsOfCall(transactionId: string, [line, attemptLines]: CallLine): CallRows {
  const recorded = CALL_LINE.read(line);
  const attemptRow = (one: Line): AttemptRow => ({
    ...ATTEMPT_LINE.read(one),
    transaction_id: transactionId,
    ordinal: recorded.ordinal,
  });
  const attempts = byKey(attemptLines.map(attemptRow), ({ number }) => number);
  const charges = chargesBits(
    recorded.charged,
    attempts.map(({ charged }) => charged),
  );
  return { call: { ...recorded, transaction_id: transactionId, charges }, attempts };
}

/** After a disk failure an intent may be in two files, and is then read twice. */
function byKey<Row>(rows: readonly Row[], keyOf: (row: Row) => number): readonly Row[] {
  if (rows.every((row, at) => at === 0 || keyOf(rows[at - 1]!) < keyOf(row))) return rows;
  const first = new Map<number, Row>();
  for (const row of rows) if (!first.has(keyOf(row))) first.set(keyOf(row), row);
  return [...first.values()].toSorted((one, other) => keyOf(one) - keyOf(other));
}
