import { hrefOf } from "../../address.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { Amount } from "../../parts/amount.tsx";
import { Shape } from "../../parts/outcome.tsx";
import type { TimeAxis } from "../../parts/time-range-shape.ts";

interface OpenChargesProps {
  readonly totals: ResultOf<"ledger spend">["totals"];
  /** The shown time. */
  readonly axis: TimeAxis;
  readonly org: string;
}

/** The unknown and unpriced charges that make sums uncertain, with links to settle them. */
export function OpenCharges({ totals, axis, org }: OpenChargesProps) {
  const unknown = totals.reduce((sum, total) => sum + total.unknown, 0);
  const unpriced = totals.reduce((sum, total) => sum + total.unpriced, 0);
  const open = totals.filter((total) => total.unknown > 0 && total.currency !== null);
  if (unknown === 0 && unpriced === 0) return null;
  return (
    <div class="stack">
      {unknown > 0 && (
        <p class="money-notice">
          <Shape of="unknown" /> {unknown === 1 ? "One charge is unknown" : `${unknown} charges are unknown`}
          {open.map(({ currency, amount_unknown: amount }, at) => (
            <span key={currency}>
              {at === 0 ? ", up to " : " and "}
              <Amount amount={amount} currency={currency} />
            </span>
          ))}
          . The sums are ranges until {unknown === 1 ? "it is" : "they are"} settled.{" "}
          <a href={hrefOf("/money/unknown", { from: isoOf(axis.starts[0]), to: isoOf(axis.to), org })}>
            Settle unknown charges
          </a>
        </p>
      )}
      {unpriced > 0 && (
        <p class="money-notice">
          <Shape of="unknown" />{" "}
          {unpriced === 1
            ? "One charged or possibly charged request has"
            : `${unpriced} charged or possibly charged requests have`}{" "}
          no price, and {unpriced === 1 ? "is" : "are"} not included in any sum.{" "}
          <a href={hrefOf("/money/prices", { org })}>Set prices</a>
        </p>
      )}
    </div>
  );
}

function isoOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
