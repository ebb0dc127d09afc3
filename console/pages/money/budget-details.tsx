import { hrefOf } from "../../address.ts";
import { useVerb } from "../../api/use-verb.ts";
import { grouped } from "../../parts/amount.tsx";
import { Fact, FactList } from "../../parts/facts.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Section } from "../../parts/page.tsx";
import { BurnDown } from "./burn-down.tsx";
import { Rejected } from "../../parts/rejected.tsx";
import { ShortId } from "../../parts/short-id.tsx";
import { Count, Time } from "../../parts/values.tsx";

/** One budget with its use in the current period, from the ledger. */
export function BudgetDetails({ id }: { readonly id: string }) {
  const { result: budget, error, reload } = useVerb("budget show", { budget: id });
  if (error) return <Failure error={error} retry={reload} />;
  if (budget === undefined) return null;
  const { unknown, unpriced, other_currencies: others } = budget;
  const runs = {
    from: budget.period_from,
    to: budget.period_to,
    org: budget.organization_tuid,
    workflow: budget.workflow,
    source: budget.source,
  };
  return (
    <Section title="Current period">
      <FactList>
        <Fact title="Budget">
          <ShortId id={budget.budget} />
        </Fact>
        <Fact title="Period">
          <Time at={budget.period_from} /> to <Time at={budget.period_to} />, a {budget.per} of {budget.time_zone}
        </Fact>
        <Fact title="Counts from">
          <Time at={budget.counts_from} />
          {budget.spent_before && !/^0(\.0+)? /.test(budget.spent_before) && (
            <>
              . What was charged earlier in this {budget.per} does not count: {grouped(budget.spent_before)}
            </>
          )}
        </Fact>
        <Fact title="Warns">
          at {budget.warn_percent} % of {grouped(budget.limit)}
        </Fact>
        <Fact title="Used">{grouped(budget.used)}, spent or reserved for requests in progress</Fact>
        {budget.rejects_since !== null && (
          <Fact title="Rejected">
            <Rejected of={budget} />
          </Fact>
        )}
        <Fact title="Reserved">
          {grouped(budget.leased)}, leased by processes for further requests, and returned if unused
        </Fact>
        {budget.requests !== undefined && (
          <Fact title="Requests">
            <a href={hrefOf("/runs", runs)}>
              <Count of={budget.requests} />
            </a>
          </Fact>
        )}
        {unknown !== undefined && unknown > 0 && (
          <Fact title="Charge unknown">
            <a href={hrefOf("/runs", { ...runs, charged: "unknown" })}>
              <Count of={unknown} />
            </a>
            , counted in full until they are settled
          </Fact>
        )}
        {unpriced !== undefined && unpriced > 0 && (
          <Fact title="Without a price">
            <Count of={unpriced} />, which {budget.other_currencies === null ? "count as requests" : "do not count"}
          </Fact>
        )}
        {others && <Fact title="Other currencies">{others}, which do not count</Fact>}
      </FactList>
      <BurnDown budget={budget} />
    </Section>
  );
}
