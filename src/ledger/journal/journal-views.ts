/*
 * The journal under the names and columns of the ledger (`LedgerTables`). The views live in a connection and change no
 * file. The journal numbers its runs and its texts to be small; outside of it a row belongs to its run by the
 * transaction's id, and a text is itself.
 */

const named = (column: string): string => `(SELECT name FROM names WHERE id = ${column})`;

/** A run that should have one and has none is damaged: what it is given is the checksum of nothing. */
const CHECKSUM = `coalesce(r.checksum, iif(r.id < (SELECT checked_from FROM journal WHERE only = 1), NULL, 'lost'))`;

const RUN = `r.id AS run, r.transaction_id, ${named("r.state")} AS state, ${named("r.kind")} AS kind,
  ${named("r.organization")} AS organization_id, r.organization AS organization_id_number,
  ${named("r.workflow")} AS workflow_id, r.workflow AS workflow_id_number, ${named("r.token")} AS token_id,
  ${named("r.context")} AS context, ${named("r.region")} AS region, r.simulated, r.function_id, r.started_at, r.took_ms,
  r.client_gone, ${named("r.function_fault")} AS function_fault, r.has_unknown, r.verdicts, r.unknown_sources,
  r.unknown_source_names, ${CHECKSUM} AS checksum`;

/** Columns of `calls AS c`, `attempts AS a` and `reconciliations AS x`, each with its `runs AS r`. */
export const CALL = `r.transaction_id, c.ordinal, ${named("c.source")} AS source, c.success, c.match,
  ${named("c.fault_code")} AS fault_code, ${named("c.fault_kind")} AS fault_kind, ${named("c.charged")} AS charged, c.charges,
  ${named("c.credential")} AS credential_id, ${named("c.credential_rule")} AS credential_rule, c.started_after_ms,
  c.took_ms, c.output_bytes`;

const LINE = `c.started_at, r.transaction_id, c.has_unknown, c.source AS source_number, c.success, c.match,
  c.charges, c.organization AS organization_id_number, c.workflow AS workflow_id_number`;

export const ATTEMPT = `r.transaction_id, a.ordinal, a.number, ${named("a.origin")} AS origin, ${named("a.method")} AS method,
  a.sent_at, a.status, a.took_ms, ${named("a.charged")} AS charged`;

export const RECONCILIATION = `r.transaction_id, x.ordinal, x.revision, x.charged, x.decided_by, x.decided_at, x.note, x.attempt`;

/** The names that the first migration gave. */
const CHARGED = "CASE a.charged WHEN 1 THEN 'unknown' WHEN 2 THEN 'no' WHEN 3 THEN 'yes' END AS charged";
const REQUEST = `r.started_at, r.simulated, a.sent_at, ${CHARGED}, c.source AS source_key,
  r.organization AS organization_key, c.credential AS credential_key, c.credential_rule AS rule_key`;

export const JOURNAL_VIEWS = `
  CREATE TEMP VIEW ledger_runs AS SELECT ${RUN} FROM runs AS r;
  CREATE TEMP VIEW ledger_calls AS SELECT ${CALL} FROM runs AS r JOIN calls AS c ON c.run = r.id;
  CREATE TEMP VIEW ledger_lines AS SELECT ${LINE} FROM calls AS c JOIN runs AS r ON r.id = c.run;
  CREATE TEMP VIEW ledger_requests AS SELECT ${REQUEST}
    FROM runs AS r JOIN calls AS c ON c.run = r.id JOIN attempts AS a ON a.run = c.run AND a.ordinal = c.ordinal;
  CREATE TEMP VIEW ledger_attempts AS SELECT ${ATTEMPT} FROM runs AS r JOIN attempts AS a ON a.run = r.id;
  CREATE TEMP VIEW ledger_reconciliations AS
    SELECT ${RECONCILIATION} FROM runs AS r JOIN reconciliations AS x ON x.run = r.id;`;

/** A text that stands as a number in these views is asked for by it. What no row was ever given has none. */
export function numbered(column: string): string {
  return `${column}_number = (SELECT id FROM names WHERE name = ?)`;
}

export function textOfName(key: string): string {
  return named(key);
}

const OLD_RUN = "(SELECT id FROM runs WHERE transaction_id = OLD.transaction_id)";
/** Every charge there is has a number from the first migration on. */
const NEW_CHARGED = "(SELECT id FROM names WHERE name = NEW.charged)";

/** What may be changed through them: a charge, with the word it rests on. Deleting is the writer's alone. */
export const JOURNAL_CHANGES = `
  CREATE TEMP TRIGGER charge_call INSTEAD OF UPDATE OF charged ON ledger_calls BEGIN
    UPDATE calls SET charged = ${NEW_CHARGED} WHERE run = ${OLD_RUN} AND ordinal = OLD.ordinal; END;
  CREATE TEMP TRIGGER mark_call INSTEAD OF UPDATE OF charges ON ledger_calls BEGIN
    UPDATE calls SET charges = NEW.charges WHERE run = ${OLD_RUN} AND ordinal = OLD.ordinal; END;
  CREATE TEMP TRIGGER mark_run INSTEAD OF UPDATE OF has_unknown, verdicts, checksum ON ledger_runs BEGIN
    UPDATE runs SET has_unknown = NEW.has_unknown, verdicts = NEW.verdicts, checksum = NEW.checksum WHERE id = OLD.run;
    UPDATE calls SET has_unknown = NEW.has_unknown WHERE run = OLD.run; END;
  CREATE TEMP TRIGGER charge_attempt INSTEAD OF UPDATE OF charged ON ledger_attempts BEGIN
    UPDATE attempts SET charged = ${NEW_CHARGED}
    WHERE run = ${OLD_RUN} AND ordinal = OLD.ordinal AND number = OLD.number; END;
  CREATE TEMP TRIGGER reconcile INSTEAD OF INSERT ON ledger_reconciliations BEGIN
    INSERT INTO reconciliations (run, ordinal, revision, charged, decided_by, decided_at, note, attempt)
    SELECT id, NEW.ordinal, NEW.revision, NEW.charged, NEW.decided_by, NEW.decided_at, NEW.note, NEW.attempt
    FROM runs WHERE transaction_id = NEW.transaction_id; END;`;
