import { useState } from "preact/hooks";
import { address, hrefOf, setQuery } from "../../address.ts";
import { useList } from "../../api/use-list.ts";
import { useTogether } from "../../api/use-together.ts";
import type { InputOf, ResultOf, RowOf } from "../../api/verb-types.ts";
import { Amount } from "../../parts/amount.tsx";
import { commandOf } from "../../parts/command-of.ts";
import { CredentialLink } from "../../parts/credential-link.tsx";
import { Empty } from "../../parts/empty.tsx";
import { List } from "../../parts/list.tsx";
import { ObjectLink } from "../../parts/object-link.tsx";
import { Section } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Count } from "../../parts/values.tsx";
import { Comparison } from "./comparison.tsx";
import { type ComparedInvoice, InvoiceForm } from "./invoice-form.tsx";
import { MoneyPage, MonthChoice } from "./money-head.tsx";
import { monthOf, monthText, spanOfMonth, zoneOf } from "./month.ts";
import { OrganizationField } from "../../parts/organization-field.tsx";

type Charge = RowOf<"ledger summary", "charges">;

/** The charges of one month in the ledger, and their comparison with a vendor's invoice. */
export function InvoicePage() {
  const { query } = address();
  const month = monthOf(query.get("month"));
  const [org, source, credential] = [query.get("org") ?? "", query.get("source") ?? "", query.get("credential") ?? ""];
  const zone = zoneOf(query);
  const inZone = zone === "UTC" ? {} : { time_zone: zone };
  const vendor = query.get("vendor") ?? "";
  const filter = { ...inZone, ...(org && { org }), ...(vendor && { vendor }) };
  const list = useList("ledger summary", { month, ...filter, limit: 100 }, "charges");
  const isWhole = useTogether(list.rows ?? list.error);
  // Charges of the previously chosen organization would be wrong.
  const rows = list.isCurrent ? list.rows : undefined;
  const about = { ...inZone, ...(org && { org }), ...(source && { source }), ...(credential && { credential }) };
  return (
    <MoneyPage
      title="Invoices"
      about="Charges in the ledger for one month, and their comparison with a vendor's invoice. The invoice is not stored."
    >
      <MonthChoice>
        <OrganizationField
          value={org}
          none="All"
          onValue={(value) => setQuery({ org: value, credential: null }, { remember: true })}
        />
      </MonthChoice>
      {isWhole && rows !== undefined && list.results[0] !== undefined && (
        <VendorTotals
          vendors={list.results[0].vendors}
          chosen={vendor}
          hrefOfOne={(one) =>
            hrefOf("/money/invoice", { month, zone: query.get("zone"), org, vendor: one === vendor ? null : one })
          }
        />
      )}
      {isWhole && (
        <Section title={`Charges in ${monthText(month)}${vendor === "" ? "" : ` of ${vendor}`}`}>
          <List
            caption="Charges by source and credential"
            columns={columnsOf(month, query.get("zone"))}
            keyOf={(one) => [one.source, one.organization_tuid, one.cred_id, one.credential, one.currency].join(" ")}
            empty={
              <Empty
                title={`Nothing was sent to a vendor in ${monthText(month)}${org === "" ? "" : " for this organization"}.`}
                command={commandOf(`ledger summary ${month}`, filter)}
              />
            }
            {...list}
            rows={rows}
          />
        </Section>
      )}
      {isWhole && (
        <Section title={source === "" ? "Compare an invoice" : `Compare an invoice for ${source}`}>
          {source !== "" && (
            <p>
              <a href={hrefOf("/money/invoice", { month, zone: query.get("zone"), org })}>
                Compare with all sources instead
              </a>
            </p>
          )}
          <Compare key={JSON.stringify({ month, ...about })} month={month} about={about} onSettled={list.reload} />
        </Section>
      )}
    </MoneyPage>
  );
}

interface VendorTotalsProps {
  readonly vendors: ResultOf<"ledger summary">["vendors"];
  /** The vendor in the address, or an empty text. */
  readonly chosen: string;
  readonly hrefOfOne: (vendor: string) => string;
}

