/** The number of a text, for the third migration. */
const nameOf = (column: string): string => `(SELECT names.id FROM names WHERE names.name = ${column})`;
/** The bits of `verdicts.ts`: for a request's charge, for a call without requests, and the offset for its outcome. */
const CHARGE_BIT = "CASE a.charged WHEN 'no' THEN 1 WHEN 'yes' THEN 2 ELSE 4 END";
const SHIFT = "CASE WHEN c.success IS NULL THEN 12 WHEN c.success = 0 THEN 8 WHEN c.match = 1 THEN 0 ELSE 4 END";
const ITS_REQUESTS = "attempts AS a WHERE a.run = c.run AND a.ordinal = c.ordinal";
const CHARGES = `coalesce((SELECT sum(DISTINCT ${CHARGE_BIT}) FROM ${ITS_REQUESTS}), iif(c.charged = 'unknown', 12, 8))`;
const VERDICTS = `coalesce((SELECT sum(DISTINCT bit) FROM (
  SELECT (${CHARGE_BIT}) << (${SHIFT}) AS bit FROM calls AS c JOIN attempts AS a ON a.run = c.run AND a.ordinal = c.ordinal
    WHERE c.run = runs.id
  UNION ALL SELECT 8 << (${SHIFT}) FROM calls AS c WHERE c.run = runs.id AND NOT EXISTS (SELECT 1 FROM ${ITS_REQUESTS})
  UNION ALL SELECT 4 << (${SHIFT}) FROM calls AS c WHERE c.run = runs.id AND c.charged = 'unknown'
    AND NOT EXISTS (SELECT 1 FROM ${ITS_REQUESTS}))), 0)`;

/** A span of totals is a minute, an hour or a day. */
function deleteSpansOf(startedAt: string): string {
  const starts = [60_000, 3_600_000, 86_400_000].map((length) => `${startedAt} - ${startedAt} % ${length}`);
  return `DELETE FROM ledger_total_spans WHERE from_at IN (${starts.join(", ")}) AND to_at > ${startedAt}`;
}

export interface JournalMigration {
  readonly sql: string;
  /**
   * The number of the oldest migration whose code may work on a journal with this one: it finds everything that it
   * reads, and what it writes is complete for the newer code. Left out when no older code may.
   */
  readonly readableFrom?: number;
}

