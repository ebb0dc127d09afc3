import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { inTransaction } from "./journal-database.ts";
import { forgottenBefore } from "./journal-pruner.ts";
import type { Recovered } from "./journal-messages.ts";
import type { IntentRow, RunRow } from "../columns.ts";
import type { JournalWriter } from "./journal-writer.ts";
import { readIntents, type NumberedFile } from "./intent-files.ts";
import {
  ATTEMPT_LINE,
  CALL_LINE,
  RUN_LINE,
  type CallLine,
  type IntentLine,
  type RunRecordLine,
} from "./record-lines.ts";
import { chargeOfCall } from "../../terms/money/charge.ts";
import type { Charged } from "../../terms/fault.ts";
import { toStored } from "../stored-text.ts";

interface Unfinished {
  run: Partial<RunRow>;
  /** The requests of each call, in the order of their intents. */
  readonly calls: Map<IntentRow["ordinal"] | undefined, Partial<IntentRow>[]>;
  /** Accepted orders, by call. */
  readonly orders: Map<IntentRow["ordinal"] | undefined, string>;
}

/**
 * Records the runs of an earlier process that have intents but no outcome. Each request gets the charge `unknown`,
 * since it cannot be known whether the vendor acted on it, unless it is free however it ends. A run with an outcome in
 * the journal is settled, whether or not its answer was sent. The files may be deleted once this returns. If the
 * process dies before, the next start repeats it.
 */
export function recoverIntents(
  database: DatabaseSync,
  writer: JournalWriter,
  directory: string,
  files: readonly NumberedFile[],
): Omit<Recovered, "lost"> {
  if (files.length === 0) return { runs: 0, attempts: 0, unreadable: 0 };
  const paths = files.map(({ name }) => join(directory, name));
  const { unfinished, unreadable } = findUnfinished(database, paths);
  // Such runs had outcomes in the journal and were deleted since: an intent file may outlive the rows of its runs.
  const forgotten = forgottenBefore(database);
  for (const [id, { run }] of unfinished) if (run.started_at! < forgotten) unfinished.delete(id);
  let attempts = 0;
  inTransaction(database, () => {
    writer.begin();
    for (const run of unfinished.values()) {
      writer.add(asUnknown(run));
      for (const requests of run.calls.values()) attempts += requests.length;
    }
    if (unreadable > 0)
      database.prepare("INSERT INTO unread_intents (noted_at, lines) VALUES (?, ?)").run(Date.now(), unreadable);
  });
  return { runs: unfinished.size, attempts, unreadable };
}

function findUnfinished(
  database: DatabaseSync,
  paths: readonly string[],
): { readonly unfinished: Map<string, Unfinished>; readonly unreadable: number } {
  const isWritten = database.prepare("SELECT 1 FROM runs WHERE transaction_id = ?");
  const unfinished = new Map<string, Unfinished>();
  const finished = new Set<string>();
  let unreadable = 0;
  for (const path of paths) {
    for (const line of readIntents(path)) {
      if (line === null) {
        unreadable += 1;
        continue;
      }
      const { transactionId } = line;
      if (finished.has(transactionId)) continue;
      let run = unfinished.get(transactionId);
      if (run === undefined) {
        if (isWritten.get(toStored(transactionId)) !== undefined) {
          finished.add(transactionId);
          continue;
        }
        // Without its request, an order belongs to no call that could be recorded.
        if (line.of === "order") continue;
        run = { run: runWithout(line), calls: new Map(), orders: new Map() };
        unfinished.set(transactionId, run);
      }
      addLine(run, line);
    }
  }
  return { unfinished, unreadable };
}

/** A run from one of its attempts, for an attempt whose run line is lost, so that the attempt is still recorded. */
function runWithout(line: Exclude<IntentLine, { of: "order" }>): Partial<RunRow> {
  if (line.of === "run") return line.run;
  const { sent_at: startedAt } = line.attempt;
  return { transaction_id: line.transactionId, kind: "data", started_at: startedAt! };
}

function addLine(unfinished: Unfinished, line: IntentLine): void {
  if (line.of === "run") {
    unfinished.run = line.run;
    return;
  }
  if (line.of === "order") {
    unfinished.orders.set(line.ordinal, line.orderId);
    return;
  }
  const { ordinal } = line.attempt;
  const requests = unfinished.calls.get(ordinal);
  if (requests === undefined) unfinished.calls.set(ordinal, [line.attempt]);
  else requests.push(line.attempt);
}

function asUnknown({ run, calls, orders }: Unfinished): RunRecordLine {
  const lines = [...calls].map(([ordinal, requests]) => unknownCall(requests, orders.get(ordinal) ?? null));
  return [RUN_LINE.writeRow({ ...run, state: "unknown" }), lines];
}

function unknownCall(requests: readonly Partial<IntentRow>[], orderId: string | null): CallLine {
  const chargedOf = ({ free }: Partial<IntentRow>): Charged => (free === 1 ? "no" : "unknown");
  // The first request has the values common to all.
  const call = { ...requests[0], charged: chargeOfCall(requests.map(chargedOf)), order_id: orderId };
  const attempts = requests.map((request) => ATTEMPT_LINE.writeRow({ ...request, charged: chargedOf(request) }));
  return [CALL_LINE.writeRow(call), attempts];
}
