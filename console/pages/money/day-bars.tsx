import type { RowOf } from "../../api/verb-types.ts";
import { grouped } from "../../parts/amount.tsx";
import { largestOf, thousandths } from "../../parts/micros.ts";
import { daysOf } from "./month.ts";

type Line = RowOf<"ledger spend", "spend">;

/** A bar chart of the days of a month for each currency. The table by day has the same numbers. */
export function DayBars({ month, lines }: { readonly month: string; readonly lines: readonly Line[] }) {
  const days = daysOf(month);
  const ofCurrency = Map.groupBy(
    lines.filter(({ currency }) => currency !== null),
    ({ currency }) => currency!,
  );
  return (
    <>
      {[...ofCurrency].map(([currency, own]) => {
        const most = largestOf(own.map(({ amount_at_most: amount }) => amount!));
        const label = `${currency} by day, at most ${grouped(most)} ${currency} on one day`;
        return (
          <figure key={currency} class="money-figure">
            <figcaption class="dim">{label}</figcaption>
            <svg
              class="money-days"
              viewBox={`0 0 ${days.length * 10} 1000`}
              preserveAspectRatio="none"
              aria-hidden="true"
            >
              {days.map((day, at) => {
                const line = own.find((one) => one.day === day);
                if (line === undefined) return null;
                const [known, open] = [thousandths(line.amount!, most), thousandths(line.amount_at_most!, most)];
                return (
                  <g key={day}>
                    <title>{`${day}: ${line.amount === line.amount_at_most ? line.amount : `${line.amount} to ${line.amount_at_most}`} ${currency}`}</title>
                    {open > known && (
                      <rect class="share-open" x={at * 10 + 1} width="8" y={1_000 - open} height={open - known} />
                    )}
                    {known > 0 && (
                      <rect class="share-known" x={at * 10 + 1} width="8" y={1_000 - known} height={known} />
                    )}
                  </g>
                );
              })}
            </svg>
            <p class="money-days-scale" aria-hidden="true">
              <span>{days[0]}</span>
              <span>{days.at(-1)}</span>
            </p>
          </figure>
        );
      })}
    </>
  );
}