/** What each vendor should bill in all: vendors send one invoice for all of their sources. */
function VendorTotals({ vendors, chosen, hrefOfOne }: VendorTotalsProps) {
  if (vendors.length === 0) return null;
  return (
    <Section title={chosen === "" ? "By vendor" : "Vendor"}>
      <Table
        caption="Charges by vendor"
        columns={[
          {
            title: "Vendor",
            isName: true,
            show: ({ vendor }) => (
              <>
                <a href={hrefOfOne(vendor)}>{vendor}</a>{" "}
                {vendor === chosen && <span class="dim">(all vendors again)</span>}
              </>
            ),
          },
          {
            title: "Amount",
            isNumber: true,
            show: ({ amount, amount_at_most: atMost, currency, unpriced }) =>
              currency === null && unpriced === 0 ? (
                <span class="dim">nothing</span>
              ) : (
                <Amount amount={amount} atMost={atMost} currency={currency} />
              ),
          },
          { title: "Requests", isNumber: true, show: ({ requests }) => <Count of={requests} /> },
          { title: "Unknown", isNumber: true, show: ({ unknown }) => <Count of={unknown} /> },
          { title: "Without price", isNumber: true, show: ({ unpriced }) => <Count of={unpriced} /> },
        ]}
        rows={vendors}
        keyOf={({ vendor, currency }) => `${vendor} ${currency ?? ""}`}
      />
    </Section>
  );
}

interface CompareProps {
  readonly month: string;
  readonly about: Pick<InputOf<"ledger compare">, "time_zone" | "org" | "source" | "credential">;
  readonly onSettled: () => void;
}

/** The comparison of one month, source and credential. The form and the result are reset when any of them changes. */
function Compare({ month, about, onSettled }: CompareProps) {
  const [compared, setCompared] = useState<ComparedInvoice>();
  return (
    <>
      <InvoiceForm span={spanOfMonth(month)} about={about} onCompared={setCompared} />
      {compared && (
        <Comparison
          of={compared.result}
          month={month}
          about={about}
          input={compared.input}
          onSettled={() => {
            setCompared(undefined);
            onSettled();
          }}
        />
      )}
    </>
  );
}

function PaidBy({ charge }: { readonly charge: Charge }) {
  const { organization_tuid: org, organization, cred_id: id, credential } = charge;
  return (
    <>
      {org && <ObjectLink id={org} name={organization} />}
      {id ? (
        <div>
          <CredentialLink id={id} org={org} name={charge.cred_name} />
        </div>
      ) : (
        <div class="dim">{NOT_STORED[credential] ?? credential}</div>
      )}
    </>
  );
}

const NOT_STORED: Readonly<Record<string, string>> = {
  inline: "an inline credential",
  none: "no credential",
};

function columnsOf(month: string, zone: string | null): readonly Column<Charge>[] {
  const compare = ({ source, organization_tuid: org, cred_id: credential }: Charge) =>
    hrefOf("/money/invoice", { month, zone, org, source, credential });
  return [
    { title: "Source", isName: true, show: ({ source }) => <ObjectLink id={source} /> },
    { title: "Paid by", show: (charge) => <PaidBy charge={charge} /> },
    {
      title: "Amount",
      isNumber: true,
      show: (one) =>
        one.currency === null && one.unpriced === 0 ? (
          <span class="dim">nothing</span>
        ) : (
          <Amount amount={one.amount} atMost={one.amount_at_most} currency={one.currency} />
        ),
    },
    { title: "Requests", isNumber: true, show: ({ requests }) => <Count of={requests} /> },
    { title: "Charged", isNumber: true, show: ({ charged }) => <Count of={charged} /> },
    { title: "Unknown", isNumber: true, show: ({ unknown }) => <Count of={unknown} /> },
    { title: "Live tests", isNumber: true, show: ({ live_tests: tests }) => <Count of={tests} /> },
    {
      title: "Invoice",
      show: (one) => (
        <a href={compare(one)}>
          Compare<span class="visually-hidden"> with an invoice for {one.source}</span>
        </a>
      ),
    },
  ];
}
