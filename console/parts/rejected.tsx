import { Outcome } from "./outcome.tsx";
import { Time } from "./values.tsx";

interface RejectedProps {
  /** Two fields of a budget. */
  readonly of: { readonly rejected_calls: number | null; readonly rejects_since: string | null };
}

/** The service stops counting at this number. */
const COUNTED_MAX = 1_000;

/** How many calls a budget has rejected, and since when. Renders nothing if there are none. */
export function Rejected({ of: { rejected_calls: calls, rejects_since: since } }: RejectedProps) {
  if (calls === null || since === null) return null;
  const count =
    calls >= COUNTED_MAX
      ? `${COUNTED_MAX.toLocaleString("en-GB")} calls or more`
      : calls === 1
        ? "1 call"
        : `${calls} calls`;
  return (
    <div>
      <Outcome kind="failed" says={`has rejected ${count}`} />{" "}
      <span class="dim">
        since <Time at={since} />
      </span>
    </div>
  );
}
