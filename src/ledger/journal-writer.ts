import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { AttemptLine, CallLine, RunHead, RunRecordLine } from "./record-lines.ts";
import { toStored } from "./stored-text.ts";

/**
 * Writes runs inside a transaction of its caller's. Writing one twice changes nothing: a run is known by its
 * transaction id, and its calls and attempts were written with it. No record can be refused for what it says, since one
 * that could would be sent again for ever; what is no text or number where one is due is stored as null.
 */
export class JournalWriter {
  readonly #insertRun: StatementSync;
  readonly #insertCall: StatementSync;
  readonly #insertAttempt: StatementSync;
  #nextId: number;

  constructor(database: DatabaseSync) {
    this.#insertRun = database.prepare(
      `INSERT INTO runs (id, transaction_id, state, kind, organization_id, workflow_id, token_id, context, region,
         simulated, function_id, started_at, took_ms, client_gone, function_fault, has_unknown)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (transaction_id) DO NOTHING`,
    );
    this.#insertCall = database.prepare(
      `INSERT INTO calls (run, ordinal, source, success, match, fault_code, fault_kind, charged, credential_id,
         credential_rule, started_after_ms, took_ms, output_bytes)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, ordinal) DO NOTHING`,
    );
    this.#insertAttempt = database.prepare(
      `INSERT INTO attempts (run, ordinal, number, origin, method, sent_at, status, took_ms, charged)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, ordinal, number) DO NOTHING`,
    );
    // Ids never repeat, also when drained runs have been deleted: the outbox goes by them.
    const row = database
      .prepare("SELECT max(coalesce((SELECT max(id) FROM runs), 0), coalesce((SELECT run FROM drained), 0)) AS id")
      .get() as { id: number };
    this.#nextId = row.id + 1;
  }

  /** A run with its outcome. */
  addEnded([head, tookMs, clientGone, functionFault, calls]: RunRecordLine): void {
    this.#add("ended", head, tookMs, clientGone, functionFault, calls);
  }

  /** A run of which only the intents are left. False if its outcome is here already. */
  addUnknown(head: RunHead, calls: readonly CallLine[]): boolean {
    return this.#add("unknown", head, null, 0, null, calls);
  }

  #add(
    state: string,
    head: RunHead,
    tookMs: number | null,
    clientGone: number,
    functionFault: string | null,
    calls: readonly CallLine[],
  ): boolean {
    const id = this.#nextId;
    const { changes } = this.#insertRun.run(
      id,
      text(head[0]) ?? "",
      state,
      text(head[1]),
      text(head[2]),
      text(head[3]),
      text(head[4]),
      text(head[5]),
      text(head[6]),
      whole(head[7]),
      text(head[8]),
      whole(head[9]),
      whole(tookMs),
      whole(clientGone),
      text(functionFault),
      calls.some(hasUnknownCharge) ? 1 : 0,
    );
    if (changes === 0) return false;
    this.#nextId += 1;
    for (const call of calls) this.#addCall(id, call);
    return true;
  }

  #addCall(run: number, call: CallLine): void {
    const ordinal = whole(call[0]) ?? 0;
    this.#insertCall.run(
      run,
      ordinal,
      text(call[1]),
      whole(call[2]),
      whole(call[3]),
      text(call[4]),
      text(call[5]),
      text(call[6]),
      text(call[7]),
      text(call[8]),
      whole(call[9]),
      whole(call[10]),
      whole(call[11]),
    );
    for (const attempt of call[12]) this.#addAttempt(run, ordinal, attempt);
  }

  #addAttempt(run: number, ordinal: number, attempt: AttemptLine): void {
    this.#insertAttempt.run(
      run,
      ordinal,
      whole(attempt[0]) ?? 0,
      text(attempt[1]),
      text(attempt[2]),
      whole(attempt[3]),
      whole(attempt[4]),
      whole(attempt[5]),
      text(attempt[6]),
    );
  }
}

/** By its requests; a call that has none speaks for itself. */
function hasUnknownCharge(call: CallLine): boolean {
  const attempts = call[12];
  return attempts.length === 0 ? call[6] === "unknown" : attempts.some((attempt) => attempt[6] === "unknown");
}

function text(value: unknown): string | null {
  return typeof value === "string" ? toStored(value) : null;
}

function whole(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? Math.round(value) : null;
}
