import type { ComponentChildren } from "preact";
import { AreaField, SelectField, TextField } from "./fields.tsx";
import { ProseLine } from "./prose.tsx";
import type { Problems, SchemaField, Texts } from "./schema-fields.ts";
import "./schema-form.css";

interface SchemaFormProps {
  /** From `fieldsOf(schema)`. */
  readonly fields: readonly SchemaField[];
  /** What is in the fields. The caller keeps it, so it survives a change of the fields. */
  readonly texts: Texts;
  readonly onText: (name: string, text: string) => void;
  /** From `readTexts`, or from a refusal with `problemsAt`. */
  readonly problems?: Problems;
  /** Below a field: what else to say of it, such as who reads it. */
  readonly about?: (field: SchemaField) => ComponentChildren;
  readonly disabled?: boolean;
}

/**
 * The fields of a flat JSON Schema. It is the inside of a form: the caller has the button, and reads what was typed with
 * `readTexts`. A secret field never shows what is stored, and what is typed into it is not shown either.
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
    // Not the browser's own check, which would keep a request from being sent that the service can answer.
    isMarkedRequired: field.isRequired,
    disabled,
  };
  const none = field.default === undefined ? "" : ` (${field.default} by default)`;
  switch (field.kind) {
    case "choice":
      return (
        <SelectField
          {...common}
          choices={[
            { value: "", label: `not given${none}` },
            ...field.choices.map((value) => ({ value, label: value })),
          ]}
        />
      );
    case "boolean":
      return (
        <SelectField
          {...common}
          choices={[
            { value: "", label: `not given${none}` },
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

/** Types with which a browser helps to type, and changes nothing of what is typed. */
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
  const json = kind === "json" && `In JSON${schema["type"] === "array" ? ": a list" : ""}.`;
  const says = [description && asSentence(description), json].filter(Boolean).join(" ");
  // An example of several lines would be longer than the form.
  const example = isSecret ? undefined : examples.find((text) => text !== "" && !text.includes("\n"));
  if (says === "" && example === undefined && !more) return null;
  return (
    <>
      <ProseLine>{says}</ProseLine>
      {example !== undefined && (
        <>
          {says && " "}
          For example <code>{example}</code>
        </>
      )}
      {more && <span class="schema-form-more">{more}</span>}
    </>
  );
}

/** Authors begin a description with a capital or without, and end it with a full stop or without. */
function asSentence(text: string): string {
  const trimmed = text.trim();
  return `${trimmed.slice(0, 1).toUpperCase()}${trimmed.slice(1)}${/[.!?:;]$/.test(trimmed) ? "" : "."}`;
}
