import type { ChargeSummary } from "../../ledger/read/summarize.ts";
import type { Spent } from "../../ledger/read/spent.ts";
import { readAmount } from "../../terms/money/money.ts";
import type { Charged } from "../../terms/fault.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import type { AuditEntry } from "../ports.ts";

/** The verbs that call a vendor outside a run; their requests are recorded in the audit trail (`ask-vendor.ts`). */
export const LIVE_VERBS = ["source test", "prove", "credential verify"] as const;

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
 * from the start of the month, oldest first. A test counts in the month in which it started, before `to`. A test
 * without a second entry was interrupted and counts as unknown, because its request may have been sent.
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
    const cost = costOfTest(result, sent);
    const which = {
      currency: cost.currency,
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
      least: line.least + cost.least,
      most: line.most + cost.most,
      unpriced: line.unpriced + cost.unpriced,
    });
  }
  return [...lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}

const NO_CHARGES = { requests: 0, charged_yes: 0, charged_no: 0, charged_unknown: 0, live_tests: 0 };
const NOTHING = { ...NO_CHARGES, least: 0n, most: 0n, unpriced: 0 };

function keyOf(line: Pick<ChargeLine, "source" | "organization_id" | "credential_id" | "credential" | "currency">) {
  const { source, organization_id: organization, credential_id: id, credential, currency } = line;
  return JSON.stringify([source, organization ?? "", id ?? "", credential, currency ?? ""]);
}

/** The cost that `ask-vendor.ts` recorded; none for an interrupted test. */
function costOfTest(result: AuditEntry | null, sent: number): Spent {
  if (result === null) return { currency: null, least: 0n, most: 0n, unpriced: sent };
  const cost = result.detail["cost"] as Readonly<Record<string, string | number | null>>;
  const amount = (name: string) => readAmount(String(cost[name])) ?? 0n;
  const [currency, unpriced] = [cost["currency"] as string | null, cost["unpriced"] as number];
  return { currency, least: amount("amount"), most: amount("amount_at_most"), unpriced };
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

/** The number of requests by charge. */
function countsOf(detail: JsonObject): Readonly<Partial<Record<Charged, number>>> {
  return detail["charges"] as Partial<Record<Charged, number>>;
}
