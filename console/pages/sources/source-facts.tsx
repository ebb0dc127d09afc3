import type { ResultOf } from "../../api/verb-types.ts";
import { Facts, type NamedValue } from "../../parts/facts.tsx";
import { Outward } from "../../parts/prose.tsx";
import { httpAddress } from "../../parts/read-prose.ts";
import { Count, Took } from "../../parts/values.tsx";
import { chargeText, listPriceText } from "./charge-text.ts";

export type Source = ResultOf<"source show">;

/** The properties of a source except its fields. */
export function SourceFacts({ source }: { readonly source: Source }) {
  const { leaves_machine: leaves, limits, regions } = source;
  const facts: readonly (NamedValue | false)[] = [
    { title: "Origins", value: leaves ? <Texts of={source.origins} /> : "none: it answers on this machine" },
    { title: "Billed", value: <Billed source={source} /> },
    { title: "Credential", value: `${source.credential}${source.verifies ? ", can be verified" : ""}` },
    leaves && {
      title: "Proved",
      value: proofText(source),
    },
    {
      title: "Time",
      value: (
        <>
          at most <Took ms={limits.timeout_ms} />
        </>
      ),
    },
    leaves && { title: "Limits", value: <Limits of={limits} /> },
    { title: "Regions", value: regions.length === 0 ? "all regions" : <Texts of={regions} /> },
    ...source.data.map(({ name, licence, date, url }) => ({
      title: "Data",
      value: (
        <>
          <Link href={url ?? null}>{name}</Link>, {licence}, of {date}
        </>
      ),
    })),
    source.docs !== null && { title: "Documentation", value: <Link href={source.docs}>{source.docs}</Link> },
    {
      title: "File",
      value: (
        <>
          <code>{source.file}</code> <span class="dim">({source.from})</span>
        </>
      ),
    },
  ];
  return <Facts of={facts.filter((fact) => fact !== false)} />;
}

function Billed({ source: { charge } }: { readonly source: Source }) {
  if (charge.rows.length === 0) return <>{chargeText(charge)}</>;
  return (
    <ul>
      {charge.rows.map(({ when, list_price: price }, at) => (
        <li key={at}>
          {price === null ? "billed" : Number(price.amount) === 0 ? "nothing" : listPriceText(price)}
          {when === null ? (
            " otherwise"
          ) : (
            <>
              {" "}
              if <code>{when}</code>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function Limits({ of: { concurrency, max_bytes: maxBytes, rates } }: { readonly of: Source["limits"] }) {
  return (
    <ul>
      {rates.map(({ per, max, every_ms: everyMs }, at) => (
        <li key={at}>
          <Count of={max} /> calls in {periodText(everyMs)}, for each {per}
        </li>
      ))}
      {concurrency !== null && (
        <li>
          <Count of={concurrency} /> calls at once
        </li>
      )}
      <li>replies of at most {(maxBytes / 1_048_576).toLocaleString("en-GB", { maximumFractionDigits: 1 })} MiB</li>
    </ul>
  );
}

const UNITS = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"],
] as const;

/** A period such as `5 minutes`; in milliseconds if no larger unit divides it. */
function periodText(ms: number): string {
  const unit = UNITS.find(([size]) => ms % size === 0);
  if (unit === undefined) return `${ms} ms`;
  const many = ms / unit[0];
  return many === 1 ? `one ${unit[1]}` : `${many} ${unit[1]}s`;
}

function Texts({ of }: { readonly of: readonly string[] }) {
  return (
    <ul>
      {of.map((text) => (
        <li key={text}>
          <code>{text}</code>
        </li>
      ))}
    </ul>
  );
}

/** A link if the text is the address of a page, else the text. */
function Link({ href, children }: { readonly href: string | null; readonly children: string }) {
  const address = href === null ? null : httpAddress(href);
  return address === null ? <>{children}</> : <Outward href={address}>{children}</Outward>;
}

/** When `datarun prove` had an answer of the vendor. */
function proofText({ proof }: Source): string {
  if (proof === null) return "never";
  const { date, build, match, outdated } = proof;
  return `${date}, by ${build}${match ? "" : ", without a record"}${outdated ? ", another version of the source" : ""}`;
}
