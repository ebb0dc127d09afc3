import { Ended, Faults } from "../activity.tsx";
import { Amount } from "../amount.tsx";
import { Fact, FactList } from "../facts.tsx";
import { Count, Took } from "../values.tsx";
import { failedOf, rejectedOf, type Figures } from "./history-sums.ts";

type Total = Figures & Readonly<Record<"p50_ms" | "p95_ms" | "p99_ms", number | null>>;

interface HistoryFactsProps {
  /** `undefined` without calls. */
  readonly of: Total | undefined;
  readonly isLoading: boolean;
  readonly unit: "calls" | "runs";
}

/** The figures of a whole range. What was sent, what datarun rejected, and what had no credential are apart. */
export function HistoryFacts({ of, unit, isLoading }: HistoryFactsProps) {
  const all = of?.calls ?? 0;
  const none = <span class="dim">–</span>;
  const ended = (kind: "found" | "no_record" | "failed" | "off" | "unknown", count: number) =>
    isLoading ? none : <Ended kind={kind} count={count} of={all} />;
  const isRuns = unit === "runs";
  return (
    <div class={isRuns ? "history-facts history-facts-runs" : "history-facts"}>
      <FactList isShort>
        <Fact title={isRuns ? "Runs" : "Calls"}>{isLoading ? none : <Count of={all} />}</Fact>
        <Fact title={isRuns ? "Answered" : "Found"}>{ended("found", of?.match ?? 0)}</Fact>
        {!isRuns && <Fact title="No record">{ended("no_record", of?.no_match ?? 0)}</Fact>}
        <Fact title="Failed">{ended("failed", of ? failedOf(of) : 0)}</Fact>
        <Fact title="Rejected by datarun">{ended("off", of ? rejectedOf(of) : 0)}</Fact>
        {!isRuns && <Fact title="No credential">{ended("off", of?.no_credential ?? 0)}</Fact>}
        <Fact title="p50">
          <Took ms={of?.p50_ms} />
        </Fact>
        <Fact title="p95">
          <Took ms={of?.p95_ms} />
        </Fact>
        <Fact title="p99">
          <Took ms={of?.p99_ms} />
        </Fact>
        {of !== undefined && of.unknown > 0 && (
          <Fact title={isRuns ? "Interrupted" : "Unknown"}>{ended("unknown", of.unknown)}</Fact>
        )}
        {of?.costs.map(({ currency, amount, amount_at_most: most }) => (
          <Fact key={currency} title={`Cost in ${currency}`}>
            <Amount amount={amount} atMost={most} currency={currency} />
          </Fact>
        ))}
        {of !== undefined && of.unpriced > 0 && (
          <Fact title="Requests without price">
            <Count of={of.unpriced} />
          </Fact>
        )}
      </FactList>
    </div>
  );
}

/** The faults of a range: those of vendors and code, and what datarun rejected. */
export function FaultLists({ of }: { readonly of: Pick<Figures, "failed" | "rejected"> }) {
  const isSome = (faults: object) => Object.keys(faults).length > 0;
  if (!isSome(of.failed) && !isSome(of.rejected)) return null;
  return (
    <div class="history-faults">
      {isSome(of.failed) && (
        <section aria-label="Failed, by fault">
          <h3>Failed</h3>
          <Faults of={byCount(of.failed)} />
        </section>
      )}
      {isSome(of.rejected) && (
        <section aria-label="Rejected by datarun, by fault">
          <h3>Rejected by datarun</h3>
          <Faults of={byCount(of.rejected)} />
        </section>
      )}
    </div>
  );
}

function byCount(faults: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(faults).toSorted(([, one], [, other]) => other - one));
}
