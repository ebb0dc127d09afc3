import type { ComponentChildren } from "preact";
import { address, currentZone, hrefOf, setQuery } from "../../address.ts";
import { useWholeList } from "../../api/use-list.ts";
import { useTogether } from "../../api/use-together.ts";
import { useVerb } from "../../api/use-verb.ts";
import type { ResultOf, RowOf } from "../../api/verb-types.ts";
import { Amount } from "../../parts/amount.tsx";
import { commandOf } from "../../parts/command-of.ts";
import { CredentialLink } from "../../parts/credential-link.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { SelectField } from "../../parts/fields.tsx";
import { List } from "../../parts/list.tsx";
import { largestOf, thousandths, toMicros } from "../../parts/micros.ts";
import { ObjectLink } from "../../parts/object-link.tsx";
import { Section } from "../../parts/page.tsx";
import { ShareBar } from "../../parts/share-bar.tsx";
import type { Column } from "../../parts/table.tsx";
import { TimeRangeControl, useTimeRange } from "../../parts/time-range.tsx";
import { useLate } from "../../parts/use-late.ts";
import { Count } from "../../parts/values.tsx";
import { DailySpend } from "./daily-spend.tsx";
import { MoneyPage, MonthLinks } from "./money-head.tsx";
import { axisOfMonth, dayAfter, monthOf, monthText, spanOfMonth } from "./month.ts";
import { OpenCharges } from "./open-charges.tsx";
import { OrganizationField } from "../../parts/organization-field.tsx";

type Line = RowOf<"ledger spend", "spend">;
type Total = ResultOf<"ledger spend">["totals"][number];

const KEYS = {
  vendor: "Vendor",
  source: "Source",
  org: "Organization",
  workflow: "Workflow",
  credential: "Credential",
  day: "Day",
};
type Key = keyof typeof KEYS;
const LINES_MAX = 1_000;

/** The charges of a month or of another time, grouped by a key. */
export function SpendPage() {
  const { query } = address();
  const range = useTimeRange(null);
  const month = monthOf(query.get("month"));
  const zone = currentZone();
  const span = range === null ? spanOfMonth(month) : { from: range.from, to: range.to };
  const axis = range?.axis ?? axisOfMonth(month, zone);
  const when = range === null ? monthText(month) : range.says;
  const org = query.get("org") ?? "";
  const asked = query.get("by") ?? "";
  const by = (asked in KEYS ? asked : "vendor") as Key;
  const about = { ...span, ...(zone !== "UTC" && { time_zone: zone }), ...(org !== "" && { org }) };
  const sums = useVerb("ledger spend", { by: "vendor", ...about, limit: 1 });
  // The lines are sorted by key, so the largest amount may come last: all are loaded.
  const list = useWholeList("ledger spend", { by, ...about }, "spend");
  // Figures of the previously chosen month would be wrong.
  const shown = sums.isCurrent ? sums.result : undefined;
  const totals = shown?.totals ?? [];
  // The height of the content above the lines is final.
  const isPlaced = useTogether(sums.result ?? sums.error);
  const all = list.isCurrent ? list.rows : undefined;
  const lines = all && inOrder(all, by).slice(0, LINES_MAX);
  return (
    <MoneyPage
      title="Money"
      about="Vendor charges for calls, at the price of the time when they were sent. Simulated runs cost nothing and are left out."
    >
      <TimeRangeControl range={range} any="Month" />
      {range === null && <MonthLinks />}
      <Sums totals={totals} isThere={shown !== undefined} when={when} />
      <SlowSum isLoading={sums.isLoading && !shown} />
      {sums.error && <Failure error={sums.error} retry={sums.reload} />}
      <OpenCharges totals={totals} axis={axis} org={org} />
      {shown && totals.length > 0 && (
        <DailySpend span={span} axis={axis} org={org} isMonth={range === null && month === monthOf(null)} />
      )}
      {isPlaced && (
        <Section title={`By ${KEYS[by].toLowerCase()}`}>
          <form class="filter" onSubmit={(event) => event.preventDefault()}>
            <SelectField
              label="By"
              value={by}
              choices={Object.entries(KEYS).map(([value, label]) => ({ value, label }))}
              onValue={(value) => setQuery({ by: value }, { remember: true })}
            />
            <OrganizationField
              value={org}
              none="All"
              onValue={(value) => setQuery({ org: value }, { remember: true })}
            />
          </form>
          <List
            caption={`Spend by ${KEYS[by].toLowerCase()}`}
            columns={columnsOf(by, { ...span, org }, lines ?? [])}
            keyOf={(line) => `${line[by] ?? ""} ${line.currency ?? ""}`}
            empty={
              <Empty
                title={`Nothing was sent to a vendor in ${when}${org === "" ? "" : " for this organization"}.`}
                command={commandOf("ledger spend", { by, ...about })}
              />
            }
            {...list}
            rows={lines}
          />
          {all && all.length > LINES_MAX && (
            <p class="dim">
              Only the first <Count of={LINES_MAX} /> of <Count of={all.length} />
              are shown. Choose an organization to see others.
            </p>
          )}
        </Section>
      )}
    </MoneyPage>
  );
}

