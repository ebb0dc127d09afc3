/** A span of totals is a minute, an hour or a day. */
function deleteSpansOf(startedAt: string, spans = "ledger_total_spans"): string {
  const starts = [60_000, 3_600_000, 86_400_000].map((length) => `${startedAt} - ${startedAt} % ${length}`);
  return `DELETE FROM ${spans} WHERE from_at IN (${starts.join(", ")}) AND to_at > ${startedAt}`;
}

export interface JournalMigration {
  readonly sql: string;
  /**
   * The number of the oldest migration whose code can work on a journal with this one: that code finds everything that
   * it reads, and writes everything that the newer code needs. Absent if no older code can.
   */
  readonly readableFrom?: number;
}

/** The number of the schema of the first release. Earlier migrations were in no release, and are merged into it. */
const BASELINE = 13;

/** Forward only. A released migration is never changed; its position is its number. */
export const MIGRATIONS: readonly JournalMigration[] = [
  ...Array.from({ length: BASELINE - 1 }, () => ({ sql: "" })),
  {
    sql: `
  CREATE TABLE runs (
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
    client_request_id TEXT,
    trace_id TEXT,
    started_at INTEGER NOT NULL,
    took_ms INTEGER,
    client_gone INTEGER NOT NULL,
    function_fault INTEGER,
    has_unknown INTEGER NOT NULL,
    verdicts INTEGER NOT NULL,
    unknown_sources INTEGER NOT NULL,
    unknown_source_names TEXT,
    checksum INTEGER
  );
  CREATE INDEX runs_by_time ON runs (started_at, has_unknown, verdicts);
  CREATE INDEX runs_unknown ON runs (started_at, verdicts) WHERE has_unknown = 1;
  CREATE INDEX runs_of_organization ON runs (organization, has_unknown, started_at, verdicts);
  CREATE INDEX runs_of_workflow ON runs (workflow, has_unknown, started_at, verdicts, organization);
  -- The last columns answer what else a list is narrowed by.
  CREATE INDEX runs_of_function ON runs (function_id, has_unknown, started_at, verdicts, organization, workflow)
    WHERE function_id IS NOT NULL;
  CREATE INDEX runs_by_client_request_id ON runs (client_request_id, has_unknown, started_at)
    WHERE client_request_id IS NOT NULL;
  CREATE INDEX runs_by_trace_id ON runs (trace_id, has_unknown, started_at) WHERE trace_id IS NOT NULL;

  -- The last four are the run's, so that a list by source is answered from the index alone.
  CREATE TABLE calls (
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
    budget INTEGER,
    has_unknown INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    organization INTEGER NOT NULL,
    workflow INTEGER NOT NULL,
    PRIMARY KEY (run, ordinal)
  ) WITHOUT ROWID;
  CREATE INDEX calls_of_source ON calls
    (source, has_unknown, started_at, success, match, charges, organization, workflow);
  CREATE INDEX calls_of_credential ON calls (credential, started_at) WHERE credential IS NOT NULL;
  CREATE INDEX calls_of_budget ON calls (budget, started_at) WHERE budget IS NOT NULL;

  CREATE TABLE attempts (
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

  -- Texts that repeat are stored here once. Ids that callers make up are not among them.
  CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  INSERT INTO names (id, name) VALUES (0, ''), (1, 'unknown'), (2, 'no'), (3, 'yes');

  -- Which journal this is, for a shared database to say how far it has it.
  CREATE TABLE journal (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    id TEXT NOT NULL,
    checked_from INTEGER NOT NULL DEFAULT 1
  );
  INSERT INTO journal (only, id) VALUES (1, lower(hex(randomblob(16))));

  -- How far the outbox has been drained: absent where there is none.
  CREATE TABLE drained (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    run INTEGER NOT NULL,
    drained_at INTEGER NOT NULL
  );

  -- Runs that the shared database refuses for what they say. They stay here.
  CREATE TABLE set_aside (run INTEGER PRIMARY KEY, reason TEXT NOT NULL);

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

  -- For the version before alone: runs that a wrong clock has dated in the future, and since when that is known.
  CREATE TABLE ahead (run INTEGER PRIMARY KEY, seen_at INTEGER NOT NULL);

  -- How many of each 512 numbers belong to a run, so that one that vanishes is missed. What deletes runs keeps it true.
  CREATE TABLE run_counts (block INTEGER PRIMARY KEY, runs INTEGER NOT NULL);
  CREATE TRIGGER run_added AFTER INSERT ON runs BEGIN
    INSERT INTO run_counts (block, runs) VALUES (NEW.id / 512, 1) ON CONFLICT (block) DO UPDATE SET runs = runs + 1;
  END;
  CREATE TRIGGER run_deleted AFTER DELETE ON runs BEGIN
    UPDATE run_counts SET runs = runs - 1 WHERE block = OLD.id / 512;
    DELETE FROM run_counts WHERE block = OLD.id / 512 AND runs = 0;
  END;

  -- Up to which number the log of outcomes is in here: see outcome-files.ts.
  CREATE TABLE moved (only INTEGER PRIMARY KEY CHECK (only = 1), number INTEGER NOT NULL);

  -- How many outcomes of the log a start could not read: their runs are missing here, or stand as unknown.
  CREATE TABLE lost_outcomes (noted_at INTEGER NOT NULL, outcomes INTEGER NOT NULL);

  -- How many lines of intents a start could not read: requests of which nothing is here may have been sent.
  CREATE TABLE unread_intents (noted_at INTEGER NOT NULL, lines INTEGER NOT NULL);

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

  -- The number of the oldest migration whose code may work on this journal.
  CREATE TABLE readable_from (only INTEGER PRIMARY KEY CHECK (only = 1), migration INTEGER NOT NULL);
  `,
  },
  {
    readableFrom: 13,
    sql: `
  -- Outcomes, durations and amounts of the runs that started in a span of time: see history/.
  CREATE TABLE ledger_history_spans (
    id INTEGER PRIMARY KEY,
    from_at INTEGER NOT NULL,
    to_at INTEGER NOT NULL,
    kept INTEGER NOT NULL,
    claimed_at INTEGER NOT NULL,
    UNIQUE (from_at, to_at)
  );
  CREATE INDEX ledger_history_spans_by_end ON ledger_history_spans (to_at);
  CREATE TABLE ledger_history (
    span INTEGER NOT NULL,
    grouping_number INTEGER NOT NULL,
    line INTEGER NOT NULL,
    organization_key INTEGER,
    workflow_key INTEGER,
    function_key TEXT,
    function_version_key INTEGER,
    source_key INTEGER,
    source_version_key INTEGER,
    credential_key INTEGER,
    token_key INTEGER,
    figures TEXT NOT NULL,
    PRIMARY KEY (span, grouping_number, line)
  ) WITHOUT ROWID;
  CREATE TRIGGER history_span_deleted AFTER DELETE ON ledger_history_spans BEGIN
    DELETE FROM ledger_history WHERE span = OLD.id;
  END;
  CREATE TRIGGER history_run_added AFTER INSERT ON runs
    WHEN EXISTS (SELECT 1 FROM ledger_history_spans WHERE to_at > NEW.started_at) BEGIN
    ${deleteSpansOf("NEW.started_at", "ledger_history_spans")};
  END;
  CREATE TRIGGER history_run_deleted AFTER DELETE ON runs BEGIN
    ${deleteSpansOf("OLD.started_at", "ledger_history_spans")};
  END;
  CREATE TRIGGER history_charge_changed AFTER UPDATE OF charged, price, currency ON attempts BEGIN
    ${deleteSpansOf("(SELECT started_at FROM runs WHERE id = NEW.run)", "ledger_history_spans")};
  END;
  `,
  },
];
