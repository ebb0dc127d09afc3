import { Outcome } from "./outcome.tsx";
import { Count } from "./values.tsx";

interface EndedProps {
  readonly kind: "found" | "no_record" | "failed" | "unknown" | "off";
  readonly count: number;
  readonly of: number;
}

/** Count and share of one outcome. A count of zero has no shape. */
export function Ended({ kind, count, of }: EndedProps) {
  if (count === 0) return <Count of={0} />;
  return <Outcome kind={kind} says={`${count.toLocaleString("en-GB")} (${Math.round((100 * count) / of)} %)`} />;
}

/** The number of failed entries. */
export function FailedCount({ of }: { readonly of: number }) {
  return of === 0 ? <Count of={0} /> : <Outcome kind="failed" says={of.toLocaleString("en-GB")} />;
}

/** The faults of the failed entries, and how often each occurred. */
export function Faults({ of }: { readonly of: Readonly<Record<string, number>> }) {
  return (
    <ul>
      {Object.entries(of).map(([code, count]) => (
        <li key={code}>
          <Count of={count} /> <code>{code}</code>
        </li>
      ))}
    </ul>
  );
}
