import { Fragment } from "preact";
import { hrefOf } from "../../address.ts";
import type { History } from "../../api/use-history.ts";
import type { VerbState } from "../../api/use-verb.ts";
import { Amount } from "../../parts/amount.tsx";
import { HistorySummary } from "../../parts/chart.tsx";
import { Failure } from "../../parts/failure.tsx";
import { failedOf, rejectedOf } from "../../parts/history/history-sums.ts";
import { Section } from "../../parts/page.tsx";
import { TimeRangeControl, type TimeRange } from "../../parts/time-range.tsx";
import { Count } from "../../parts/values.tsx";

interface OrganizationHistoryProps {
  readonly org: string;
  readonly range: TimeRange;
  readonly calls: VerbState<History>;
  /** By token. */
  readonly runs: VerbState<History>;
}

/** Runs, failures and spend of an organization in one line, and its calls over time. */
export function OrganizationHistory({ org, range, calls, runs }: OrganizationHistoryProps) {
  const history = calls.isCurrent ? calls.result : undefined;
  const totals = runs.isCurrent ? runs.result?.groups.map(({ total }) => total) : undefined;
  const sum = (of: (total: NonNullable<typeof totals>[number]) => number) =>
    totals?.reduce((all, total) => all + of(total), 0) ?? 0;
  return (
    <Section
      title="Activity"
      actions={
        <>
          <TimeRangeControl range={range} />
          <a href={hrefOf("/runs", { org, ...range.query })}>Show the runs</a>
        </>
      }
    >
      {calls.error && <Failure error={calls.error} retry={calls.reload} />}
      <p>
        {totals === undefined ? (
          "\u00a0"
        ) : (
          <>
            <Count of={sum(({ calls: count }) => count)} /> runs, <Count of={sum(failedOf)} /> failed,{" "}
            <Count of={sum(rejectedOf)} /> rejected by datarun
            {history?.groups[0]?.total.costs.map(({ currency, amount, amount_at_most: most }) => (
              <Fragment key={currency}>
                , <Amount amount={amount} atMost={most} currency={currency} />
              </Fragment>
            ))}
          </>
        )}
      </p>
      <HistorySummary range={range} history={history} unit="calls" withCost />
    </Section>
  );
}
