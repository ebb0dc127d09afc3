import { Fragment } from "preact";
import { ProseLine } from "./prose.tsx";
import { Table, type Column } from "./table.tsx";
import "./declared-fields.css";

/** A field that a source or a function declares, as `source show` and `function show` return it. */
interface DeclaredField {
  readonly name: string;
  readonly type: string;
  readonly required: "yes" | "depends" | "no";
  readonly title: string | null;
  readonly description: string | null;
  readonly examples: readonly unknown[];
}

interface DeclaredFieldsProps {
  readonly caption: string;
  readonly fields: readonly DeclaredField[];
  /** The title of the column with the requirement. */
  readonly required?: string;
  /** Shown instead of the table if there are no fields. */
  readonly none: string;
}

/** A table of inputs or outputs, one field a row. */
export function DeclaredFields({ caption, fields, required = "Required", none }: DeclaredFieldsProps) {
  if (fields.length === 0) return <p class="dim">{none}</p>;
  const hasExamples = fields.some(({ examples }) => examples.length > 0);
  const hasMeaning = fields.some(({ title, description }) => title !== null || description !== null);
  const columns: readonly Column<DeclaredField>[] = [
    { title: "Name", show: ({ name }) => <Name>{name}</Name> },
    { title: "Type", show: ({ type }) => type },
    { title: required, show: (field) => (field.required === "depends" ? "depends on others" : field.required) },
    ...(hasMeaning ? [{ title: "Meaning", show: meaningOf }] : []),
    ...(hasExamples ? [{ title: "Examples", show: examplesOf }] : []),
  ];
  return <Table caption={caption} columns={columns} rows={fields} keyOf={({ name }) => name} />;
}

/** Breaks a line only after dots and underscores, unless a part is wider than the column. */
function Name({ children }: { readonly children: string }) {
  return (
    <code class="declared-name">
      {children.split(/(?<=[._])/).map((part, at) => (
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </code>
  );
}

function meaningOf({ title, description }: DeclaredField) {
  if (title === null && description === null) return null;
  return (
    <div>
      {title !== null && (description === null ? title : `${title.replace(/[.!?]$/, "")}. `)}
      {description !== null && (
        <span class={title === null ? undefined : "dim"}>
          <ProseLine>{description}</ProseLine>
        </span>
      )}
    </div>
  );
}

function examplesOf({ examples }: DeclaredField) {
  if (examples.length === 0) return null;
  return (
    <div>
      {examples.map((example, at) => (
        <span key={at}>
          {at > 0 && ", "}
          <code>{typeof example === "string" ? example : JSON.stringify(example)}</code>
        </span>
      ))}
    </div>
  );
}
