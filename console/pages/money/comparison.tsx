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

/** What an invoice and the ledger do not agree on comes first, and then the sums of both. */
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
        <Count of={lines} /> lines were read, and <Count of={equal} /> {equal === 1 ? "is" : "are"} the same on both
        sides.
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
            { title: "Could not be read", show: ({ problem }) => problem },
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

/** How a difference looks, and what can be done about it. */
const KINDS: Readonly<Record<Difference["difference"], readonly [OutcomeKind, string]>> = {
  "ours only": ["no_record", "The vendor does not bill it: nothing is owed. It may be on the next invoice."],
  "theirs only": ["failed", "The vendor bills what was not sent, or was not charged: dispute it."],
  differs: ["failed", "Both have it, with different amounts or counts: ask the vendor, or settle what was billed."],
  "billed twice": ["failed", "The invoice has equal lines for it, and one of them would be right: dispute the others."],
  "unknown charge": ["unknown", "The invoice answers what the ledger did not know: settle the charge."],
  "unknown, not billed": [
    "unknown",
    "The ledger does not know if it was charged, and the invoice does not have it: settle it as not charged.",
  ],
  "no order": ["unknown", "The vendor gave no number of an order: compare by transaction or day."],
  "no price": ["unknown", "The ledger has no price to compare with: set one, and settle what was billed."],
};

function columnsOf(about: ComparedWith): readonly Column<Difference>[] {
  return [
    { title: "Difference", show: ({ difference }) => <Outcome kind={KINDS[difference][0]} says={difference} /> },
    {
      title: "About",
      show: (one) =>
        (one.day ? <span class="time">{one.day}</span> : keyOf(one)) || <span class="dim">nothing that it names</span>,
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

/** Of an invoice with amounts and quantities, for how many requests they are. */
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

/** Amounts come as text, and counts as numbers. */
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
