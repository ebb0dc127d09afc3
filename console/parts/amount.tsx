import "./amount.css";

interface AmountProps {
  /** Decimal text as the service sends it; `null` if there is no price. */
  readonly amount: string | null;
  /** The upper bound, if some charges are unknown. */
  readonly atMost?: string | null;
  readonly currency: string | null;
}

/** An amount of money, or a range if charges are unknown. All digits are shown. */
export function Amount({ amount, atMost = amount, currency }: AmountProps) {
  if (amount === null || currency === null) return <span class="dim">no price</span>;
  if (atMost === null || atMost === amount)
    return (
      <span class="amount">
        {grouped(amount)} {currency}
      </span>
    );
  return (
    <span class="amount amount-range" title="Some charges are unknown, so the true amount lies between the two.">
      {grouped(amount)} <span class="dim">to</span> {grouped(atMost)} {currency}
    </span>
  );
}

/** Adds separators: 1234567.80 becomes 1,234,567.80. */
export function grouped(amount: string): string {
  const [units = "", decimals] = amount.split(".");
  const inThousands = units.replaceAll(/\B(?=(\d{3})+$)/g, ",");
  return decimals === undefined ? inThousands : `${inThousands}.${decimals}`;
}
