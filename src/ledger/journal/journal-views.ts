import { listOf, namesOf, selectionOf, type Columns } from "../column.ts";
import {
  ATTEMPT_COLUMNS,
  CALL_COLUMNS,
  CALL_COLUMNS_OF_RUN,
  RECONCILIATION_COLUMNS,
  RUN_COLUMNS,
  type RunRow,
} from "../columns.ts";

/*
 * Views of the journal with the names and columns of the ledger (`LedgerTables`). They exist only in a connection and
 * change no file. To save space, the journal has numbers in place of transaction ids and repeated texts; the views show
 * transaction ids and texts.
 */

const named = (column: string): string => `(SELECT name FROM names WHERE id = ${column})`;

/** A run that should have a checksum and has none is damaged. It gets a checksum that never matches. */
export const CHECKSUM = `coalesce(r.checksum, iif(r.id < (SELECT checked_from FROM journal WHERE only = 1), NULL, 'lost'))`;

/** Expressions for a table's columns of the ledger. */
function columnsOf(table: Columns, alias: string, instead: { readonly [name: string]: string } = {}): string {
  return listOf(table)
    .map(({ name, column }) => {
      const own = `${alias}.${column.inJournal ?? name}`;
      return `${instead[name] ?? (column.valueType.isName ? named(own) : own)} AS ${name}`;
    })
    .join(", ");
}

const INSTEAD: Partial<Record<keyof RunRow, string>> = { checksum: CHECKSUM };
const RUN = `r.id AS run, r.organization AS organization_id_number, r.workflow AS workflow_id_number,
  ${columnsOf(RUN_COLUMNS, "r", INSTEAD)}`;

/** Columns of `calls AS c`, `attempts AS a` and `reconciliations AS x`, each with its `runs AS r`. */
const CALL = `r.transaction_id, ${columnsOf(CALL_COLUMNS, "c")}`;
const ATTEMPT = `r.transaction_id, ${columnsOf(ATTEMPT_COLUMNS, "a")}`;
const RECONCILIATION = `r.transaction_id, ${columnsOf(RECONCILIATION_COLUMNS, "x")}`;

/** Runs above one number and up to another, with copied columns in their calls that differ from the run's own. */
export const UNLIKE_CALLS = `SELECT DISTINCT c.run FROM calls AS c JOIN runs AS r ON r.id = c.run
  WHERE c.run > ? AND c.run <= ?
    AND (${inJournal(CALL_COLUMNS_OF_RUN, "c")}) IS NOT (${inJournal(CALL_COLUMNS_OF_RUN, "r")})`;

function inJournal(table: Columns, alias: string): string {
  return listOf(table)
    .map(({ name, column }) => `${alias}.${column.inJournal ?? name}`)
    .join(", ");
}

const LINE = `c.started_at, r.transaction_id, c.has_unknown, c.source AS source_number, c.success, c.match,
  c.charges, c.organization AS organization_id_number, c.workflow AS workflow_id_number, r.function_id`;

/** What callers call a function that does not exist can be any number of texts. */
const FUNCTION = `CASE WHEN r.function_fault = (SELECT id FROM names WHERE name = 'function.unknown') THEN ''
  ELSE r.function_id END AS function_key, +r.function_version AS function_version_key`;
/** The numbers of charges by the first migration. */
const CHARGED = "CASE a.charged WHEN 1 THEN 'unknown' WHEN 2 THEN 'no' WHEN 3 THEN 'yes' END AS charged";
/** The plus signs keep SQLite from using indexes of keys: requests are found by the start times of their runs. */
const REQUEST = `r.transaction_id, a.ordinal, a.number, r.started_at, r.simulated, +r.start AS start_key, c.order_id,
  a.sent_at, ${CHARGED}, a.price,
  +c.source AS source_key, +r.organization AS organization_key, +r.workflow AS workflow_key,
  +c.credential AS credential_key, +c.credential_rule AS rule_key, +a.currency AS currency_key, ${FUNCTION},
  +c.source_version AS source_version_key`;

const CALL_FIGURES = `r.transaction_id, r.transaction_id AS run_transaction_id, c.started_at, c.has_unknown, r.simulated,
  c.success, c.match, c.charges, c.took_ms, c.source AS source_key, c.credential AS credential_key, c.fault_code AS fault_key,
  c.budget AS budget_key`;

/** For sums of a time: the plus signs as in `REQUEST`. */
const ENDED_CALL = `r.transaction_id, r.started_at, r.simulated, c.success, c.match, c.charges, c.took_ms,
  c.fault_code AS fault_key, +c.source AS source_key, +c.source_version AS source_version_key,
  +r.organization AS organization_key, +r.workflow AS workflow_key, ${FUNCTION}, +c.credential AS credential_key`;
