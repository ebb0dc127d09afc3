import { useState } from "preact/hooks";
import { address, currentZone, setQuery } from "../../address.ts";
import { useList } from "../../api/use-list.ts";
import { useVerb } from "../../api/use-verb.ts";
import type { RowOf } from "../../api/verb-types.ts";
import { Amount } from "../../parts/amount.tsx";
import { Button } from "../../parts/button.tsx";
import { commandOf } from "../../parts/command-of.ts";
import { CredentialLink } from "../../parts/credential-link.tsx";
import { Empty } from "../../parts/empty.tsx";
import { CheckField, SelectField } from "../../parts/fields.tsx";
import { List } from "../../parts/list.tsx";
import { hrefOfObject, ObjectLink } from "../../parts/object-link.tsx";
import { OrganizationField } from "../../parts/organization-field.tsx";
import { ShortId } from "../../parts/short-id.tsx";
import type { Column } from "../../parts/table.tsx";
import { TimeRangeControl, useTimeRange } from "../../parts/time-range.tsx";
import { Time } from "../../parts/values.tsx";
import { mayUse } from "../../session.ts";
import { FAULTS } from "../runs/fault-words.ts";
import { MoneyPage } from "./money-head.tsx";
import { ofCharges, ofFilter, SettleMany } from "./settle-many.tsx";

type Charge = RowOf<"ledger unknown", "requests">;

/** The unknown charges, to settle many at once. */
export function UnknownPage() {
  const { query } = address();
  const range = useTimeRange(null);
  const zone = currentZone();
  const [org, source, credential] = [query.get("org") ?? "", query.get("source") ?? "", query.get("credential") ?? ""];
  const span = range === null ? {} : { from: range.from, to: range.to };
  const filter = {
    ...span,
    ...(zone !== "UTC" && range !== null && { time_zone: zone }),
    ...(org && { org }),
    ...(source && { source }),
    ...(credential && { credential }),
  };
  const list = useList("ledger unknown", filter, "requests");
  const sources = useVerb("source list", {}).result?.sources.map(({ source: id }) => id) ?? [];
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [settling, setSettling] = useState<"chosen" | "all">();
  const rows = list.isCurrent ? list.rows : undefined;
  // Only what is shown can be chosen.
  const names = (rows ?? []).map(({ charge }) => charge).filter((charge) => chosen.has(charge));
  const isAll = rows !== undefined && rows.length > 0 && names.length === rows.length;
  const mayChoose = mayUse("ledger settle-unknown");
  const canSettleAll = source !== "" && range !== null && (rows?.length ?? 0) > 0;
  const toggle = (ids: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const id of ids) {
      if (isChosen) next.add(id);
      else next.delete(id);
    }
    setChosen(next);
  };
  return (
    <MoneyPage
      title="Unknown charges"
      about="Requests of which it is unknown whether the vendor charged them, such as after a lost connection. Settle them by what the vendor or its invoice says."
    >
      <TimeRangeControl range={range} any="All time" />
      <form class="filter" onSubmit={(event) => event.preventDefault()}>
        <SelectField
          label="Source"
          value={source}
          choices={[
            { value: "", label: "All" },
            ...[...new Set([...(source === "" ? [] : [source]), ...sources])].map((id) => ({ value: id, label: id })),
          ]}
          onValue={(value) => setQuery({ source: value || null }, { remember: true })}
        />
        <OrganizationField
          value={org}
          none="All"
          onValue={(value) => setQuery({ org: value || null, credential: null }, { remember: true })}
        />
      </form>
      {mayChoose && (
        <div class="money-settle beside">
          {rows !== undefined && rows.length > 0 && (
            <CheckField
              label={list.more === null ? `All ${rows.length}` : `All ${rows.length} shown`}
              checked={isAll}
              onChecked={(checked) =>
                toggle(
                  rows.map(({ charge }) => charge),
                  checked,
                )
              }
            />
          )}
          <Button kind="primary" disabled={names.length === 0} onClick={() => setSettling("chosen")}>
            {names.length === 0 ? "Settle selected" : `Settle ${names.length} selected`}
          </Button>
          {canSettleAll ? (
            <Button onClick={() => setSettling("all")}>{`Settle all of ${source} in this time`}</Button>
          ) : (
            <span class="dim">Choose a source and a time to settle all of it at once.</span>
          )}
        </div>
      )}
      <List
        caption="Unknown charges, oldest first"
        columns={columnsOf(mayChoose ? { chosen, toggle } : null)}
        keyOf={({ charge }) => charge}
        empty={
          <Empty
            title={Object.keys(filter).length === 0 ? "No charge is unknown." : "No charge of this filter is unknown."}
            command={commandOf("ledger unknown", filter)}
          />
        }
        {...list}
        rows={rows}
      />
      {settling && (
        <SettleMany
          title={settling === "all" ? `Settle all unknown charges of ${source} in this time` : "Settle charges"}
          isChosen
          {...(settling === "all" ? ofFilter(filter) : ofCharges(names))}
          onClose={() => setSettling(undefined)}
          onDone={() => {
            setSettling(undefined);
            setChosen(new Set());
            list.reload();
          }}
        />
      )}
    </MoneyPage>
  );
}

interface Choosing {
  readonly chosen: ReadonlySet<string>;
  readonly toggle: (ids: readonly string[], isChosen: boolean) => void;
}

function columnsOf(choosing: Choosing | null): readonly Column<Charge>[] {
  return [
    ...(choosing === null
      ? []
      : [
          {
            title: "Selected",
            show: ({ charge, source, transaction_id: run }: Charge) => (
              <CheckField
                label={
                  <span class="visually-hidden">
                    {source} of run {run}
                  </span>
                }
                checked={choosing.chosen.has(charge)}
                onChecked={(checked) => choosing.toggle([charge], checked)}
              />
            ),
          },
        ]),
    { title: "Source", isName: true, show: ({ source }) => <ObjectLink id={source} /> },
    { title: "Sent", show: ({ sent_at: at }) => <Time at={at} /> },
    {
      title: "Amount",
      isNumber: true,
      show: ({ price, currency }) => <Amount amount={price} currency={currency} />,
    },
    {
      title: "Paid by",
      show: ({ organization_tuid: org, organization, cred_id: id, cred_name: name }) => (
        <>
          {org !== "" && <ObjectLink id={org} name={organization} />}
          {id !== null && <CredentialLink id={id} org={org} name={name} />}
        </>
      ),
    },
    {
      title: "Why",
      show: ({ fault }) => (fault === null ? <span class="dim">the outcome was lost</span> : wordsOf(fault)),
    },
    {
      title: "Run",
      show: ({ transaction_id: run }) => <ShortId id={run} href={hrefOfObject("run", run)} />,
    },
  ];
}

/** The words of a fault's kind, or its code. */
function wordsOf(code: string): string {
  return FAULTS[code.slice(code.indexOf(".") + 1)] ?? code;
}
