import type { DatabaseSync, StatementSync } from "node:sqlite";
import { JournalNames } from "./journal-names.ts";
import type { AttemptRow, CallRow, RunReportRow } from "../ports.ts";
import type { CallLine, RunHead, RunRecordLine } from "./record-lines.ts";
import { rowsOfRecord, textOf, type Ending } from "./rows-of-record.ts";

const UNSEEN: Ending = {
  state: "unknown",
  tookMs: null,
  clientGone: 0,
  functionFault: null,
  unknownSources: 0,
  unknownSourceNames: null,
};

/** What the calls of a run have from it. */
interface OfRun {
  readonly run: number;
  readonly hasUnknown: 0 | 1;
  readonly startedAt: number;
  readonly organization: number;
  readonly workflow: number;
}

/**
 * Writes runs inside a transaction of its caller's. Writing one twice changes nothing: a run is known by its
 * transaction id, and its calls and attempts were written with it.
 */
export class JournalWriter {
  readonly #names: JournalNames;
  readonly #insertRun: StatementSync;
  readonly #insertCall: StatementSync;
  readonly #insertAttempt: StatementSync;
  #nextId: number;

  constructor(database: DatabaseSync) {
    this.#names = new JournalNames(database);
    this.#insertRun = database.prepare(
      `INSERT INTO runs (id, transaction_id, state, kind, organization, workflow, token, context, region, simulated,
         function_id, started_at, took_ms, client_gone, function_fault, has_unknown, verdicts, unknown_sources,
         unknown_source_names, checksum)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (transaction_id) DO NOTHING`,
    );
    this.#insertCall = database.prepare(
      `INSERT INTO calls (run, ordinal, source, success, match, fault_code, fault_kind, charged, charges, credential,
         credential_rule, started_after_ms, took_ms, output_bytes, has_unknown, started_at, organization, workflow)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, ordinal) DO NOTHING`,
    );
    this.#insertAttempt = database.prepare(
      `INSERT INTO attempts (run, ordinal, number, origin, method, sent_at, status, took_ms, charged)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, ordinal, number) DO NOTHING`,
    );
    // Ids never repeat, also when drained runs have been deleted, since the outbox goes by them, and also when damage has
    // taken the last runs, whose calls are there still.
    const row = database
      .prepare(
        `SELECT max(coalesce((SELECT max(id) FROM runs), 0), coalesce((SELECT max(run) FROM calls), 0),
           coalesce((SELECT run FROM drained), 0)) AS id`,
      )
      .get() as { id: number };
    this.#nextId = row.id + 1;
  }

  /** A run with its outcome. */
  addEnded([head, tookMs, clientGone, functionFault, calls, unknownSources = 0, names = []]: RunRecordLine): void {
    const unknownSourceNames = names.length === 0 ? null : JSON.stringify(names.map(textOf));
    const ending: Ending = { state: "ended", tookMs, clientGone, functionFault, unknownSources, unknownSourceNames };
    this.#add(rowsOfRecord(head, calls, ending));
  }

  /** A run of which only the intents are left. False if its outcome is here already. */
  addUnknown(head: RunHead, calls: readonly CallLine[]): boolean {
    return this.#add(rowsOfRecord(head, calls, UNSEEN));
  }

  #add({ run, calls, attempts }: RunReportRow): boolean {
    const ofRun: OfRun = {
      run: this.#nextId,
      hasUnknown: run.has_unknown,
      startedAt: run.started_at,
      organization: this.#number(run.organization_id),
      workflow: this.#number(run.workflow_id),
    };
    const { changes } = this.#insertRun.run(
      ofRun.run,
      run.transaction_id,
      this.#number(run.state),
      this.#number(run.kind),
      ofRun.organization,
      ofRun.workflow,
      this.#number(run.token_id),
      this.#number(run.context),
      this.#number(run.region),
      run.simulated,
      // Whatever a caller has asked for, so no name.
      run.function_id,
      ofRun.startedAt,
      run.took_ms,
      run.client_gone,
      this.#numberOrNull(run.function_fault),
      ofRun.hasUnknown,
      run.verdicts,
      run.unknown_sources,
      run.unknown_source_names,
      run.checksum,
    );
    if (changes === 0) return false;
    this.#nextId += 1;
    for (const call of calls) this.#addCall(ofRun, call);
    for (const attempt of attempts) this.#addAttempt(ofRun.run, attempt);
    return true;
  }

  #addCall({ run, hasUnknown, startedAt, organization, workflow }: OfRun, call: CallRow): void {
    this.#insertCall.run(
      run,
      call.ordinal,
      this.#number(call.source),
      call.success,
      call.match,
      this.#numberOrNull(call.fault_code),
      this.#numberOrNull(call.fault_kind),
      this.#number(call.charged),
      call.charges,
      this.#numberOrNull(call.credential_id),
      this.#number(call.credential_rule),
      call.started_after_ms,
      call.took_ms,
      call.output_bytes,
      hasUnknown,
      startedAt,
      organization,
      workflow,
    );
  }

  #addAttempt(run: number, attempt: AttemptRow): void {
    this.#insertAttempt.run(
      run,
      attempt.ordinal,
      attempt.number,
      this.#number(attempt.origin),
      this.#number(attempt.method),
      attempt.sent_at,
      attempt.status,
      attempt.took_ms,
      this.#number(attempt.charged),
    );
  }

  #number(name: string): number {
    return this.#names.numberOf(name);
  }

  #numberOrNull(name: string | null): number | null {
    return name === null ? null : this.#number(name);
  }
}
