import { counted } from "./counted.ts";
import type { Rate } from "./rate.ts";
import type { ReportedAgreement, ReportedCost, ReportedOrder } from "./make-report.ts";

/** A field with what its values are compared as, such as `legal_name (company)`. */
export function fieldWords({ field, compared_as: as }: ReportedAgreement): string {
  return as === "text" ? field : `${field} (${as})`;
}

/** A share with its interval, such as `62.0 % (58.9–65.0)`. */
export function rateWords({ share, low, high }: Rate): string {
  return share === null ? "-" : `${percent(share)} % (${percent(low!)}–${percent(high!)})`;
}

export function percent(share: number): string {
  return (100 * share).toFixed(1);
}

/** Two amounts if some charges are not known. */
export function costWords({ least, most, currency }: ReportedCost): string {
  return least === most ? `${most} ${currency}` : `${least}–${most} ${currency}`;
}

export function orderCostWords({ costs, calls_without_price: without }: ReportedOrder): string {
  const sums = costs.map(({ most, currency }) => `${most} ${currency}`);
  return [
    ...(sums.length === 0 ? ["nothing"] : sums),
    ...(without === 0 ? [] : [`${counted(without, "call")} without a price`]),
  ].join(" + ");
}

/** Each source with the rows that it adds, such as `acme__people 612, bell__phone +81`. */
export function stepWords({ steps }: ReportedOrder): string {
  return steps.map(({ source, found }, at) => `${source} ${at === 0 ? "" : "+"}${found}`).join(", ");
}
