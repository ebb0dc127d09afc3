import type { VerbState } from "../../api/use-verb.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { Failure } from "../../parts/failure.tsx";
import { hrefOfObject } from "../../parts/object-link.tsx";
import { Section } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Count, Id } from "../../parts/values.tsx";
import { versionName } from "../../parts/version-link.tsx";

type Shadow = ResultOf<"function shadow">;
type Compared = Omit<Shadow["fields"][number], "field"> & { readonly field: string | null };
type Differing = Shadow["differing"][number];

/** The command lists all. */
const RUNS_SHOWN = 20;

/** The results of the function's shadow runs, if there are any. */
export function FunctionShadow({ of: { result, error, reload } }: { readonly of: VerbState<Shadow> }) {
  if (error) return <Failure error={error} retry={reload} />;
  if (result === undefined || result.candidates.length === 0) return null;
  const { candidates, fields, differing } = result;
  const rows: readonly Compared[] = candidates.flatMap((whole) => [
    { ...whole, field: null },
    ...fields.filter((field) => field.workflow === whole.workflow && field.digest === whole.digest),
  ]);
  return (
    <Section title="Shadow runs">
      <Table
        caption="Shadow runs"
        columns={COMPARED}
        rows={rows}
        keyOf={({ workflow, digest, field }) => JSON.stringify([workflow, digest, field])}
      />
      {differing.length > 0 && (
        <Table
          caption="Runs that differ"
          columns={DIFFERING}
          rows={differing.slice(0, RUNS_SHOWN)}
          keyOf={({ transaction_id: id, digest }) => `${id} ${digest}`}
        />
      )}
    </Section>
  );
}

const COMPARED: readonly Column<Compared>[] = [
  { title: "Workflow", show: ({ workflow }) => <Id href={hrefOfObject("workflow", workflow)}>{workflow}</Id> },
  { title: "Version", show: versionOf },
  {
    title: "Output field",
    show: ({ field }) => (field === null ? <strong>the whole result</strong> : <code>{field}</code>),
  },
  { title: "Same", isNumber: true, show: ({ same }) => <Count of={same} /> },
  { title: "Different", isNumber: true, show: ({ different }) => <Count of={different} /> },
  { title: "Missing", isNumber: true, show: ({ missing }) => <Count of={missing} /> },
  { title: "Added", isNumber: true, show: ({ added }) => <Count of={added} /> },
  { title: "Failed", isNumber: true, show: ({ failed }) => <Count of={failed} /> },
  { title: "Unrecorded call", isNumber: true, show: ({ unrecorded }) => <Count of={unrecorded} /> },
];

const DIFFERING: readonly Column<Differing>[] = [
  { title: "Run that differs", show: ({ transaction_id: id }) => <Id href={hrefOfObject("run", id)}>{id}</Id> },
  { title: "Version", show: versionOf },
  {
    title: "Output fields",
    show: ({ fields }) => (fields.length === 0 ? "the result as a whole" : fields.join(", ")),
  },
];

function versionOf({ version, digest }: Pick<Compared, "version" | "digest">) {
  return <span title={digest}>{versionName({ number: version, digest })}</span>;
}
