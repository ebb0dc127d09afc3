import type { ChargeSummary } from "../../ledger/read/summarize.ts";
import type { Charged } from "../../terms/fault.ts";
import type { JsonObject } from "../../terms/json.ts";
import type { AuditEntry } from "../ports.ts";

/** The verbs that call a vendor outside a run; their requests are recorded in the audit trail (`ask-vendor.ts`). */
export const LIVE_VERBS = ["source test", "credential verify"] as const;

/** The longest time between the two entries of a live test. */
export const LIVE_TEST_MAX_MS = 10 * 60_000;

/** A line to compare with an invoice, including requests of live tests. */
export interface ChargeLine extends Omit<ChargeSummary, "organization_id"> {
  /** `null` for a live test without an organization. */
  readonly organization_id: string | null;
  readonly live_tests: number;
}

/**
 * Adds the requests of live tests to those of runs, by source and credential. `entries` are the acts of `LIVE_VERBS`
 * from the beginning of the month, oldest first; a test counts for the month in which it began, before `to`. A test
 * without a second entry was interrupted: it counts as unknown, because its request may have been sent.
 */
export function withLiveTests(
  runs: readonly ChargeSummary[],
  entries: readonly AuditEntry[],
  to: number,
): readonly ChargeLine[] {
  const lines = new Map<string, ChargeLine>();
  for (const line of runs) lines.set(keyOf(line), { ...line, live_tests: 0 });
  for (const { about, result } of pair(entries, to)) {
    const counts = result === null ? { unknown: 1 } : countsOf(result.detail);
    const sent = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (sent === 0) continue;
    const id = (result ?? about).detail["cred_id"];
    const which = {
      source: about.subjectId,
      organization_id: about.organizationId,
      credential_id: typeof id === "string" ? id : null,
      credential: typeof id === "string" ? ("stored" as const) : ("none" as const),
    };
    const line = lines.get(keyOf(which)) ?? { ...which, ...NOTHING };
    lines.set(keyOf(which), {
      ...line,
      requests: line.requests + sent,
      charged_yes: line.charged_yes + (counts.yes ?? 0),
      charged_no: line.charged_no + (counts.no ?? 0),
      charged_unknown: line.charged_unknown + (counts.unknown ?? 0),
      live_tests: line.live_tests + sent,
    });
  }
  return [...lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}

const NOTHING = { requests: 0, charged_yes: 0, charged_no: 0, charged_unknown: 0, live_tests: 0 };

function keyOf(line: Pick<ChargeLine, "source" | "organization_id" | "credential_id" | "credential">): string {
  return JSON.stringify([line.source, line.organization_id ?? "", line.credential_id ?? "", line.credential]);
}

interface LiveTestEntries {
  readonly about: AuditEntry;
  readonly result: AuditEntry | null;
}

function pair(entries: readonly AuditEntry[], to: number): readonly LiveTestEntries[] {
  const results = new Map(
    entries.filter(({ detail }) => detail["state"] === "asked").map((entry) => [entry.detail["transaction_id"], entry]),
  );
  return entries
    .filter(({ detail, wallAt }) => detail["state"] === "about to ask" && wallAt < to)
    .map((about) => ({ about, result: results.get(about.detail["transaction_id"]!) ?? null }));
}

/** The number of requests for each charge. */
function countsOf(detail: JsonObject): Readonly<Partial<Record<Charged, number>>> {
  return detail["charges"] as Partial<Record<Charged, number>>;
}
