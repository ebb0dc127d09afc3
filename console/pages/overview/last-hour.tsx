import type { LiveEvent } from "../../api/verbs.ts";
import { Curve } from "../../parts/curve.tsx";
import { tookText } from "../../parts/values.tsx";

/** Runs and their times, minute by minute, and in the latest minute until now. */
export function LastHour({ event: { at: now, runs: all } }: { readonly event: LiveEvent }) {
  const { last_hour: of, minute } = all;
  const end = Date.parse(of.until) / 1_000;
  const ends = of.runs.map((_, at) => end - ((of.runs.length - 1 - at) * of.every_ms) / 1_000);
  const times = [...ends, Math.max(end + 1, Date.parse(now) / 1_000)];
  const runs = of.runs.reduce((sum, one) => sum + one, 0);
  const failed = of.failed.reduce((sum, one) => sum + one, 0);
  const most = Math.max(0, ...of.p99_ms.map((ms) => ms ?? 0));
  return (
    <div class="curves">
      <section aria-label="Runs in the last hour">
        <h2>Runs a minute</h2>
        <Curve
          says={`Runs a minute in the last hour: ${runs} in all, ${failed} with a failed call.`}
          times={times}
          lines={[
            { label: "runs", colour: "accent", values: [...of.runs, minute.runs] },
            { label: "with a failed call", colour: "failed", values: [...of.failed, minute.failed], isDashed: true },
          ]}
          format={(count) => String(Math.round(count))}
          nothing="no real run in this hour"
        />
      </section>
      <section aria-label="Latency in the last hour">
        <h2>Latency of runs</h2>
        <Curve
          says={`Latency of runs in the last hour: the 99th percentile of a minute was at most ${tookText(most)}.`}
          times={times}
          lines={[
            { label: "p50", colour: "accent", values: [...of.p50_ms, minute.p50_ms] },
            { label: "p99", colour: "no-record", values: [...of.p99_ms, minute.p99_ms], isDashed: true },
          ]}
          format={tookText}
          nothing="no real run in this hour"
        />
      </section>
    </div>
  );
}
