import { address, hrefOf, setQuery } from "../../address.ts";
import { useVerb } from "../../api/use-verb.ts";
import type { InputOf, ResultOf } from "../../api/verb-types.ts";
import { Failure } from "../../parts/failure.tsx";
import { SelectField } from "../../parts/fields.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Badge } from "../../parts/values.tsx";
import { pathOfVersions, type VersionKind, versionName } from "../../parts/version-link.tsx";
import { Diff } from "./diff.tsx";
import { useAllVersions, type Version } from "./use-versions.ts";

interface OfId {
  readonly id: string;
}

export function FunctionDiffPage({ id }: OfId) {
  return <DiffPage kind="function" id={id} />;
}

export function SourceDiffPage({ id }: OfId) {
  return <DiffPage kind="source" id={id} />;
}

interface DiffPageProps extends OfId {
  readonly kind: VersionKind;
}

/** How two versions differ, by file. The address names both; without them, the newest and the one before. */
function DiffPage({ kind, id }: DiffPageProps) {
  const { rows, error, reload } = useAllVersions(kind, id);
  const { query } = address();
  const newest = rows?.[0]?.number ?? 1;
  const after = query.get("after") ?? String(newest);
  const before = query.get("before") ?? String(Math.max(1, newest - 1));
  const asked = rows === undefined ? null : ({ [kind]: id, before, after } as unknown as InputOf<"function diff">);
  const diff = useVerb(`${kind} diff` as "function diff", asked);
  return (
    <Page
      title="Changes"
      about={
        <a href={hrefOf(pathOfVersions(kind, id))}>
          <code>{id}</code>
        </a>
      }
    >
      {error && <Failure error={error} retry={reload} />}
      <form class="filter" aria-label="Versions" onSubmit={(event) => event.preventDefault()}>
        <SelectField
          label="From version"
          value={before}
          choices={choicesOf(rows ?? [], before)}
          onValue={(value) => setQuery({ before: value, after }, { remember: true })}
        />
        <SelectField
          label="To version"
          value={after}
          choices={choicesOf(rows ?? [], after)}
          onValue={(value) => setQuery({ before, after: value }, { remember: true })}
        />
      </form>
      {diff.error && <Failure error={diff.error} retry={diff.reload} />}
      {diff.result && <Differences of={diff.result} />}
    </Page>
  );
}

/** The version in the address may be named by its digest, or not exist. */
function choicesOf(versions: readonly Version[], named: string) {
  const choices = versions.map((version) => ({ value: String(version.number), label: versionName(version) }));
  return choices.some(({ value }) => value === named) ? choices : [{ value: named, label: named }, ...choices];
}

type Shown = ResultOf<"function diff">;

const PACKAGE_COLUMNS: readonly Column<Shown["packages"][number]>[] = [
  { title: "Package", show: (each) => <code>{each.package}</code> },
  { title: "Before", show: ({ before }) => before ?? <span class="dim">none</span> },
  { title: "After", show: ({ after }) => after ?? <span class="dim">none</span> },
];

function Differences({ of: { before, after, files, packages } }: { readonly of: Shown }) {
  if (before.digest === after.digest) return <p>These are the same version.</p>;
  return (
    <>
      {files.length + packages.length === 0 && (
        <p>The files are the same: an installed package differs, or the version of datarun.</p>
      )}
      {files.map(({ file, change, diff }) => (
        <Section key={file} title={file} actions={change === "changed" ? undefined : <Badge>{change}</Badge>}>
          {diff === null ? (
            <p class="dim">Too many lines differ to show them.</p>
          ) : (
            <Diff text={diff} label={`Changes of ${file}`} />
          )}
        </Section>
      ))}
      {packages.length > 0 && (
        <Section title="Packages">
          <Table caption="Packages" columns={PACKAGE_COLUMNS} rows={packages} keyOf={(each) => each.package} />
        </Section>
      )}
    </>
  );
}
