import type { ChargeSummary } from "../../ledger/read/summarize.ts";
import type { Charged } from "../../terms/fault.ts";
import type { JsonObject } from "../../terms/json.ts";
import type { AuditEntry } from "../ports.ts";

/** The verbs that ask a vendor outside of a run; what they sent stands in the audit trail (`ask-vendor.ts`). */
export const LIVE_VERBS = ["source test", "credential verify"] as const;

/** How long after its first entry a live test may still write its second. */
export const LIVE_TEST_MAX_MS = 10 * 60_000;

/** A line of an invoice, with those of its requests that live tests made. */
export interface ChargeLine extends Omit<ChargeSummary, "organization_id"> {
  /** `null`: a live test for no organization in particular. */
  readonly organization_id: string | null;
  readonly live_tests: number;
}

/**
 * Adds what live tests sent to what runs sent, source by source and credential by credential. `entries` are the acts of
 * `LIVE_VERBS` from the beginning of the month on, oldest first; a test counts for the month in which it began, before `to`.
 * One that has no second entry was broken off: whether its request went out nobody knows.
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

/** By the verdict of each request that was sent. */
function countsOf(detail: JsonObject): Readonly<Partial<Record<Charged, number>>> {
  return detail["charges"] as Partial<Record<Charged, number>>;
}
