import { Outcome } from "./outcome.tsx";
import { Table, type Column } from "./table.tsx";
import "./case-table.css";

/** A case as its author wrote it, and its result. */
export interface ShownCase {
  readonly name: string;
  /** Inputs and expectation. Missing for a standard case, which every source has. */
  readonly inputs?: object;
  readonly expects?: string;
  readonly result?: {
    readonly passed: boolean;
    readonly differences: readonly string[];
    /** Remarks and log output. */
    readonly notes: readonly string[];
  };
}

export function CaseTable({ cases }: { readonly cases: readonly ShownCase[] }) {
  const keyed = cases.map((each, at) => ({ ...each, key: `${at}` }));
  return <Table caption="Cases" columns={COLUMNS} rows={keyed} keyOf={({ key }) => key} />;
}

const COLUMNS: readonly Column<ShownCase>[] = [
  {
    title: "Case",
    show: ({ name, inputs }) => (
      <div>
        {name}
        {inputs === undefined && <span class="dim"> (standard)</span>}
      </div>
    ),
  },
  { title: "Inputs", show: ({ inputs }) => inputs && <code>{JSON.stringify(inputs)}</code> },
  { title: "Expects", show: ({ expects }) => expects },
  { title: "Result", show: resultOf },
];

function resultOf({ result }: ShownCase) {
  if (result === undefined) return <span class="dim">not run</span>;
  return (
    <div class="case-result">
      <Outcome kind={result.passed ? "found" : "failed"} says={result.passed ? "as expected" : "differs"} />
      {result.differences.length > 0 && (
        <ul>
          {result.differences.map((difference, at) => (
            <li key={at}>
              <code>{difference}</code>
            </li>
          ))}
        </ul>
      )}
      {result.notes.map((note, at) => (
        <p key={at} class="dim">
          {note}
        </p>
      ))}
    </div>
  );
}
