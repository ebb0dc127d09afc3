import { kindOfId, ObjectLink } from "../../parts/object-link.tsx";
import { Time } from "../../parts/values.tsx";
import "./details.css";

interface DetailsProps {
  readonly of: Readonly<Record<string, unknown>>;
  readonly org: string | null;
}

/** The details of an entry as names and values, each with the value before the change if it is recorded. */
export function Details({ of: { before, replaced, name_before: nameBefore, ...of }, org }: DetailsProps) {
  const earlier: Readonly<Record<string, unknown>> = {
    ...objectOf(replaced),
    ...objectOf(before),
    ...(nameBefore !== undefined && { name: nameBefore }),
  };
  const names = Object.keys(of).filter((name) => {
    const isSilent = name === "again" && of[name] === false;
    return !isSilent && !(isNothing(of[name]) && isNothing(earlier[name]));
  });
  if (names.length === 0) return <span class="dim">–</span>;
  return (
    <dl class="details">
      {names.map((name) => (
        <div key={name}>
          <dt>{labelOf(name)}</dt>
          <dd>
            {isNothing(of[name]) ? "nothing" : <Value of={of[name]} org={org} />}
            {name in earlier && !isSame(earlier[name], of[name]) && (
              <span class="dim">
                , was {isNothing(earlier[name]) ? "nothing" : <Value of={earlier[name]} org={org} />}
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === "" || isEmpty(value);
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
  again: "repeated",
  warn_percent: "warns from percent",
  above: "above calls",
};

function labelOf(name: string): string {
  return LABELS[name] ?? name.replace(/_at$/, "").replaceAll("_", " ");
}
