import { hrefOf } from "../../address.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { Amount, grouped } from "../../parts/amount.tsx";
import { Outcome, type OutcomeKind } from "../../parts/outcome.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Count } from "../../parts/values.tsx";
import { type ComparedWith, runsOfDifference } from "./runs-of-difference.ts";

type Compared = ResultOf<"ledger compare">;
type Difference = Compared["differences"][number];

interface ComparisonProps {
  readonly of: Compared;
  readonly month: string;
  readonly about: { readonly org?: string | undefined; readonly source?: string | undefined };
}

/** The result of a comparison: first the differences between invoice and ledger, then the sums of both. */
export function Comparison({
  of: { differences, bad_rows: bad, equal, lines, totals },
  month,
  about,
}: ComparisonProps) {
  return (
    <div class="stack" aria-live="polite">
      <p>
        <strong>
          {differences.length === 0 ? (
            "The invoice and the ledger agree."
          ) : (
            <>
              <Count of={differences.length} /> {differences.length === 1 ? "difference" : "differences"}.
            </>
          )}
        </strong>{" "}
        <Count of={lines} /> lines were read. <Count of={equal} /> {equal === 1 ? "is" : "are"} equal on both sides.
      </p>
      {differences.length > 0 && (
        <Table
          caption="Differences"
          columns={columnsOf({ ...about, month })}
          rows={differences}
          keyOf={(one) => `${keyOf(one)} ${one.currency ?? ""}`}
        />
      )}
      {bad.length > 0 && (
        <Table
          caption="Lines that could not be read"
          columns={[
            { title: "Line", show: ({ line }) => <Count of={line} /> },
            { title: "Problem", show: ({ problem }) => problem },
          ]}
          rows={bad}
          keyOf={({ line }) => String(line)}
        />
      )}
      {totals.length > 0 && (
        <Table
          caption="Sums"
          columns={[
            {
              title: "Sum of the ledger",
              show: ({ ours, ours_at_most: atMost, currency }) => (
                <Amount amount={ours} atMost={atMost} currency={currency} />
              ),
            },
            {
              title: "Sum of the invoice",
              show: ({ theirs, currency }) => <Amount amount={theirs} currency={currency} />,
            },
          ]}
          rows={totals}
          keyOf={({ currency }) => currency}
        />
      )}
    </div>
  );
}

/** The appearance of each kind of difference, and what to do about it. */
const KINDS: Readonly<Record<Difference["difference"], readonly [OutcomeKind, string]>> = {
  "ours only": ["no_record", "The vendor did not bill it, so nothing is owed. It may be on the next invoice."],
  "theirs only": ["failed", "The vendor bills a request that was not sent or not charged. Dispute it."],
  differs: ["failed", "Amounts or counts differ. Ask the vendor, or settle the billed charges."],
  "billed twice": ["failed", "The invoice has it more than once. One line is right. Dispute the others."],
  "unknown charge": ["unknown", "The charge is unknown in the ledger, and the invoice has it. Settle it as charged."],
  "unknown, not billed": [
    "unknown",
    "The charge is unknown in the ledger, and the invoice does not have it. Settle it as not charged.",
  ],
  "no order": ["unknown", "The vendor gave no order number. Compare by transaction or day."],
  "no price": ["unknown", "The ledger has no price for it. Set a price, and settle the billed charges."],
};

function columnsOf(about: ComparedWith): readonly Column<Difference>[] {
  return [
    { title: "Difference", show: ({ difference }) => <Outcome kind={KINDS[difference][0]} says={difference} /> },
    {
      title: "Key",
      show: (one) => (one.day ? <span class="time">{one.day}</span> : keyOf(one)) || <span class="dim">none</span>,
    },
    {
      title: "Ledger",
      isNumber: true,
      show: (one) => (
        <>
          <Sum from={one.ours} to={one.ours_at_most} currency={one.currency} />
          <Requests from={one.our_requests} to={one.our_requests_at_most} />
        </>
      ),
    },
    {
      title: "Invoice",
      isNumber: true,
      show: (one) => (
        <>
          <Sum from={one.theirs} to={one.theirs} currency={one.currency} />
          <Requests from={one.their_requests} to={one.their_requests} />
        </>
      ),
    },
    { title: "Lines", show: ({ lines }) => lines || <span class="dim">none</span> },
    { title: "What to do", show: ({ difference }) => KINDS[difference][1] },
    { title: "Runs", show: (one) => <Runs of={one} about={about} /> },
  ];
}

/** The number of requests. Only for invoices with both amounts and quantities. */
function Requests({ from, to }: { readonly from: number | undefined; readonly to: number | undefined }) {
  if (from === undefined || to === undefined) return null;
  return (
    <span class="dim money-below">
      {from === to ? grouped(String(from)) : `${grouped(String(from))} to ${grouped(String(to))}`}{" "}
      {to === 1 ? "request" : "requests"}
    </span>
  );
}

function keyOf({ order, transaction, day }: Difference): string {
  return order ?? transaction ?? day ?? "";
}

/** Amounts are texts, counts are numbers. */
function Sum({
  from,
  to,
  currency,
}: {
  readonly from: string | number | null;
  readonly to: string | number | null;
  readonly currency: string | null | undefined;
}) {
  if (from === null) return <span class="dim">–</span>;
  if (currency) return <Amount amount={String(from)} atMost={String(to)} currency={currency} />;
  return <>{from === to ? grouped(String(from)) : `${grouped(String(from))} to ${grouped(String(to))}`}</>;
}

function Runs({ of, about }: { readonly of: Difference; readonly about: ComparedWith }) {
  return (
    <>
      {runsOfDifference(of, about).map(({ label, path, query }) => (
        <div key={label}>
          <a href={hrefOf(path, query)}>{label}</a>
        </div>
      ))}
    </>
  );
}
