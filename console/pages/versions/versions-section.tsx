import { address, hrefOf } from "../../address.ts";
import { Empty } from "../../parts/empty.tsx";
import { List } from "../../parts/list.tsx";
import { ObjectLink } from "../../parts/object-link.tsx";
import { Section } from "../../parts/page.tsx";
import type { Column } from "../../parts/table.tsx";
import { Badge, Id, Time } from "../../parts/values.tsx";
import { pathOfVersions, type VersionKind, versionName } from "../../parts/version-link.tsx";
import type { useVersions, Version, VersionUse } from "./use-versions.ts";

interface VersionsSectionProps {
  readonly kind: VersionKind;
  readonly id: string;
  readonly list: ReturnType<typeof useVersions>;
}

/** The versions of a function or source, newest first: since when, by whom, and where each runs. */
export function VersionsSection({ kind, id, list }: VersionsSectionProps) {
  const uses = list.results[0]?.workflows ?? [];
  const named = address().query.get("version") ?? "";
  const current = list.rows?.find(({ digest, number }) => digest === named || String(number) === named);
  const { results: _, isCurrent: _current, ...shown } = list;
  return (
    <Section title="Versions">
      <List
        caption="Versions"
        columns={columnsOf(kind, id, uses)}
        keyOf={({ digest }) => digest}
        {...(named !== "" && { current: current?.digest })}
        {...(named !== "" && list.rows !== undefined && current === undefined && { missing: named })}
        empty={
          <Empty title="No version is registered yet.">
            A service registers each version of a {kind} before it first runs.
          </Empty>
        }
        {...shown}
      />
    </Section>
  );
}

function columnsOf(kind: VersionKind, id: string, uses: readonly VersionUse[]): readonly Column<Version>[] {
  return [
    {
      title: "Version",
      show: (version) => (
        <span class="beside">
          <span title={version.digest}>{versionName(version)}</span>
          {version.now && <Badge kind="live">runs now</Badge>}
        </span>
      ),
    },
    { title: "First used", show: ({ first_used: at }) => <Time at={at} /> },
    {
      title: "Deployed by",
      show: ({ deployed_by: by }) => (by === null ? <span class="dim">not named</span> : <bdi>{by}</bdi>),
    },
    { title: "Build", show: ({ build }) => (build === null ? <span class="dim">unknown</span> : <Id>{build}</Id>) },
    { title: "Origin", show: ({ from }) => from },
    { title: "Named by", show: ({ digest }) => <Uses of={uses.filter((use) => use.digest === digest)} /> },
    { title: "Look at", show: (version) => <Links kind={kind} id={id} version={version} /> },
  ];
}

/** The workflows that name the version. */
function Uses({ of }: { readonly of: readonly VersionUse[] }) {
  if (of.length === 0) return <span class="dim">–</span>;
  return (
    <ul>
      {of.map(({ workflow, name, organization_tuid: org, percent, use }) => (
        <li key={`${workflow} ${use}`} class="beside">
          <ObjectLink id={workflow} org={org} name={name} />
          {use === "shadow" && <Badge>shadow</Badge>}
          {percent < 100 && <span>{percent} %</span>}
        </li>
      ))}
    </ul>
  );
}

function Links({ kind, id, version }: { readonly kind: VersionKind; readonly id: string; readonly version: Version }) {
  const { number, digest } = version;
  const before = number - 1;
  return (
    <span class="beside">
      <a href={hrefOf("/runs", { [kind]: id, [`${kind}_version`]: digest })} aria-label={`Runs of version ${number}`}>
        runs
      </a>
      {before > 0 && (
        <a
          href={hrefOf(`${pathOfVersions(kind, id)}/diff`, { before: String(before), after: String(number) })}
          aria-label={`Changes from version ${before} to ${number}`}
        >
          changes
        </a>
      )}
    </span>
  );
}