/** Sorts days by date and other keys by amount, largest first. Currencies are not mixed. */
function inOrder(lines: readonly Line[], by: Key): readonly Line[] {
  if (by === "day") return lines;
  const most = ({ amount_at_most: amount }: Line) => toMicros(amount ?? "0");
  return lines.toSorted((one, other) => {
    if (one.currency !== other.currency) return (one.currency ?? "~") < (other.currency ?? "~") ? -1 : 1;
    return most(one) === most(other) ? 0 : most(one) > most(other) ? -1 : 1;
  });
}

/** The filter of the shown lines. */
interface Shown {
  readonly from: string;
  readonly to: string;
  readonly org: string;
}

function columnsOf(by: Key, shown: Shown, lines: readonly Line[]): readonly Column<Line>[] {
  const most = new Map<string | null, string>();
  for (const { currency, amount_at_most: amount } of lines)
    most.set(currency, largestOf([most.get(currency) ?? "0", amount ?? "0"]));
  return [
    { title: KEYS[by], isName: true, show: (line) => <About line={line} by={by} /> },
    { title: "Amount", isNumber: true, show: (line) => <Spent of={line} /> },
    {
      title: "Share",
      show: (line) =>
        line.amount !== null && (
          <ShareBar
            known={thousandths(line.amount, most.get(line.currency)!)}
            open={thousandths(line.amount_at_most!, most.get(line.currency)!)}
          />
        ),
    },
    {
      title: "Requests",
      isNumber: true,
      show: (line) => (
        <RunsLink href={runsOf(line, by, shown)}>
          <Count of={line.requests} />
        </RunsLink>
      ),
    },
    { title: "Charged", isNumber: true, show: ({ charged }) => <Count of={charged} /> },
    { title: "Not charged", isNumber: true, show: (line) => <Count of={line.not_charged} /> },
    {
      title: "Unknown",
      isNumber: true,
      show: (line) =>
        line.unknown === 0 ? (
          <span class="dim">0</span>
        ) : (
          <RunsLink href={runsOf(line, by, shown, "unknown")}>
            <Count of={line.unknown} />
          </RunsLink>
        ),
    },
    {
      title: "Without price",
      isNumber: true,
      show: ({ unpriced }) => (unpriced === 0 ? <span class="dim">0</span> : <Count of={unpriced} />),
    },
  ];
}

/** A line without a currency may still contain unpriced charges. */
function Spent({ of: { amount, amount_at_most: atMost, currency, unpriced } }: { readonly of: Line }) {
  if (currency === null && unpriced === 0) return <span class="dim">nothing charged</span>;
  return <Amount amount={amount} atMost={atMost} currency={currency} />;
}

function RunsLink({ href, children }: { readonly href: string | null; readonly children: ComponentChildren }) {
  return href === null ? <>{children}</> : <a href={href}>{children}</a>;
}

/** The first sum after many runs were added, such as after an upgrade, adds up all of them. */
function SlowSum({ isLoading }: { readonly isLoading: boolean }) {
  const isLate = useLate(isLoading);
  if (!isLate) return null;
  return (
    <p class="dim" role="status">
      Adding up the charges of this time. The first sum over many runs takes some seconds, and later ones are fast.{" "}
      <progress aria-label="Adding up" />
    </p>
  );
}

function About({ line, by }: { readonly line: Line; readonly by: Key }) {
  const key = line[by];
  if (by === "day" || by === "vendor") return <>{key}</>;
  if (!key) return <span class="dim">{by === "credential" ? "no stored credential" : "none"}</span>;
  const org = line.organization_tuid ?? null;
  if (by === "credential") return <CredentialLink id={key} org={org} name={line.name} />;
  return <ObjectLink id={key} org={org} name={line.name} withId={by !== "org"} />;
}

/** The runs of a line; `null` for a vendor, by which runs cannot be filtered. */
function runsOf(line: Line, by: Key, { org, ...span }: Shown, charged?: string): string | null {
  if (by === "vendor") return null;
  const key = line[by] ?? null;
  const days = by === "day" && key !== null ? { from: key, to: dayAfter(key) } : span;
  // Runs cannot be filtered by credential, only by its organization.
  const about = by === "day" || by === "credential" ? {} : { [by]: key };
  return hrefOf("/runs", { ...days, org: org || line.organization_tuid, ...about, charged });
}

function Sums({
  totals,
  isThere,
  when,
}: {
  readonly totals: readonly Total[];
  readonly isThere: boolean;
  readonly when: string;
}) {
  const priced = totals.filter(({ currency }) => currency !== null);
  // Requests without a price may have been charged.
  const none = totals.some(({ unpriced }) => unpriced > 0) ? "No known amount" : "Nothing was charged";
  return (
    <div class="money-sums" aria-label={`Sums of ${when}`} role="group">
      {priced.map((total) => (
        <div key={total.currency}>
          <p class="money-sum">
            <Amount amount={total.amount} atMost={total.amount_at_most} currency={total.currency} />
          </p>
          <p class="dim">
            <Count of={total.requests} /> {total.requests === 1 ? "request" : "requests"} with a price
          </p>
        </div>
      ))}
      {priced.length === 0 && <p class="money-sum dim">{isThere ? none : "\u00a0"}</p>}
    </div>
  );
}
