import { useState } from "preact/hooks";
import { hrefOf } from "../../address.ts";
import { save } from "../../api/download.ts";
import type { InputOf, ResultOf } from "../../api/verb-types.ts";
import { Amount, grouped } from "../../parts/amount.tsx";
import { Button } from "../../parts/button.tsx";
import { csvOf } from "../../parts/csv.ts";
import { Fact, FactList } from "../../parts/facts.tsx";
import { toMicros } from "../../parts/micros.ts";
import { Outcome, type OutcomeKind } from "../../parts/outcome.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Count } from "../../parts/values.tsx";
import { mayUse } from "../../session.ts";
import { type ComparedWith, runsOfDifference } from "./runs-of-difference.ts";
import { ofInvoice, SettleMany } from "./settle-many.tsx";

type Compared = ResultOf<"ledger compare">;
type Difference = Compared["differences"][number];

interface ComparisonProps {
  readonly of: Compared;
  readonly month: string;
  readonly about: { readonly org?: string | undefined; readonly source?: string | undefined };
  /** What was compared, to settle by it. */
  readonly input: InputOf<"ledger compare">;
  readonly onSettled: () => void;
}

/** The result of a comparison: first both sums and the amount in dispute, then the differences by kind. */
export function Comparison({ of: compared, month, about, input, onSettled }: ComparisonProps) {
  const { differences, bad_rows: bad, equal, lines, totals } = compared;
  const byKind = Map.groupBy(differences, ({ difference }) => difference);
  const kinds = KIND_NAMES.filter((kind) => byKind.has(kind));
  const [isSettling, setSettling] = useState(false);
  const canSettle = mayUse("ledger settle") && bad.length === 0 && differences.some(isUnknown);
  return (
    <div class="stack" aria-live="polite">
      {totals.map((total) => (
        <InDispute key={total.currency} of={total} />
      ))}
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
        <div class="beside">
          <Button onClick={() => save(new Blob([csvOfDifferences(compared)], { type: "text/csv" }), "differences.csv")}>
            Save as CSV
          </Button>
          {canSettle && <Button onClick={() => setSettling(true)}>Settle as the invoice says</Button>}
        </div>
      )}
      {isSettling && (
        <SettleMany
          title="Settle unknown charges as the invoice says"
          isChosen={false}
          {...ofInvoice(input)}
          onClose={() => setSettling(false)}
          onDone={() => {
            setSettling(false);
            onSettled();
          }}
        />
      )}
      {kinds.map((kind) => (
        <section key={kind} class="stack-tight">
          <h3>
            <Outcome kind={KINDS[kind][0]} says={kind} /> <Count of={byKind.get(kind)!.length} />
            {compared.kinds
              .filter(({ difference, theirs }) => difference === kind && theirs !== null)
              .map(({ currency, ours, ours_at_most: atMost, theirs }) => (
                <span key={currency} class="dim money-kind">
                  ledger <Amount amount={ours} atMost={atMost} currency={currency} />, invoice{" "}
                  <Amount amount={theirs} currency={currency} />
                </span>
              ))}
          </h3>
          <p>{KINDS[kind][1]}</p>
          <Table
            caption={`Differences: ${kind}`}
            columns={columnsOf({ ...about, month })}
            rows={byKind.get(kind)!}
            keyOf={(one) => `${keyOf(one)} ${one.currency ?? ""}`}
          />
        </section>
      ))}
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
    </div>
  );
}

/** Whether the ledger has a range, because a charge is unknown. */
function isUnknown({ ours, ours_at_most: atMost }: Difference): boolean {
  return ours !== atMost;
}

/** Both sums, and what the invoice has too much. */
function InDispute({ of }: { readonly of: Compared["totals"][number] }) {
  const { ours, ours_at_most: atMost, theirs, disputed, not_billed: notBilled, currency } = of;
  return (
    <FactList isShort>
      <Fact title="Sum of the ledger">
        <Amount amount={ours} atMost={atMost} currency={currency} />
      </Fact>
      <Fact title="Sum of the invoice">
        <Amount amount={theirs} currency={currency} />
      </Fact>
      <Fact title="In dispute">
        {toMicros(disputed) === 0n ? (
          "nothing"
        ) : (
          <strong>
            <Amount amount={disputed} currency={currency} />
          </strong>
        )}
      </Fact>
      {toMicros(notBilled) > 0n && (
        <Fact title="Charged, not on the invoice">
          <Amount amount={notBilled} currency={currency} />
        </Fact>
      )}
    </FactList>
  );
}

/** The differences as a file for the vendor. */
function csvOfDifferences({ differences }: Pick<Compared, "differences">): string {
  const head = ["difference", "order", "transaction", "day", "invoice_lines", "currency"];
  const sums = ["ledger", "ledger_at_most", "invoice"];
  const requests = ["ledger_requests", "ledger_requests_at_most", "invoice_requests"];
  return csvOf([
    [...head, ...sums, ...requests, "runs"],
    ...differences.map((one) => [
      one.difference,
      one.order ?? null,
      one.transaction ?? null,
      one.day ?? null,
      one.lines,
      one.currency ?? null,
      one.ours,
      one.ours_at_most,
      one.theirs,
      one.our_requests ?? null,
      one.our_requests_at_most ?? null,
      one.their_requests ?? null,
      (one.runs ?? []).join(" "),
    ]),
  ]);
}

/**
 * The appearance of each kind of difference, and what to do about it. What needs nothing comes last: of an invoice that
 * comes before the end of its month, these are most.
 */
const KINDS: Readonly<Record<Difference["difference"], readonly [OutcomeKind, string]>> = {
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
  "ours only": ["no_record", "The vendor did not bill it, so nothing is owed. It may be on the next invoice."],
};

const KIND_NAMES = Object.keys(KINDS) as Difference["difference"][];

function columnsOf(about: ComparedWith): readonly Column<Difference>[] {
  return [
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
