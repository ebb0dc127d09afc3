import { CredentialLink } from "../../parts/credential-link.tsx";
import { ObjectLink } from "../../parts/object-link.tsx";
import { Outcome, Shape } from "../../parts/outcome.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { type Call, costSentences, contractText, priceText, ruleText, type Shown } from "./run-words.ts";

/** The cost of a run: its charges, the credentials that paid, and why these were chosen. */
export function RunCost({ of }: { readonly of: Shown }) {
  const billable = of.run?.simulated === 1 ? [] : of.calls.filter(({ charged }) => charged !== "no");
  const isCertain = billable.every(({ charged }) => charged === "yes");
  return (
    <div class="one-run-cost">
      <p class="one-run-verdict">
        {billable.length > 0 && <Shape of={isCertain ? "found" : "unknown"} />} {costSentences(of).join(" ")}
      </p>
      {billable.length > 0 && (
        <Table caption="Charges" columns={columnsOf(of)} rows={billable} keyOf={({ ordinal }) => String(ordinal)} />
      )}
    </div>
  );
}

function columnsOf({ run, attempts }: Shown): readonly Column<Call>[] {
  const org = run!.organization_id;
  return [
    { title: "Source", isName: true, show: ({ source }) => <ObjectLink id={source} /> },
    {
      title: "Charged",
      show: ({ charged }) =>
        charged === "yes" ? <Outcome kind="found" says="yes" /> : <Outcome kind="unknown" says="unknown" />,
    },
    { title: "Cost", show: (call) => costOf(call, attempts), isNumber: true },
    {
      title: "Paid by",
      show: (call) => <Contract of={call} org={org} />,
    },
  ];
}

function costOf(call: Call, attempts: Shown["attempts"]): string {
  const own = attempts.filter(({ ordinal, charged }) => ordinal === call.ordinal && charged !== "no");
  return own.length === 0 ? "unknown" : own.map(priceText).join(" + ");
}

function Contract({ of, org }: { readonly of: Call; readonly org: string }) {
  const { credential_id: id, credential_name: name, credential_rule: rule } = of;
  return (
    <>
      {id === null ? contractText(rule) : <CredentialLink id={id} org={org} name={name} />}
      <div class="dim">{ruleText(rule)}</div>
    </>
  );
}