/** Forward only. A migration that was ever released is never changed; its position is its number. */
export const MIGRATIONS: readonly JournalMigration[] = [
  {
    sql: `
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
  },
  {
    sql: `
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
  },
  {
    sql: `
  -- Every text that comes again and again stands here once. Ids that callers make up are none of them.
  CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  INSERT INTO names (id, name) VALUES (0, ''), (1, 'unknown'), (2, 'no'), (3, 'yes');
  INSERT OR IGNORE INTO names (name)
    SELECT state FROM runs UNION SELECT kind FROM runs UNION SELECT organization_id FROM runs
    UNION SELECT workflow_id FROM runs UNION SELECT token_id FROM runs UNION SELECT context FROM runs
    UNION SELECT region FROM runs UNION SELECT function_fault FROM runs UNION SELECT source FROM calls
    UNION SELECT fault_code FROM calls UNION SELECT fault_kind FROM calls UNION SELECT credential_id FROM calls
    UNION SELECT credential_rule FROM calls UNION SELECT origin FROM attempts UNION SELECT method FROM attempts;

  DROP VIEW unsettled;
  CREATE TABLE new_runs (
    id INTEGER PRIMARY KEY,
    transaction_id TEXT NOT NULL UNIQUE,
    state INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    organization INTEGER NOT NULL,
    workflow INTEGER NOT NULL,
    token INTEGER NOT NULL,
    context INTEGER NOT NULL,
    region INTEGER NOT NULL,
    simulated INTEGER NOT NULL,
    function_id TEXT,
    started_at INTEGER NOT NULL,
    took_ms INTEGER,
    client_gone INTEGER NOT NULL,
    function_fault INTEGER,
    has_unknown INTEGER NOT NULL,
    verdicts INTEGER NOT NULL,
    unknown_sources INTEGER NOT NULL,
    unknown_source_names TEXT
  );
  INSERT INTO new_runs SELECT id, transaction_id, coalesce(${nameOf("state")}, 0), coalesce(${nameOf("kind")}, 0),
    coalesce(${nameOf("organization_id")}, 0), coalesce(${nameOf("workflow_id")}, 0), coalesce(${nameOf("token_id")}, 0),
    coalesce(${nameOf("context")}, 0), coalesce(${nameOf("region")}, 0), coalesce(simulated, 0), function_id,
    coalesce(started_at, 0), took_ms, coalesce(client_gone, 0), ${nameOf("function_fault")}, has_unknown,
    ${VERDICTS}, 0, NULL
    FROM runs ORDER BY id;

  -- The last four are the run's, so that a list by source is answered from the index alone.
  CREATE TABLE new_calls (
    run INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    source INTEGER NOT NULL,
    success INTEGER,
    match INTEGER,
    fault_code INTEGER,
    fault_kind INTEGER,
    charged INTEGER NOT NULL,
    charges INTEGER NOT NULL,
    credential INTEGER,
    credential_rule INTEGER NOT NULL,
    started_after_ms INTEGER,
    took_ms INTEGER,
    output_bytes INTEGER,
    has_unknown INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    organization INTEGER NOT NULL,
    workflow INTEGER NOT NULL,
    PRIMARY KEY (run, ordinal)
  ) WITHOUT ROWID;
  INSERT INTO new_calls SELECT run, ordinal, coalesce(${nameOf("source")}, 0), success, match, ${nameOf("fault_code")},
    ${nameOf("fault_kind")}, coalesce(${nameOf("charged")}, 1), ${CHARGES}, ${nameOf("credential_id")},
    coalesce(${nameOf("credential_rule")}, 0), started_after_ms, c.took_ms, output_bytes, r.has_unknown, r.started_at,
    r.organization, r.workflow
    FROM calls AS c JOIN new_runs AS r ON r.id = c.run ORDER BY run, ordinal;

  CREATE TABLE new_attempts (
    run INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    number INTEGER NOT NULL,
    origin INTEGER NOT NULL,
    method INTEGER NOT NULL,
    sent_at INTEGER NOT NULL,
    status INTEGER,
    took_ms INTEGER,
    charged INTEGER NOT NULL,
    PRIMARY KEY (run, ordinal, number)
  ) WITHOUT ROWID;
  INSERT INTO new_attempts SELECT run, ordinal, number, coalesce(${nameOf("origin")}, 0), coalesce(${nameOf("method")}, 0),
    coalesce(sent_at, 0), status, took_ms, coalesce(${nameOf("charged")}, 1) FROM attempts ORDER BY run, ordinal, number;

  DROP TABLE runs;
  DROP TABLE calls;
  DROP TABLE attempts;
  ALTER TABLE new_runs RENAME TO runs;
  ALTER TABLE new_calls RENAME TO calls;
  ALTER TABLE new_attempts RENAME TO attempts;

  CREATE INDEX runs_by_time ON runs (started_at, has_unknown, verdicts);
  CREATE INDEX runs_unknown ON runs (started_at, verdicts) WHERE has_unknown = 1;
  CREATE INDEX runs_of_organization ON runs (organization, has_unknown, started_at, verdicts);
  CREATE INDEX runs_of_workflow ON runs (workflow, has_unknown, started_at, verdicts, organization);
  CREATE INDEX calls_of_source ON calls
    (source, has_unknown, started_at, success, match, charges, organization, workflow);
  `,
  },
  {
    sql: `
  -- Which journal this is, for a shared database to say how far it has it.
  CREATE TABLE journal (only INTEGER PRIMARY KEY CHECK (only = 1), id TEXT NOT NULL);
  INSERT INTO journal (only, id) VALUES (1, lower(hex(randomblob(16))));

  -- Runs that the shared database refuses for what they say. They stay here.
  CREATE TABLE set_aside (run INTEGER PRIMARY KEY, reason TEXT NOT NULL);
  `,
  },
  {
    sql: `
  -- Of the run with its calls, requests and later words: see run-checksum.ts. Runs before checked_from have none.
  ALTER TABLE runs ADD COLUMN checksum INTEGER;
  ALTER TABLE journal ADD COLUMN checked_from INTEGER NOT NULL DEFAULT 1;
  UPDATE journal SET checked_from = 1 + coalesce((SELECT max(id) FROM runs), 0);

  -- Runs that a wrong clock has dated in the future, and since when that is known: their age counts from then.
  CREATE TABLE ahead (run INTEGER PRIMARY KEY, seen_at INTEGER NOT NULL);

  -- How many of each 512 numbers belong to a run, so that one that vanishes is missed. What deletes runs keeps it true.
  CREATE TABLE run_counts (block INTEGER PRIMARY KEY, runs INTEGER NOT NULL);
  INSERT INTO run_counts SELECT id / 512, count(*) FROM runs GROUP BY id / 512;
  CREATE TRIGGER run_added AFTER INSERT ON runs BEGIN
    INSERT INTO run_counts (block, runs) VALUES (NEW.id / 512, 1) ON CONFLICT (block) DO UPDATE SET runs = runs + 1;
  END;
  CREATE TRIGGER run_deleted AFTER DELETE ON runs BEGIN
    UPDATE run_counts SET runs = runs - 1 WHERE block = OLD.id / 512;
    DELETE FROM run_counts WHERE block = OLD.id / 512 AND runs = 0;
  END;
  `,
  },
  {
    sql: `
  -- Up to which number the log of outcomes is in here: see outcome-files.ts.
  CREATE TABLE moved (only INTEGER PRIMARY KEY CHECK (only = 1), number INTEGER NOT NULL);

  -- How many outcomes of the log a start could not read: their runs are missing here, or stand as unknown.
  CREATE TABLE lost_outcomes (noted_at INTEGER NOT NULL, outcomes INTEGER NOT NULL);
  `,
  },
  {
    sql: `
  -- When a credential was last used.
  CREATE INDEX calls_of_credential ON calls (credential, started_at) WHERE credential IS NOT NULL;
  `,
  },
  {
    sql: `
  -- Totals of the requests of runs that started in a span of time: see totals/. Whatever changes such a run deletes them.
  CREATE TABLE ledger_total_spans (
    id INTEGER PRIMARY KEY,
    from_at INTEGER NOT NULL,
    to_at INTEGER NOT NULL,
    kept INTEGER NOT NULL,
    sent_first INTEGER,
    sent_last INTEGER,
    UNIQUE (from_at, to_at)
  );
  CREATE TABLE ledger_totals (
    span INTEGER NOT NULL,
    line INTEGER NOT NULL,
    sent_day INTEGER NOT NULL,
    source_key INTEGER NOT NULL,
    organization_key INTEGER NOT NULL,
    workflow_key INTEGER NOT NULL,
    credential_key INTEGER,
    rule_key INTEGER,
    currency_key INTEGER,
    requests INTEGER NOT NULL,
    charged_yes INTEGER NOT NULL,
    charged_no INTEGER NOT NULL,
    charged_unknown INTEGER NOT NULL,
    unpriced INTEGER NOT NULL,
    least INTEGER NOT NULL,
    most INTEGER NOT NULL,
    sent_first INTEGER NOT NULL,
    sent_last INTEGER NOT NULL,
    PRIMARY KEY (span, line)
  ) WITHOUT ROWID;
  CREATE TRIGGER total_span_deleted AFTER DELETE ON ledger_total_spans BEGIN
    DELETE FROM ledger_totals WHERE span = OLD.id;
  END;
  -- A run that comes in time is later than all spans, so one look at this is all that it costs.
  CREATE INDEX ledger_total_spans_by_end ON ledger_total_spans (to_at);
  CREATE TRIGGER total_run_added AFTER INSERT ON runs
    WHEN EXISTS (SELECT 1 FROM ledger_total_spans WHERE to_at > NEW.started_at) BEGIN ${deleteSpansOf("NEW.started_at")}; END;
  CREATE TRIGGER total_run_deleted AFTER DELETE ON runs BEGIN ${deleteSpansOf("OLD.started_at")}; END;
  CREATE TRIGGER total_charge_changed AFTER UPDATE OF charged, price, currency ON attempts BEGIN
    ${deleteSpansOf("(SELECT started_at FROM runs WHERE id = NEW.run)")};
  END;
  `,
  },
  {
    sql: `
  -- The runs of a function. Only these are in the index, whose last columns answer what else a list is narrowed by.
  CREATE INDEX runs_of_function ON runs (function_id, has_unknown, started_at, verdicts, organization, workflow)
    WHERE function_id IS NOT NULL;
  `,
  },
  {
    sql: `
  -- How many lines of intents a start could not read: requests of which nothing is here may have been sent.
  CREATE TABLE unread_intents (noted_at INTEGER NOT NULL, lines INTEGER NOT NULL);
  `,
  },
  {
    sql: `
  -- Later columns, which are here because of their indexes. Runs without such an id are not in them.
  ALTER TABLE runs ADD COLUMN client_request_id TEXT;
  ALTER TABLE runs ADD COLUMN trace_id TEXT;
  CREATE INDEX runs_by_client_request_id ON runs (client_request_id, has_unknown, started_at)
    WHERE client_request_id IS NOT NULL;
  CREATE INDEX runs_by_trace_id ON runs (trace_id, has_unknown, started_at) WHERE trace_id IS NOT NULL;
  `,
  },
  {
    sql: `
  -- The calls that a budget has rejected: only these are in the index.
  ALTER TABLE calls ADD COLUMN budget INTEGER;
  CREATE INDEX calls_of_budget ON calls (budget, started_at) WHERE budget IS NOT NULL;
  `,
  },
  {
    sql: `
  -- The number of the oldest migration whose code may work on this journal.
  CREATE TABLE readable_from (only INTEGER PRIMARY KEY CHECK (only = 1), migration INTEGER NOT NULL);
  `,
  },
];
