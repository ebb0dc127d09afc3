import { Outcome } from "./outcome.tsx";
import { Count } from "./values.tsx";

interface EndedProps {
  readonly kind: "found" | "no_record" | "failed" | "unknown" | "off";
  readonly count: number;
  readonly of: number;
}

/** How many ended so, with their share, and their shape only if there is any. */
export function Ended({ kind, count, of }: EndedProps) {
  if (count === 0) return <Count of={0} />;
  return <Outcome kind={kind} says={`${count.toLocaleString("en-GB")} (${Math.round((100 * count) / of)} %)`} />;
}

/** Those that failed, among others. */
export function FailedCount({ of }: { readonly of: number }) {
  return of === 0 ? <Count of={0} /> : <Outcome kind="failed" says={of.toLocaleString("en-GB")} />;
}

interface CountedProps {
  readonly count: number;
  readonly complete: boolean;
  readonly from: string;
}

/** Only the newest are looked at, so of what is busy they are fewer than the day had. */
export function CountedOfDay({ count, complete, from }: CountedProps) {
  if (complete) return <Count of={count} />;
  return (
    <span title={`Those since ${from}. The day had more.`}>
      the last <Count of={count} />
    </span>
  );
}

/** With which faults the others ended, and how often. */
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
