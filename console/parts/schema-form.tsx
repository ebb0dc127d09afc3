import type { ComponentChildren } from "preact";
import { AreaField, SelectField, TextField } from "./fields.tsx";
import { ProseLine } from "./prose.tsx";
import type { Problems, SchemaField, Texts } from "./form-fields.ts";
import "./schema-form.css";

interface SchemaFormProps {
  /** From `fieldsOf(schema)`. */
  readonly fields: readonly SchemaField[];
  /** The texts in the fields. The caller keeps them, so they survive a change of the fields. */
  readonly texts: Texts;
  readonly onText: (name: string, text: string) => void;
  /** From `readTexts`, or from an error by `problemsAt`. */
  readonly problems?: Problems;
  /** Further content below a field, such as who can read it. */
  readonly about?: (field: SchemaField) => ComponentChildren;
  readonly disabled?: boolean;
}

/**
 * Fields for a flat JSON Schema, to be placed in a form. The caller renders the button and reads the fields with
 * `readTexts`. A secret field never shows the stored value, and hides what is typed.
 */
export function SchemaForm({ fields, ...rest }: SchemaFormProps) {
  return (
    <div class="schema-form">
      {fields.map((field) => (
        <OneField key={field.name} field={field} {...rest} />
      ))}
    </div>
  );
}

type OneFieldProps = Omit<SchemaFormProps, "fields"> & { readonly field: SchemaField };

function OneField({ field, texts, onText, problems = {}, about, disabled = false }: OneFieldProps) {
  const common = {
    label: field.label,
    hint: <Hint field={field} {...(about && { more: about(field) })} />,
    problem: problems[field.name],
    name: field.name,
    value: texts[field.name] ?? "",
    onValue: (text: string) => onText(field.name, text),
    // Not the attribute `required`: the browser would block the request, and the service has the better message.
    isMarkedRequired: field.isRequired,
    disabled,
  };
  const none = field.default === undefined ? "" : ` (default: ${field.default})`;
  switch (field.kind) {
    case "choice":
      return (
        <SelectField
          {...common}
          choices={[{ value: "", label: `not set${none}` }, ...field.choices.map((value) => ({ value, label: value }))]}
        />
      );
    case "boolean":
      return (
        <SelectField
          {...common}
          choices={[
            { value: "", label: `not set${none}` },
            { value: "true", label: "yes" },
            { value: "false", label: "no" },
          ]}
        />
      );
    case "lines":
      return <AreaField {...common} rows={5} isSecret={field.isSecret} />;
    case "json":
      return <AreaField {...common} rows={common.value.split("\n").length > 3 ? 8 : 3} />;
    default:
      return (
        <TextField
          {...common}
          {...(field.kind === "number" && { inputMode: "decimal" as const })}
          type={field.isSecret ? "password" : inputTypeOf(field.format)}
          autocomplete={field.isSecret ? "new-password" : "off"}
        />
      );
  }
}

/** The input types that help with typing and do not change the text. */
function inputTypeOf(format: string | undefined): "text" | "date" | "email" | "url" {
  switch (format) {
    case "date":
    case "email":
      return format;
    case "uri":
      return "url";
    default:
      return "text";
  }
}

function Hint({ field, more }: { readonly field: SchemaField; readonly more?: ComponentChildren }) {
  const { description, kind, schema, isSecret, examples } = field;
  const json = kind === "json" && `As JSON${schema["type"] === "array" ? ", a list" : ""}.`;
  const says = [description && asSentence(description), json].filter(Boolean).join(" ");
  // An example of several lines would make the form too long.
  const example = isSecret ? undefined : examples.find((text) => text !== "" && !text.includes("\n"));
  if (says === "" && example === undefined && !more) return null;
  return (
    <>
      <ProseLine>{says}</ProseLine>
      {example !== undefined && (
        <>
          {says && " "}
          Example: <code>{example}</code>
        </>
      )}
      {more && <span class="schema-form-more">{more}</span>}
    </>
  );
}

/** Adds the capital and the full stop that an author's description may lack. */
function asSentence(text: string): string {
  const trimmed = text.trim();
  return `${trimmed.slice(0, 1).toUpperCase()}${trimmed.slice(1)}${/[.!?:;]$/.test(trimmed) ? "" : "."}`;
}
