import type { Charged } from "../../terms/fault.ts";
import { timeOfId } from "../../terms/ids.ts";
import type { AttemptRow, ReconciliationRow, RunReportRow } from "../ports.ts";
import type { JournalReader } from "./journal-reader.ts";
import { RECORDED_BY } from "./reconcile-charge.ts";

/**
 * Whether a row is the service's own record, kept before a person overruled it. It is dated when the request was sent:
 * the user of the operating system who settles a charge may be called like the service.
 */
export function isOwnRecord(
  { ordinal, attempt, decided_by: by, decided_at: at }: ReconciliationRow,
  attempts: readonly AttemptRow[],
): boolean {
  const isOf = (one: AttemptRow) => one.ordinal === ordinal && one.number === attempt && one.sent_at === at;
  return by === RECORDED_BY && attempts.some(isOf);
}

/**
 * What the service itself had recorded of a request, whatever a person has settled since. `null` if it has no record of
 * it.
 */
export function recordedCharge(
  { attempts, reconciliations }: Pick<RunReportRow, "attempts" | "reconciliations">,
  ordinal: number,
  number: number,
): Charged | null {
  const first = reconciliations.find((one) => one.ordinal === ordinal && one.attempt === number);
  // Only a record that was overruled is kept as a row of its own. What was settled otherwise was unknown.
  if (first !== undefined) return isOwnRecord(first, attempts) ? first.charged : "unknown";
  return attempts.find((one) => one.ordinal === ordinal && one.number === number)?.charged ?? null;
}

/**
 * What the journal of a service that has died says of one of its requests, once it has been recovered. A request that it
 * does not know was about to be sent, and was not: its intent would be there. `null` if the journal may lack it, or cannot
 * be read there.
 * @param id transaction, number of the call and number of the request, with slashes between them
 */
export async function chargeAfterDeath(
  journal: Pick<JournalReader, "show" | "wholeSince">,
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

function isSurelyThere(journal: Pick<JournalReader, "wholeSince">, transactionId: string): boolean {
  const madeAt = timeOfId("transaction", transactionId);
  return madeAt !== null && madeAt > journal.wholeSince();
}
