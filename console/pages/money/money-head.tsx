import type { ComponentChildren } from "preact";
import { address, hrefOf, setQuery } from "../../address.ts";
import { Page } from "../../parts/page.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { monthAfter, monthOf, monthText, zoneOf } from "./month.ts";
import { ZoneField } from "./zone-field.tsx";
import "./money.css";

const VIEWS = [
  { path: "/money", label: "Spend" },
  { path: "/money/unknown", label: "Unknown charges" },
  { path: "/money/budgets", label: "Budgets" },
  { path: "/money/prices", label: "Prices" },
  { path: "/money/invoice", label: "Invoices" },
] as const;

/** What every page about money keeps of the address. */
const KEPT = ["org", "month", "zone", "range", "from", "to"] as const;

interface MoneyPageProps {
  readonly title: string;
  readonly about: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page about money with links to the others, which keep organization, time and time zone. */
export function MoneyPage({ title, about, actions, children }: MoneyPageProps) {
  const { path, query } = address();
  const kept = Object.fromEntries(KEPT.map((key) => [key, query.get(key)]));
  return (
    <Page title={title} about={about} actions={actions}>
      <Tabs
        label="Money"
        tabs={VIEWS.map(({ path: target, label }) => ({
          label,
          href: hrefOf(target, kept),
          isCurrent: path === target,
        }))}
      />
      {children}
    </Page>
  );
}

/** Links to the previous and the next month. */
export function MonthLinks() {
  const { path, query } = address();
  const month = monthOf(query.get("month"));
  const to = (other: string) => hrefOf(path, { ...Object.fromEntries(query), month: other });
  return (
    <nav class="money-month" aria-label="Month">
      <a href={to(monthAfter(month, -1))}>{monthText(monthAfter(month, -1))}</a>
      <strong aria-current="date">{monthText(month)}</strong>
      {month < monthOf(null) && <a href={to(monthAfter(month, 1))}>{monthText(monthAfter(month, 1))}</a>}
    </nav>
  );
}

/** Chooses the month, and the time zone in which it begins; other fields stand beside it. */
export function MonthChoice({ children }: { readonly children?: ComponentChildren }) {
  const { query } = address();
  return (
    <>
      <MonthLinks />
      <form class="filter" onSubmit={(event) => event.preventDefault()}>
        <ZoneField
          value={zoneOf(query)}
          onValue={(zone) => setQuery({ zone: zone === "UTC" ? null : zone }, { remember: true })}
        />
        {children}
      </form>
    </>
  );
}