/** The state `unknown` has a number by the first migration. */
const ENDED_RUN = `r.transaction_id, r.started_at, r.simulated, r.state = 1 AS is_lost, r.verdicts, r.took_ms, r.function_fault AS fault_key, +r.organization AS organization_key,
  +r.workflow AS workflow_key, ${FUNCTION}, +r.token AS token_key`;

export const JOURNAL_VIEWS = `
  CREATE TEMP VIEW ledger_runs AS SELECT ${RUN} FROM runs AS r;
  CREATE TEMP VIEW ledger_calls AS SELECT ${CALL} FROM runs AS r JOIN calls AS c ON c.run = r.id;
  CREATE TEMP VIEW ledger_lines AS SELECT ${LINE} FROM calls AS c JOIN runs AS r ON r.id = c.run;
  CREATE TEMP VIEW ledger_call_figures AS SELECT ${CALL_FIGURES} FROM calls AS c JOIN runs AS r ON r.id = c.run;
  CREATE TEMP VIEW ledger_ended_calls AS SELECT ${ENDED_CALL} FROM runs AS r JOIN calls AS c ON c.run = r.id;
  CREATE TEMP VIEW ledger_ended_runs AS SELECT ${ENDED_RUN} FROM runs AS r;
  CREATE TEMP VIEW ledger_requests AS SELECT ${REQUEST}
    FROM runs AS r JOIN calls AS c ON c.run = r.id JOIN attempts AS a ON a.run = c.run AND a.ordinal = c.ordinal;
  CREATE TEMP VIEW ledger_attempts AS SELECT ${ATTEMPT} FROM runs AS r JOIN attempts AS a ON a.run = r.id;
  CREATE TEMP VIEW ledger_reconciliations AS
    SELECT ${RECONCILIATION} FROM runs AS r JOIN reconciliations AS x ON x.run = r.id;`;

/** Compares a text by its number in these views. A text that is in no row has no number. */
export function numbered(column: string): string {
  return isNumberOf(`${column}_number`);
}

export function isNumberOf(key: string): string {
  return `${key} = (SELECT id FROM names WHERE name = ?)`;
}

/** The names are few, so comparing each of them takes little time. */
export function isPrefixOf(key: string): string {
  return `${key} IN (SELECT n.id FROM names AS n JOIN (SELECT ? AS prefix) AS b
    ON substr(n.name, 1, length(b.prefix)) = b.prefix)`;
}

export function textOfName(key: string): string {
  return named(key);
}

/** `LedgerTables.lastUse`. A call has a copy of its run's start. */
export const LAST_USE = `(SELECT c.started_at FROM calls AS c WHERE ${isNumberOf("c.credential")}
  ORDER BY c.started_at DESC LIMIT 1)`;

const OLD_RUN = "(SELECT id FROM runs WHERE transaction_id = OLD.transaction_id)";
/** Every charge has had a number since the first migration. */
const NEW_CHARGED = "(SELECT id FROM names WHERE name = NEW.charged)";

/** The possible changes through the views: a charge, its price, and its decision. Only the writer deletes. */
export const JOURNAL_CHANGES = `
  CREATE TEMP TRIGGER charge_call INSTEAD OF UPDATE OF charged ON ledger_calls BEGIN
    UPDATE calls SET charged = ${NEW_CHARGED} WHERE run = ${OLD_RUN} AND ordinal = OLD.ordinal; END;
  CREATE TEMP TRIGGER mark_call INSTEAD OF UPDATE OF charges ON ledger_calls BEGIN
    UPDATE calls SET charges = NEW.charges WHERE run = ${OLD_RUN} AND ordinal = OLD.ordinal; END;
  CREATE TEMP TRIGGER mark_run INSTEAD OF UPDATE OF has_unknown, verdicts, checksum ON ledger_runs BEGIN
    UPDATE runs SET has_unknown = NEW.has_unknown, verdicts = NEW.verdicts, checksum = NEW.checksum WHERE id = OLD.run;
    UPDATE calls SET has_unknown = NEW.has_unknown WHERE run = OLD.run; END;
  CREATE TEMP TRIGGER charge_attempt INSTEAD OF UPDATE OF charged, price, currency ON ledger_attempts BEGIN
    INSERT OR IGNORE INTO names (name) SELECT NEW.currency WHERE NEW.currency IS NOT NULL;
    UPDATE attempts SET charged = ${NEW_CHARGED}, price = NEW.price,
      currency = (SELECT id FROM names WHERE name = NEW.currency)
    WHERE run = ${OLD_RUN} AND ordinal = OLD.ordinal AND number = OLD.number; END;
  CREATE TEMP TRIGGER reconcile INSTEAD OF INSERT ON ledger_reconciliations BEGIN
    INSERT INTO reconciliations (run, ${namesOf(RECONCILIATION_COLUMNS).join(", ")})
    SELECT id, ${selectionOf(RECONCILIATION_COLUMNS, "NEW")} FROM runs WHERE transaction_id = NEW.transaction_id; END;`;
