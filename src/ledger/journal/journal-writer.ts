import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Charged } from "../../terms/fault.ts";
import { listOf, positionOf, positionsOf, type Columns } from "../column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, CALL_COLUMNS_OF_RUN, RUN_COLUMNS } from "../columns.ts";
import {
  ATTEMPT_LINE,
  CALL_LINE,
  RUN_LINE,
  type CallLine,
  type ReadValues,
  type RunRecordLine,
} from "./record-lines.ts";
import { checksumOfValues, type RowValues } from "./run-checksum.ts";
import { chargesBits, hasUnknown, verdictsOf, type CallVerdict } from "./verdicts.ts";

/**
 * Writes runs inside the caller's transaction. Writing a run again changes nothing: a run with its transaction id
 * exists, with its calls and attempts.
 */
export class JournalWriter {
  readonly #runs: Insert;
  readonly #calls: Insert;
  readonly #attempts: Insert;
  readonly #lastId: StatementSync;
  readonly #changes: StatementSync;
  #nextId = 1;
  /** The last value of SQLite's counter of commits by other connections. */
  #dataVersion = -1;

  constructor(database: DatabaseSync) {
    const names = new JournalNames(database);
    this.#runs = new Insert(database, names, "runs", "id", RUN_COLUMNS, "transaction_id");
    this.#calls = new Insert(database, names, "calls", "run", CALL_COLUMNS, "run, ordinal", CALL_COLUMNS_OF_RUN);
    this.#attempts = new Insert(database, names, "attempts", "run", ATTEMPT_COLUMNS, "run, ordinal, number");
    // The outbox depends on ids that never repeat, even after the deletion of drained runs, and after damage that
    // destroys the last runs but not their calls.
    this.#lastId = database.prepare(
      `SELECT max(coalesce((SELECT max(id) FROM runs), 0), coalesce((SELECT max(run) FROM calls), 0),
         coalesce((SELECT run FROM drained), 0)) AS id`,
    );
    this.#changes = database.prepare("PRAGMA data_version");
  }

  /** Call it first in each transaction: `catchUp` in another process may have added runs since the last one. */
  begin(): void {
    const { data_version: seen } = this.#changes.get() as { readonly data_version: number };
    if (seen === this.#dataVersion) return;
    this.#dataVersion = seen;
    this.#nextId = (this.#lastId.get() as { readonly id: number }).id + 1;
  }

  /** False if the run exists already. */
  add(record: RunRecordLine): boolean {
    const { run, calls, attempts } = rowsOfRecord(record);
    const id = this.#nextId;
    if (!this.#runs.add(id, run)) return false;
    this.#nextId += 1;
    const ofRun = COPIED.map((at) => run[at]!);
    for (const call of calls) this.#calls.add(id, call, ofRun);
    for (const attempt of attempts) this.#attempts.add(id, attempt);
    return true;
  }
}

/** Inserts rows into a table of the journal, in which runs and names are numbers. */
class Insert {
  readonly #statement: StatementSync;
  /** For each column of a row, and for each column copied from its run: whether it holds names. */
  readonly #areNames: readonly boolean[];
  readonly #copiesAreNames: readonly boolean[];
  readonly #names: JournalNames;

  constructor(
    database: DatabaseSync,
    names: JournalNames,
    into: string,
    idName: "id" | "run",
    table: Columns,
    key: string,
    copied: Columns = {},
  ) {
    const { columns } = positionsOf(table);
    const copies = listOf(copied);
    const inJournal = [idName, ...[...columns, ...copies].map(({ name, column }) => column.inJournal ?? name)];
    this.#statement = database.prepare(
      `INSERT INTO ${into} (${inJournal.join(", ")}) VALUES (${inJournal.map(() => "?").join(", ")})
       ON CONFLICT (${key}) DO NOTHING`,
    );
    this.#areNames = columns.map(({ column }) => column.valueType.isName);
    this.#copiesAreNames = copies.map(({ column }) => column.valueType.isName);
    this.#names = names;
  }

  /** False if the row exists already. */
  add(id: number, row: RowValues, copies: RowValues = []): boolean {
    const values: SQLInputValue[] = [id];
    this.#push(values, row, this.#areNames);
    this.#push(values, copies, this.#copiesAreNames);
    return this.#statement.run(...values).changes !== 0;
  }

  #push(values: SQLInputValue[], row: RowValues, areNames: readonly boolean[]): void {
    for (let at = 0; at < areNames.length; at += 1) {
      const value = row[at]!;
      values.push(areNames[at]! && value !== null ? this.#names.numberOf(value as string) : value);
    }
  }
}

