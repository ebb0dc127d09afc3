import type { JsonObject } from "../terms/json/json.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { Clock } from "../terms/time/clock.ts";
import type { BatchJournal } from "./batch-journal.ts";
import type { AdminAccess } from "./ports.ts";
import { timeOfRef } from "./request-ref.ts";
import type { BatchState } from "./state-file.ts";
import { textIn } from "./json-member.ts";

export interface FindRequestsParts {
  readonly admin: AdminAccess;
  readonly journal: BatchJournal;
  readonly state: BatchState;
  readonly clock: Clock;
  /** The longest time that a run can take. */
  readonly longestRunMs: number;
  /** The id of a request of this batch that was answered, if there is one. */
  readonly answeredRef: string | null;
  note(sentence: string): void;
  onProgress(done: number, of: number): void;
  isStopped(): boolean;
}

/** The time in which a run that has ended is on the ledger, and in which a request that was sent arrives. */
const SETTLED_MS = 5_000;
const WAIT_NOTED_MS = 1_000;

/**
 * Looks up the requests whose answers are missing. A run on the ledger that has sent a request to a vendor is `lost`:
 * its answer is paid for, and nobody has it. A request without such a run can be made again. A run comes to the ledger
 * when it ends, so each request is looked up only after every run of it would have ended.
 * @returns why nothing could be looked up, or `null`
 */
export async function findRequests(parts: FindRequestsParts): Promise<string | null> {
  const { admin, journal, state, answeredRef, onProgress } = parts;
  const requests = [...state.unanswered()].sort(([one], [other]) => one - other);
  if (requests.length === 0) return null;
  try {
    // The ledger may be that of another deployment, or its runs may be deleted.
    if (answeredRef !== null && (await runsOf(admin, answeredRef)).length === 0)
      return "The ledger that can be read here does not have the runs of this batch.";
    await waitUntilDue(requests, parts);
    for (const [at, [row, ref]] of requests.entries()) {
      if (parts.isStopped()) return null;
      const sent = (await runsOf(admin, ref)).find(isBillable);
      if (sent === undefined) await journal.free(row);
      else await journal.lost(row, textIn(sent, "transaction_id"));
      onProgress(at + 1, requests.length);
    }
    return null;
  } catch (error) {
    if (error instanceof OperatorError) return error.message;
    throw error;
  }
}

async function waitUntilDue(requests: readonly (readonly [number, string])[], parts: FindRequestsParts): Promise<void> {
  const { clock, longestRunMs, note } = parts;
  const now = clock.wall();
  const lastSentAt = requests.reduce((latest, [, ref]) => Math.max(latest, timeOfRef(ref) ?? now), 0);
  const dueAt = Math.min(now, lastSentAt) + longestRunMs + SETTLED_MS;
  if (dueAt - now > WAIT_NOTED_MS)
    note(
      `${requests.length} requests had no answer. They are looked up on the ledger in ${Math.ceil((dueAt - now) / 1_000)} s, when their runs have ended.`,
    );
  while (clock.wall() < dueAt && !parts.isStopped())
    await new Promise<void>((resolve) => void clock.after(Math.min(200, dueAt - clock.wall()), resolve));
}

async function runsOf(admin: AdminAccess, ref: string): Promise<readonly JsonObject[]> {
  const { runs, damaged, looked_back_to: lookedBackTo } = await admin.ask("ledger list", { client_request_id: ref });
  if (lookedBackTo !== undefined) throw new OperatorError("unavailable", "The ledger was not searched to its end.");
  const broken = Array.isArray(damaged) ? damaged.map((run) => ({ transaction_id: run, requests: 1 })) : [];
  return [...(runs as readonly JsonObject[]), ...broken];
}

/** Whether a vendor may have seen a request of the run. */
function isBillable({ requests, simulated }: JsonObject): boolean {
  return simulated !== true && requests !== 0;
}
