import { address, hrefOf, setQuery } from "../../address.ts";
import type { History } from "../../api/use-history.ts";
import { Button } from "../button.tsx";
import { HeatMap } from "../charts/heat-map.tsx";
import { Section } from "../page.tsx";
import type { TimeRange } from "../time-range.tsx";
import { FAILED_LEGEND, failureHeat, SLOW_LEGEND, slownessHeat, type Heat } from "./heat-figures.ts";
import { knownFrom } from "./history-figures.ts";

export interface HeatSectionProps {
  readonly range: TimeRange;
  /** By source. */
  readonly history: History;
}

/** A heat map that no screen can show is no help. Those with the most trouble are shown. */
const ROWS_MAX = 25;

/** Sources by time: which one failed, or was slower than usual, and when. */
export function HeatSection({ range, history }: HeatSectionProps) {
  const isSlow = address().query.get("heat") === "slow";
  const { axis, says } = range;
  const heatOf = (group: History["groups"][number]): Heat =>
    isSlow ? slownessHeat(axis, group, history.histogram_bounds_ms) : failureHeat(axis, group);
  const all = history.groups
    .filter(({ key }) => key !== "")
    .map(({ key, ...group }) => ({ key, heat: heatOf({ key, ...group }) }));
  const most = all.toSorted((one, other) => troubleOf(other.heat) - troubleOf(one.heat)).slice(0, ROWS_MAX);
  const rows = most.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const title = isSlow ? "Slowness by source and time" : "Failures by source and time";
  return (
    <Section
      title={title}
      actions={
        <div class="beside" role="group" aria-label="What the colours show">
          <Button kind="quiet" pressed={!isSlow} onClick={() => setQuery({ heat: null })}>
            Failures
          </Button>
          <Button kind="quiet" pressed={isSlow} onClick={() => setQuery({ heat: "slow" })}>
            Slowness
          </Button>
        </div>
      }
    >
      {all.length > ROWS_MAX && (
        <p class="dim">
          The {ROWS_MAX} of {all.length} sources with the most {isSlow ? "slow times" : "failures"}.
        </p>
      )}
      <HeatMap
        says={`${title}, ${says}`}
        axis={axis}
        rows={rows.map(({ key, heat }) => ({
          key,
          label: key,
          href: hrefOf(`/sources/${encodeURIComponent(key)}`, range.query),
          ...heat,
        }))}
        legend={isSlow ? SLOW_LEGEND : FAILED_LEGEND}
        knownFrom={knownFrom(history)}
      />
    </Section>
  );
}

/** High levels count more than many low ones. */
function troubleOf({ levels }: Heat): number {
  return levels.reduce<number>((sum, level) => sum + (level ?? 0) ** 2, 0);
}
