import type { LiveEvent } from "../../api/verbs.ts";
import { Curve } from "../../parts/curve.tsx";
import { tookText } from "../../parts/values.tsx";
import { lastHourText } from "./since-start.ts";

/** Charts of runs and latencies by minute, up to now. */
export function LastHour({ event }: { readonly event: LiveEvent }) {
  const { at: now, runs: all } = event;
  const { last_hour: of, minute } = all;
  const end = Date.parse(of.until) / 1_000;
  const ends = of.runs.map((_, at) => end - ((of.runs.length - 1 - at) * of.every_ms) / 1_000);
  const times = [...ends, Math.max(end + 1, Date.parse(now) / 1_000)];
  const hour = lastHourText(event);
  const [runs, failed, rejected] = [total(of.runs), total(of.failed), total(of.rejected)];
  const most = Math.max(0, ...of.p99_ms.map((ms) => ms ?? 0));
  return (
    <div class="curves">
      <section aria-label="Runs in the last hour">
        <h2>Runs per minute</h2>
        <Curve
          says={`Runs per minute ${hour}: ${runs} in total, ${failed} with a failed call, ${rejected} with only rejected calls.`}
          times={times}
          lines={[
            { label: "runs", colour: "accent", values: [...of.runs, minute.runs] },
            { label: "with a failed call", colour: "failed", values: [...of.failed, minute.failed], isDashed: true },
            { label: "rejected", colour: "no-record", values: [...of.rejected, minute.rejected], isDashed: true },
          ]}
          format={(count) => String(Math.round(count))}
          nothing="no data for this hour"
        />
      </section>
      <section aria-label="Latency in the last hour">
        <h2>Latency of runs</h2>
        <Curve
          says={`Latency of runs ${hour}: the highest 99th percentile of a minute was ${tookText(most)}.`}
          times={times}
          lines={[
            { label: "p50", colour: "accent", values: [...of.p50_ms, minute.p50_ms] },
            { label: "p99", colour: "no-record", values: [...of.p99_ms, minute.p99_ms], isDashed: true },
          ]}
          format={tookText}
          nothing={`no live run ${hour}`}
        />
      </section>
    </div>
  );
}

function total(counts: readonly (number | null)[]): number {
  return counts.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}
