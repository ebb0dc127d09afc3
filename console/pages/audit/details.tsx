import { kindOfId, ObjectLink } from "../../parts/object-link.tsx";
import { Time } from "../../parts/values.tsx";
import "./details.css";

/** The details of an entry as names and values. Empty values are left out. */
export function Details({ of, org }: { readonly of: Readonly<Record<string, unknown>>; readonly org: string | null }) {
  const told = Object.entries(of).filter(
    ([name, value]) => value !== null && value !== "" && !isEmpty(value) && !(name === "again" && value === false),
  );
  if (told.length === 0) return <span class="dim">–</span>;
  return (
    <dl class="details">
      {told.map(([name, value]) => (
        <div key={name}>
          <dt>{labelOf(name)}</dt>
          <dd>
            <Value of={value} org={org} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ValueProps {
  readonly of: unknown;
  readonly org: string | null;
}

function Value({ of, org }: ValueProps) {
  if (typeof of === "boolean") return <>{of ? "yes" : "no"}</>;
  if (typeof of === "number") return <>{of}</>;
  if (Array.isArray(of)) {
    const isPlain = of.every((one) => typeof one !== "object");
    if (isPlain && !of.some((one) => kindOfId(String(one)) !== null)) return <>{of.join(", ")}</>;
    return (
      <ul>
        {of.map((one, at) => (
          <li key={at}>
            <Value of={one} org={org} />
          </li>
        ))}
      </ul>
    );
  }
  if (typeof of === "object" && of !== null) return <Details of={of as Record<string, unknown>} org={org} />;
  const text = String(of);
  if (MOMENT.test(text)) return <Time at={text} />;
  return kindOfId(text) === null ? <bdi>{text}</bdi> : <ObjectLink id={text} org={org} />;
}

const MOMENT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

const LABELS: Readonly<Record<string, string>> = {
  cred_id: "credential",
  transaction_id: "run",
  with: "by",
  name_before: "previous name",
  replaced: "replaces",
  again: "repeated",
  warn_percent: "warns from percent",
  above: "above calls",
};

function labelOf(name: string): string {
  return LABELS[name] ?? name.replace(/_at$/, "").replaceAll("_", " ");
}
