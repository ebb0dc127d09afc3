import { useState } from "preact/hooks";
import { address, hrefOf, setQuery } from "../../address.ts";
import { useList } from "../../api/use-list.ts";
import { useTogether } from "../../api/use-together.ts";
import type { InputOf, ResultOf, RowOf } from "../../api/verb-types.ts";
import { Amount } from "../../parts/amount.tsx";
import { commandOf } from "../../parts/command-of.ts";
import { Empty } from "../../parts/empty.tsx";
import { List } from "../../parts/list.tsx";
import { ObjectLink } from "../../parts/object-link.tsx";
import { Section } from "../../parts/page.tsx";
import type { Column } from "../../parts/table.tsx";
import { Count } from "../../parts/values.tsx";
import { Comparison } from "./comparison.tsx";
import { InvoiceForm } from "./invoice-form.tsx";
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
  const list = useList("ledger summary", { month, ...inZone, limit: 1_000, ...(org && { org }) }, "charges");
  const isWhole = useTogether(list.rows ?? list.error);
  // Charges of the previously chosen organization would be wrong.
  const rows = list.isCurrent ? list.rows : undefined;
  const about = { ...inZone, ...(org && { org }), ...(source && { source }), ...(credential && { credential }) };
  return (
    <MoneyPage
      title="Invoices"
      about="Charges in the ledger for one month, and their comparison with a vendor's invoice. The invoice is not stored."
    >
      <MonthChoice />
      <form class="filter" onSubmit={(event) => event.preventDefault()}>
        <OrganizationField
          value={org}
          none="All"
          onValue={(value) => setQuery({ org: value, credential: null }, { remember: true })}
        />
      </form>
      <Section title={`Charges in ${monthText(month)}`}>
        <List
          caption="Charges by source and credential"
          columns={columnsOf(month, query.get("zone"))}
          keyOf={(one) => [one.source, one.organization_tuid, one.cred_id, one.credential, one.currency].join(" ")}
          empty={
            <Empty
              title={`Nothing was sent to a vendor in ${monthText(month)}${org === "" ? "" : " for this organization"}.`}
              command={commandOf(`ledger summary ${month}`, { ...inZone, ...(org !== "" && { org }) })}
            />
          }
          {...list}
          rows={rows}
        />
      </Section>
      {isWhole && (
        <Section title={source === "" ? "Compare an invoice" : `Compare an invoice for ${source}`}>
          {source !== "" && (
            <p>
              <a href={hrefOf("/money/invoice", { month, zone: query.get("zone"), org })}>
                Compare with all sources instead
              </a>
            </p>
          )}
          <Compare key={JSON.stringify({ month, ...about })} month={month} about={about} />
        </Section>
      )}
    </MoneyPage>
  );
}

interface CompareProps {
  readonly month: string;
  readonly about: Pick<InputOf<"ledger compare">, "time_zone" | "org" | "source" | "credential">;
}

/** The comparison of one month, source and credential. The form and the result are reset when any of them changes. */
function Compare({ month, about }: CompareProps) {
  const [compared, setCompared] = useState<ResultOf<"ledger compare">>();
  return (
    <>
      <InvoiceForm span={spanOfMonth(month)} about={about} onCompared={setCompared} />
      {compared && <Comparison of={compared} month={month} about={about} />}
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
          <ObjectLink id={id} org={org} />
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
