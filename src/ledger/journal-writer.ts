import type { DatabaseSync, StatementSync } from "node:sqlite";
import { JournalNames } from "./journal-names.ts";
import type { AttemptLine, CallLine, RunHead, RunRecordLine } from "./record-lines.ts";
import { toStored } from "./stored-text.ts";
import { chargesBits, verdictsOf } from "./verdicts.ts";

/** What a run says beside its head and its calls. */
interface Ending {
  readonly state: "ended" | "unknown";
  readonly tookMs: number | null;
  readonly clientGone: number;
  readonly functionFault: string | null;
  readonly unknownSources: number;
  readonly unknownSourceNames: string | null;
}

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
 * transaction id, and its calls and attempts were written with it. No record can be refused for what it says, neither
 * here nor by a shared database, since one that could would be sent again for ever: what is no text or number where one
 * is due is stored as the empty text, as 0, or as null where that is allowed.
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
         unknown_source_names)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (transaction_id) DO NOTHING`,
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
    // Ids never repeat, also when drained runs have been deleted: the outbox goes by them.
    const row = database
      .prepare("SELECT max(coalesce((SELECT max(id) FROM runs), 0), coalesce((SELECT run FROM drained), 0)) AS id")
      .get() as { id: number };
    this.#nextId = row.id + 1;
  }

  /** A run with its outcome. */
  addEnded([head, tookMs, clientGone, functionFault, calls, unknownSources = 0, names = []]: RunRecordLine): void {
    const unknownSourceNames = names.length === 0 ? null : JSON.stringify(names.map(textOf));
    this.#add(head, calls, { state: "ended", tookMs, clientGone, functionFault, unknownSources, unknownSourceNames });
  }

  /** A run of which only the intents are left. False if its outcome is here already. */
  addUnknown(head: RunHead, calls: readonly CallLine[]): boolean {
    return this.#add(head, calls, UNSEEN);
  }

  #add(head: RunHead, calls: readonly CallLine[], ending: Ending): boolean {
    const ofRun: OfRun = {
      run: this.#nextId,
      hasUnknown: calls.some(hasUnknownCharge) ? 1 : 0,
      startedAt: wholeOf(head[9]),
      organization: this.#number(head[2]),
      workflow: this.#number(head[3]),
    };
    const { changes } = this.#insertRun.run(
      ofRun.run,
      textOf(head[0]),
      this.#number(ending.state),
      this.#number(head[1]),
      ofRun.organization,
      ofRun.workflow,
      this.#number(head[4]),
      this.#number(head[5]),
      this.#number(head[6]),
      wholeOf(head[7]),
      // Whatever a caller has asked for, so no name.
      head[8] === null ? null : textOf(head[8]),
      ofRun.startedAt,
      whole(ending.tookMs),
      wholeOf(ending.clientGone),
      this.#numberOrNull(ending.functionFault),
      ofRun.hasUnknown,
      verdictsOf(calls.map((call) => ({ success: call[2], match: call[3], charges: chargesOf(call) }))),
      wholeOf(ending.unknownSources),
      ending.unknownSourceNames,
    );
    if (changes === 0) return false;
    this.#nextId += 1;
    for (const call of calls) this.#addCall(ofRun, call);
    return true;
  }

  #addCall({ run, hasUnknown, startedAt, organization, workflow }: OfRun, call: CallLine): void {
    const ordinal = wholeOf(call[0]);
    this.#insertCall.run(
      run,
      ordinal,
      this.#number(call[1]),
      whole(call[2]),
      whole(call[3]),
      this.#numberOrNull(call[4]),
      this.#numberOrNull(call[5]),
      this.#number(call[6]),
      chargesOf(call),
      this.#numberOrNull(call[7]),
      this.#number(call[8]),
      whole(call[9]),
      whole(call[10]),
      whole(call[11]),
      hasUnknown,
      startedAt,
      organization,
      workflow,
    );
    for (const attempt of call[12]) this.#addAttempt(run, ordinal, attempt);
  }

  #addAttempt(run: number, ordinal: number, attempt: AttemptLine): void {
    this.#insertAttempt.run(
      run,
      ordinal,
      wholeOf(attempt[0]),
      this.#number(attempt[1]),
      this.#number(attempt[2]),
      wholeOf(attempt[3]),
      whole(attempt[4]),
      whole(attempt[5]),
      this.#number(attempt[6]),
    );
  }

  #number(value: unknown): number {
    return this.#names.numberOf(textOf(value));
  }

  #numberOrNull(value: unknown): number | null {
    return typeof value === "string" ? this.#number(value) : null;
  }
}

function chargesOf(call: CallLine): number {
  return chargesBits(
    call[6],
    call[12].map((attempt) => attempt[6]),
  );
}

/** By its requests; a call that has none speaks for itself. */
function hasUnknownCharge(call: CallLine): boolean {
  const attempts = call[12];
  return attempts.length === 0 ? call[6] === "unknown" : attempts.some((attempt) => attempt[6] === "unknown");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? toStored(value) : "";
}

function wholeOf(value: unknown): number {
  return whole(value) ?? 0;
}

function whole(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? Math.round(value) : null;
}
