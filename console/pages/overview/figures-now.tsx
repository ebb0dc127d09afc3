import type { ComponentChildren } from "preact";
import type { LiveEvent } from "../../api/verbs.ts";
import { hrefOf } from "../../address.ts";
import type { Objects } from "../../api/use-names.ts";
import { Shape } from "../../parts/outcome.tsx";
import { Badge, Count, Day, Took, tookText } from "../../parts/values.tsx";
import { lastHourText } from "./since-start.ts";

/** The key figures of the process. */
export function FiguresNow({ event, objects }: { readonly event: LiveEvent; readonly objects: Objects }) {
  const { runs, breakers, unknown_charges: unknown } = event;
  const hour = lastHourText(event);
  return (
    <dl class="figures">
      <Figure title="Runs per minute" value={<Count of={runs.minute.runs} />}>
        <Count of={runs.under_way} /> in progress, <Count of={runs.minute.failed} /> with a failed call,{" "}
        <Count of={runs.minute.rejected} /> rejected{" "}
        {runs.minute.simulated > 0 && <Badge kind="simulated">{`and ${runs.minute.simulated} simulated`}</Badge>}
      </Figure>
      <Figure title="Latency of runs, p50" value={<Took ms={runs.minute.p50_ms} />}>
        <InHour ms={runs.hour.p50_ms} hour={hour} />
      </Figure>
      <Figure title="p99" value={<Took ms={runs.minute.p99_ms} />}>
        <InHour ms={runs.hour.p99_ms} hour={hour} />
      </Figure>
      <Figure
        title="Charges to settle"
        href={unknown === null || unknown.charges === 0 ? undefined : hrefOf("/runs", { charged: "unknown" })}
        shape={unknown !== null && unknown.charges > 0 ? "unknown" : undefined}
        value={
          unknown === null ? (
            "?"
          ) : (
            <>
              {unknown.is_more && "> "}
              <Count of={unknown.charges} />
            </>
          )
        }
      >
        {unknown === null ? (
          "the ledger is unavailable"
        ) : unknown.charges === 0 ? (
          "all charges are known"
        ) : (
          <>
            oldest from <Day at={unknown.since} />
          </>
        )}
      </Figure>
      <Figure
        title="Open circuit breakers"
        href={breakers.length === 0 ? undefined : hrefOfBreakers(breakers)}
        shape={breakers.length === 0 ? undefined : "failed"}
        value={<Count of={breakers.length} />}
      >
        {breakers.length === 0 ? "no source is blocked in this process" : <Breakers of={breakers} objects={objects} />}
      </Figure>
      <LedgerFigure ledger={event.ledger} />
    </dl>
  );
}

function InHour({ ms, hour }: { readonly ms: number | null; readonly hour: string }) {
  return <>{ms === null ? `no run ${hour}` : `${tookText(ms)} ${hour}`}</>;
}

/** The page of the source if only one is affected, else the list. */
function hrefOfBreakers(breakers: LiveEvent["breakers"]): string {
  const [first, ...others] = new Set(breakers.map(({ source }) => source));
  return others.length === 0 ? hrefOf(`/sources/${encodeURIComponent(first!)}`) : hrefOf("/sources");
}

/** The source and organization of the breaker that has been open longest, and the number of others. */
function Breakers({ of: breakers, objects }: { readonly of: LiveEvent["breakers"]; readonly objects: Objects }) {
  const [first, ...others] = breakers.toSorted((one, other) => other.open_ms - one.open_ms);
  const { source, organization_tuid: org } = first!;
  return (
    <>
      {source} for <bdi>{objects.get(org)?.name ?? org}</bdi>
      {others.length > 0 && `, and ${others.length} more`}
    </>
  );
}

/** The ids of organizations, whose names are shown. */
export function idsOfBreakers(breakers: LiveEvent["breakers"]): readonly string[] {
  return breakers.map(({ organization_tuid: org }) => org);
}

function LedgerFigure({ ledger }: { readonly ledger: LiveEvent["ledger"] }) {
  const { unavailable, lag_ms: lagMs, pending_runs: pending, undrained_runs: undrained } = ledger;
  const full = Math.floor((100 * ledger.journal_bytes) / ledger.journal_bytes_max);
  return (
    <Figure
      title="Ledger lag"
      shape={unavailable !== null ? "failed" : lagMs > 1_000 ? "unknown" : undefined}
      value={unavailable === null ? <Took ms={lagMs} /> : "stopped"}
    >
      {unavailable ?? (
        <>
          <Count of={pending} /> {undrained > 0 ? "to write, " : "runs to write, "}
          {undrained > 0 && (
            <>
              <Count of={undrained} /> to send,{" "}
            </>
          )}
          journal {full}&nbsp;%&nbsp;full
        </>
      )}
    </Figure>
  );
}

interface FigureProps {
  readonly title: string;
  readonly value: ComponentChildren;
  readonly href?: string | undefined;
  readonly shape?: "failed" | "unknown" | undefined;
  readonly children: ComponentChildren;
}

function Figure({ title, value, href, shape, children }: FigureProps) {
  return (
    <div class="figure">
      <dt>{title}</dt>
      <dd>
        <span class={`figure-value${shape === undefined ? "" : ` outcome-${shape}`}`}>
          {shape && <Shape of={shape} />}
          {href === undefined ? value : <a href={href}>{value}</a>}
        </span>
        <span class="figure-note">{children}</span>
      </dd>
    </div>
  );
}
