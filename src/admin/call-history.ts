import type { EndedCalls, CallHistory } from "../health/ports.ts";
import { percentileOf } from "../ledger/history/durations.ts";
import type { Figures } from "../ledger/history/figures.ts";
import type { LedgerAnswers } from "../ledger/read/ledger-reader.ts";
import { failureLabelOf } from "../terms/counted-end.ts";

/** More sources than a deployment has. */
const SOURCES_MAX = 10_000;

/** The ledger's history of calls, for vendor health. */
export function callHistoryOf(ledger: Pick<LedgerAnswers, "history">): CallHistory {
  return {
    async callHistory({ source, ...times }) {
      const only = source === undefined ? {} : { source };
      const asked = { by: "source", ...times, ...only, timeZone: "UTC", groupsMax: SOURCES_MAX } as const;
      const { groups } = await ledger.history(asked);
      return new Map(
        groups.map(({ key, points }) => [key, points.map(({ at, figures }) => ({ at, ...countsOf(figures) }))]),
      );
    },
    percentileMs: percentileOf,
  };
}

function countsOf({ ends, buckets }: Figures): Omit<EndedCalls, "at"> {
  let failed = 0;
  for (const [end, count] of ends) if (!OTHERS.has(end) && failureLabelOf(end) === "failed") failed += count;
  return { match: ends.get("match") ?? 0, noMatch: ends.get("no_match") ?? 0, failed, durations: buckets };
}

/** How a call ends without a fault. */
const OTHERS: ReadonlySet<string> = new Set(["match", "no_match", "unknown"]);
