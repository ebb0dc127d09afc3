import type { Charged } from "../../terms/fault.ts";
import { timeOfId } from "../../terms/ids.ts";
import type { AttemptRow, ReconciliationRow, RunReportRow } from "../ports.ts";
import type { JournalReader } from "./journal-reader.ts";
import { RECORDED_BY } from "./reconcile-charge.ts";

/**
 * Whether a row is the service's own record, from before an operator overruled it. It has the time at which the request
 * was sent, because an operating system user with the service's name may settle charges too.
 */
export function isOwnRecord(
  { ordinal, attempt, decided_by: by, decided_at: at }: ReconciliationRow,
  attempts: readonly AttemptRow[],
): boolean {
  const isOf = (one: AttemptRow) => one.ordinal === ordinal && one.number === attempt && one.sent_at === at;
  return by === RECORDED_BY && attempts.some(isOf);
}

/**
 * The service's own record of a request's charge, whatever was settled since. `null` if it has no record of the
 * request.
 */
export function recordedCharge(
  { attempts, reconciliations }: Pick<RunReportRow, "attempts" | "reconciliations">,
  ordinal: number,
  number: number,
): Charged | null {
  const first = reconciliations.find((one) => one.ordinal === ordinal && one.attempt === number);
  // Only an overruled record is stored as its own row. Other settled charges were unknown.
  if (first !== undefined) return isOwnRecord(first, attempts) ? first.charged : "unknown";
  return attempts.find((one) => one.ordinal === ordinal && one.number === number)?.charged ?? null;
}

/**
 * The charge of a dead service's request by its journal, once the journal has been recovered. A request without an
 * intent there was about to be sent, and was not. `null` if the journal may lack it, or is unreadable at that point.
 * @param id transaction, number of the call and number of the request, with slashes between them
 */
export async function chargeAfterDeath(
  journal: Pick<JournalReader, "show" | "completeSince">,
  id: string,
): Promise<Charged | null> {
  const [transactionId, ordinal, number] = id.split("/");
  try {
    const run = await journal.show(transactionId!);
    if (run?.damaged === true) return null;
    const recorded = run === null ? null : recordedCharge(run, Number(ordinal), Number(number));
    return recorded ?? (isSurelyThere(journal, transactionId!) ? "no" : null);
  } catch {
    return null;
  }
}

function isSurelyThere(journal: Pick<JournalReader, "completeSince">, transactionId: string): boolean {
  const madeAt = timeOfId("transaction", transactionId);
  return madeAt !== null && madeAt > journal.completeSince();
}
