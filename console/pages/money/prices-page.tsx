import { useState } from "preact/hooks";
import { address, hrefOf, setQuery } from "../../address.ts";
import { useList } from "../../api/use-list.ts";
import { useListWith } from "../../api/use-list-with.ts";
import type { RowOf } from "../../api/verb-types.ts";
import { Act } from "../../parts/act.tsx";
import { Amount } from "../../parts/amount.tsx";
import { Button } from "../../parts/button.tsx";
import { CredentialLink } from "../../parts/credential-link.tsx";
import { Empty } from "../../parts/empty.tsx";
import { List } from "../../parts/list.tsx";
import { ObjectLink } from "../../parts/object-link.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { Section } from "../../parts/page.tsx";
import { RowActs } from "../../parts/row-acts.tsx";
import type { Column } from "../../parts/table.tsx";
import { Badge, Count, Day } from "../../parts/values.tsx";
import { mayUse } from "../../session.ts";
import { MoneyPage } from "./money-head.tsx";
import { OrganizationField } from "../../parts/organization-field.tsx";
import { PriceForm } from "./price-form.tsx";

type Credential = RowOf<"credential price current", "credentials">;
type Price = RowOf<"credential price list", "prices">;

/** The prices of an organization's credentials. */
export function PricesPage() {
  const { query } = address();
  const [org, credential] = [query.get("org") ?? "", query.get("credential")];
  return (
    <MoneyPage
      title="Prices"
      about="A price belongs to a credential, because each credential belongs to a contract. Each request keeps the price at the time when it was sent."
    >
      <form class="filter" onSubmit={(event) => event.preventDefault()}>
        <OrganizationField
          value={org}
          onValue={(value) => setQuery({ org: value, credential: null }, { remember: true })}
        />
      </form>
      {org === "" ? (
        <Empty title="Choose an organization to see its prices." command="datarun credential price current --org ORG" />
      ) : (
        <OfOrganization key={org} org={org} credential={credential} />
      )}
    </MoneyPage>
  );
}

function OfOrganization({ org, credential }: { readonly org: string; readonly credential: string | null }) {
  const list = useListWith("credential price current", { org }, "credentials", { key: "cred_id", id: credential });
  const columns: readonly Column<Credential>[] = [
    { title: "Source", isName: true, show: ({ source }) => <ObjectLink id={source} /> },
    {
      title: "Credential",
      show: ({ cred_id: id, name, disabled }) => (
        <div>
          <CredentialLink id={id} org={org} name={name} />
          {disabled && (
            <>
              {" "}
              <Badge>disabled</Badge>
            </>
          )}
        </div>
      ),
    },
    {
      title: "Current price",
      isNumber: true,
      show: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
    },
    {
      title: "Per",
      // Only prices that were set before such prices were refused.
      show: ({ per }) => (per === "free" ? "nothing: the source is free" : (per ?? <span class="dim">–</span>)),
    },
    {
      title: "From",
      show: (one) =>
        one.price === "own" ? (
          <Day at={one.from} />
        ) : (
          <span class="dim">{one.price === "list" ? "list price of the source" : "–"}</span>
        ),
    },
    {
      title: "Volume steps",
      isNumber: true,
      show: ({ steps }) => (steps === 0 ? <span class="dim">0</span> : <Count of={steps} />),
    },
    {
      title: "Prices",
      show: ({ cred_id: id }) => (
        <a href={hrefOf("/money/prices", { org, credential: id })}>
          History<span class="visually-hidden"> of {id}</span>
        </a>
      ),
    },
  ];
  const open = list.rows?.find(({ cred_id: id }) => id === credential);
  return (
    <>
      <List
        caption="Credentials with their current prices"
        columns={columns}
        keyOf={({ cred_id: id }) => id}
        current={credential ?? undefined}
        empty={
          <Empty
            title="This organization has no credential."
            command={`datarun credential create --org ${org} --source SOURCE --set api_key=…`}
          />
        }
        {...list}
      />
      {credential && (list.rows || list.error) && (
        <History key={credential} id={credential} source={open?.source} name={open?.name} reloadAll={list.reload} />
      )}
    </>
  );
}

const STATES = {
  "to come": <Outcome kind="waiting" says="future" />,
  holds: <Outcome kind="found" says="current" />,
  over: <Outcome kind="off" says="past" />,
} as const;

function History({
  id,
  source,
  name,
  reloadAll,
}: {
  readonly id: string;
  readonly source: string | undefined;
  readonly name: string | null | undefined;
  readonly reloadAll: () => void;
}) {
  const list = useList("credential price list", { cred_id: id }, "prices");
  const [isSetting, setSetting] = useState(false);
  const reload = () => {
    list.reload();
    reloadAll();
  };
  const columns: readonly Column<Price>[] = [
    {
      title: "From",
      show: (price) =>
        price.above === 0 ? (
          <Day at={price.from} />
        ) : (
          <span class="dim">
            above <Count of={price.above} /> calls per month
          </span>
        ),
    },
    { title: "Price", isNumber: true, show: ({ amount, currency }) => <Amount amount={amount} currency={currency} /> },
    { title: "Per", show: ({ per }) => per },
    { title: "Time zone", show: ({ time_zone: zone }) => zone },
    { title: "State", show: ({ state }) => STATES[state as keyof typeof STATES] },
    ...(mayUse("credential price remove")
      ? [
          {
            title: "Actions",
            show: (price: Price) => (
              <RowActs>
                <RemovePrice id={id} price={price} onDone={reload} />
              </RowActs>
            ),
          },
        ]
      : []),
  ];
  const actions = mayUse("credential price set") && <Button onClick={() => setSetting(true)}>Set a price</Button>;
  return (
    <Section title={`Prices of ${[name, source].filter(Boolean).join(", ") || id}`} actions={actions}>
      <List
        caption={`Prices of ${id}`}
        columns={columns}
        keyOf={({ from, above }) => `${from} ${above}`}
        empty={
          <Empty
            title="No price is set, so the list price of the source applies."
            command={`datarun credential price set ${id} --amount 0.35 --currency EUR --from 2026-01-01`}
          />
        }
        {...list}
      />
      {isSetting && (
        <PriceForm
          id={id}
          known={list.rows ?? []}
          onClose={() => setSetting(false)}
          onSet={() => {
            setSetting(false);
            reload();
          }}
        />
      )}
    </Section>
  );
}

function RemovePrice({
  id,
  price,
  onDone,
}: {
  readonly id: string;
  readonly price: Price;
  readonly onDone: () => void;
}) {
  const what = price.above === 0 ? "this price and its volume steps" : `the step above ${price.above} calls`;
  return (
    <Act
      verb="credential price remove"
      input={{ cred_id: id, from: dayOf(price), ...(price.above > 0 && { above: price.above }) }}
      label="Remove"
      isDangerous
      asks={{
        title: `Remove ${what}?`,
        says: (
          <p>
            From the next request on,{" "}
            {price.state === "holds"
              ? "the previous price or the list price of the source applies"
              : "nothing changes for requests sent today"}
            . Requests that were sent already keep their price.
          </p>
        ),
      }}
      onDone={onDone}
    />
  );
}

/** The first day of a price, in the time zone of its contract. */
function dayOf({ from, time_zone: timeZone }: Pick<Price, "from" | "time_zone">): string {
  return new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeZone }).format(new Date(from));
}
