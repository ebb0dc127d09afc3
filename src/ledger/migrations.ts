import type { DatabaseSync } from "node:sqlite";

/** Forward only. A line that was ever released is never changed; its position is its number. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    transaction_id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    kind TEXT,
    organization_id TEXT,
    workflow_id TEXT,
    token_id TEXT,
    context TEXT,
    region TEXT,
    simulated INTEGER,
    function_id TEXT,
    started_at INTEGER,
    took_ms INTEGER,
    client_gone INTEGER,
    function_fault TEXT
  );
  CREATE INDEX runs_started_at ON runs (started_at);

  CREATE TABLE calls (
    run INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    source TEXT,
    success INTEGER,
    match INTEGER,
    fault_code TEXT,
    fault_kind TEXT,
    charged TEXT,
    credential_id TEXT,
    credential_rule TEXT,
    started_after_ms INTEGER,
    took_ms INTEGER,
    output_bytes INTEGER,
    PRIMARY KEY (run, ordinal)
  ) WITHOUT ROWID;
  CREATE INDEX calls_unknown ON calls (run) WHERE charged = 'unknown';

  CREATE TABLE attempts (
    run INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    number INTEGER NOT NULL,
    origin TEXT,
    method TEXT,
    sent_at INTEGER,
    status INTEGER,
    took_ms INTEGER,
    charged TEXT,
    PRIMARY KEY (run, ordinal, number)
  ) WITHOUT ROWID;

  CREATE INDEX attempts_unknown ON attempts (run) WHERE charged = 'unknown';

  -- The charges that nobody knows: of requests, and of calls that have none (number 0).
  CREATE VIEW unsettled AS
    SELECT run, ordinal, number FROM attempts WHERE charged = 'unknown'
    UNION ALL
    SELECT c.run, c.ordinal, 0 FROM calls AS c WHERE c.charged = 'unknown'
      AND NOT EXISTS (SELECT 1 FROM attempts AS a WHERE a.run = c.run AND a.ordinal = c.ordinal);

  CREATE TABLE reconciliations (
    run INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    charged TEXT NOT NULL,
    decided_by TEXT NOT NULL,
    decided_at INTEGER NOT NULL,
    note TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    PRIMARY KEY (run, ordinal, revision)
  ) WITHOUT ROWID;

  -- How far the outbox has been drained: absent where there is none.
  CREATE TABLE drained (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    run INTEGER NOT NULL,
    drained_at INTEGER NOT NULL
  );
  `,
  `
  ALTER TABLE runs ADD COLUMN has_unknown INTEGER NOT NULL DEFAULT 0;
  UPDATE runs SET has_unknown = 1 WHERE id IN (SELECT run FROM unsettled);
  CREATE INDEX runs_unknown ON runs (started_at) WHERE has_unknown = 1;

  -- What operators, and retention, want deleted: asked here by any process, and done by the one that writes.
  CREATE TABLE prunings (
    id INTEGER PRIMARY KEY,
    asked_at INTEGER NOT NULL,
    started_before INTEGER NOT NULL,
    unknown_too INTEGER NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0,
    kept_unknown INTEGER NOT NULL DEFAULT 0,
    kept_undrained INTEGER NOT NULL DEFAULT 0,
    done INTEGER NOT NULL DEFAULT 0
  );

  -- Runs that started before then may have been deleted: that one is not here does not say that it never ended.
  CREATE TABLE forgotten (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    started_before INTEGER NOT NULL
  );
  `,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Brings a journal to the newest schema, in one transaction that shuts out every other writer.
 * @throws when the journal was written by a newer version of the service
 */
export function migrate(database: DatabaseSync): void {
  if (versionOf(database) === SCHEMA_VERSION) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = versionOf(database);
    if (version > SCHEMA_VERSION) throw new Error("the journal was written by a newer version of this service");
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

export function versionOf(database: DatabaseSync): number {
  const row = database.prepare("PRAGMA user_version").get() as { user_version: number };
  return row.user_version;
}