/** Far more than the number of sources, organizations and similar; a bound on memory. */
const CACHED_MAX = 20_000;

/**
 * The journal's numbers for repeated texts, so that such a text takes only a byte or two per run. Used inside
 * transactions by the only writing thread. Numbers from a failed transaction are lost with the thread, which ends.
 */
class JournalNames {
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
    if (this.#numbers.size >= CACHED_MAX) this.#numbers.clear();
    this.#numbers.set(name, number);
    return number;
  }
}

const HAS_UNKNOWN = positionOf(RUN_COLUMNS, "has_unknown");
const VERDICTS = positionOf(RUN_COLUMNS, "verdicts");
const CHECKSUM = positionOf(RUN_COLUMNS, "checksum");
const COPIED = listOf(CALL_COLUMNS_OF_RUN).map(({ name }) => positionOf(RUN_COLUMNS, name));
const ORDINAL = positionOf(CALL_COLUMNS, "ordinal");
const SUCCESS = positionOf(CALL_COLUMNS, "success");
const MATCH = positionOf(CALL_COLUMNS, "match");
const CHARGED = positionOf(CALL_COLUMNS, "charged");
const CHARGES = positionOf(CALL_COLUMNS, "charges");
const ORDINAL_OF_CALL = positionOf(ATTEMPT_COLUMNS, "ordinal");
const NUMBER = positionOf(ATTEMPT_COLUMNS, "number");
const CHARGED_FOR_ATTEMPT = positionOf(ATTEMPT_COLUMNS, "charged");

/** Rows by position. */
interface RunRows {
  readonly run: RowValues;
  readonly calls: readonly RowValues[];
  readonly attempts: readonly RowValues[];
}

/**
 * The rows of a run, in the order of their keys and without duplicates, with derived columns and the checksum. Neither
 * the journal nor a shared database may refuse a record because of its content: it would be sent again for ever.
 */
function rowsOfRecord([line, callLines]: RunRecordLine): RunRows {
  const run = RUN_LINE.read(line);
  const rows = byKey(callLines.map(rowsOfCall), ({ call }) => call[ORDINAL] as number);
  const calls = rows.map(({ call }) => call);
  const attempts = rows.flatMap((one) => one.attempts);
  const verdicts = calls.map(verdictOf);
  run[HAS_UNKNOWN] = verdicts.some(({ charges }) => hasUnknown(charges)) ? 1 : 0;
  run[VERDICTS] = verdictsOf(verdicts);
  run[CHECKSUM] = checksumOfValues(run, calls, attempts, []);
  return { run, calls, attempts };
}

function verdictOf(call: RowValues): CallVerdict {
  const [success, match] = [call[SUCCESS], call[MATCH]] as [CallVerdict["success"], CallVerdict["match"]];
  return { success, match, charges: call[CHARGES] as number };
}

interface CallRows {
  readonly call: RowValues;
  readonly attempts: readonly RowValues[];
}

function rowsOfCall([line, attemptLines]: CallLine): CallRows {
  const call = CALL_LINE.read(line);
  const attemptRow = (one: CallLine[1][number]): ReadValues => {
    const attempt = ATTEMPT_LINE.read(one);
    attempt[ORDINAL_OF_CALL] = call[ORDINAL]!;
    return attempt;
  };
  const attempts = byKey(attemptLines.map(attemptRow), (attempt) => attempt[NUMBER] as number);
  const chargedFor = attempts.map((attempt) => attempt[CHARGED_FOR_ATTEMPT] as Charged);
  call[CHARGES] = chargesBits(call[CHARGED] as Charged, chargedFor);
  return { call, attempts };
}

/** After a disk failure an intent may be in two files, so it is read twice. */
function byKey<Row>(rows: readonly Row[], keyOf: (row: Row) => number): readonly Row[] {
  if (rows.every((row, at) => at === 0 || keyOf(rows[at - 1]!) < keyOf(row))) return rows;
  const first = new Map<number, Row>();
  for (const row of rows) if (!first.has(keyOf(row))) first.set(keyOf(row), row);
  return [...first.values()].toSorted((one, other) => keyOf(one) - keyOf(other));
}
