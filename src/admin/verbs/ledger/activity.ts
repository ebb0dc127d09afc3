import { Type } from "../../../terms/schema/type.ts";
import { ACTIVITY_KEYS, NEWEST_OF_EACH, NEWEST_OF_ONE } from "../../../ledger/read/sum-activity.ts";
import { sourceInput } from "../../shared-inputs.ts";
import { momentInput, toRecentSpan } from "../../ledger-inputs.ts";
import { count, failedCounts, listed, orNull, text, time, toWireTime, yesOrNo } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Show how the recent calls of each source ended, and how long they took",
  description: `Half of the calls took at most P50 MS, and 99 in 100 at most P99 MS; calls that failed before anything was sent are not part of these times. FAILED counts failures at the vendor or in the source, REJECTED what the service itself rejected, for instance by a limit or a budget, and NO CREDENTIAL calls for which there was none. Only the newest ${NEWEST_OF_EACH} calls of each source are counted, or ${NEWEST_OF_ONE.toLocaleString("en")} if one source is given, so that a large ledger answers quickly too; COUNTED FROM is the time from which all calls are counted. Simulated runs are left out.`,
  example: "--by source --from 2026-03-01",
  input: {
    by: Type.Optional(Type.Enum([...ACTIVITY_KEYS], { description: "What each line stands for; source by default" })),
    from: Type.Optional(momentInput("Runs that started then or later; the last 24 hours by default")),
    to: Type.Optional(momentInput("Runs that started before then")),
    source: Type.Optional(sourceInput),
  },
  role: "viewer",
  changes: false,
  needs: ["ledger"],

  result: listed("activity", {
    source: text,
    cred_id: Type.Optional(orNull(text)),
    calls: count,
    match: count,
    no_match: count,
    ...failedCounts,
    unknown: count,
    p50_ms: orNull(count),
    p99_ms: orNull(count),
    last_at: { ...time, description: "When the newest run with such a call started; UTC" },
    last: { ...text, description: "How that call ended: match, no_match, unknown, or a fault" },
    failures: Type.Record(Type.String(), count, { description: "How many calls failed with each fault" }),
    counted_from: time,
    complete: { ...yesOrNo, description: "Whether every call of the time is counted; otherwise the newest are" },
  }),

  async run({ by = "source", source, ...times }, { clock, ledger }) {
    const open = await ledger();
    const lines = await open.activity({ by, ...toRecentSpan(times, clock), ...(source !== undefined && { source }) });
    return {
      activity: lines.map((line) => ({
        source: line.source,
        ...(by === "credential" && { cred_id: line.credentialId }),
        calls: Object.values(line.outcomes).reduce((sum, one) => sum + one, 0),
        ...line.outcomes,
        p50_ms: line.p50Ms,
        p99_ms: line.p99Ms,
        last_at: toWireTime(line.lastAt),
        last: line.last,
        failures: Object.fromEntries(line.faults.map(({ code, calls }) => [code, calls])),
        counted_from: toWireTime(line.countedFrom),
        complete: line.isComplete,
      })),
    };
  },

  nothing: { activity: "No source was called." },
});
