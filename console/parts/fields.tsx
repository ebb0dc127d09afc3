import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import "./fields.css";

interface FieldProps {
  readonly label: string;
  /** Further help below the label. */
  readonly hint?: ComponentChildren;
  /** The problem with the value. */
  readonly problem?: string | undefined;
  readonly name?: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly required?: boolean;
  /** Marks the field as required without the browser's own check, because the service checks it. */
  readonly isMarkedRequired?: boolean;
  readonly disabled?: boolean;
}

interface TextFieldProps extends FieldProps {
  readonly type?: "text" | "password" | "search" | "date" | "datetime-local" | "email" | "tel" | "url";
  readonly inputMode?: "numeric" | "decimal";
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly list?: readonly string[];
}

/** A field for one line of text. */
export function TextField({
  type = "text",
  inputMode,
  autocomplete = "off",
  placeholder,
  list,
  ...field
}: TextFieldProps) {
  const id = useId();
  return (
    <Field {...field} id={id}>
      <input
        {...(attributesOf(field, id) as object)}
        {...({ type, inputMode, autocomplete, placeholder, list: list && `${id}-list` } as object)}
        spellcheck={false}
        onInput={(event: Event) => field.onValue((event.currentTarget as HTMLInputElement).value)}
      />
      {list && (
        <datalist id={`${id}-list`}>
          {list.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
    </Field>
  );
}

/** A field for several lines of text, such as JSON. */
export function AreaField({
  rows = 4,
  isSecret = false,
  ...field
}: FieldProps & { readonly rows?: number; readonly isSecret?: boolean }) {
  const id = useId();
  return (
    <Field {...field} id={id}>
      <textarea
        {...attributesOf(field, id)}
        class={isSecret ? "is-secret" : undefined}
        autocomplete="off"
        rows={rows}
        spellcheck={false}
        onInput={(event) => field.onValue(event.currentTarget.value)}
      />
    </Field>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** A field that offers a few choices. */
export function SelectField({ choices, ...field }: FieldProps & { readonly choices: readonly Choice[] }) {
  const id = useId();
  return (
    <Field {...field} id={id}>
      <select {...attributesOf(field, id)} onChange={(event) => field.onValue(event.currentTarget.value)}>
        {choices.map(({ value, label }) => (
          <option key={value} value={value} selected={value === field.value}>
            {label}
          </option>
        ))}
      </select>
    </Field>
  );
}

interface CheckFieldProps {
  readonly label: ComponentChildren;
  readonly name?: string;
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
  readonly disabled?: boolean;
}

export function CheckField({ label, name, checked, onChecked, disabled = false }: CheckFieldProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        name={name}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChecked(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

/** Label, hint and problem of a control. The caller renders the control with this id. */
export function Field({
  id,
  label,
  hint,
  problem,
  required = false,
  isMarkedRequired = required,
  children,
}: Pick<FieldProps, "label" | "hint" | "problem" | "required" | "isMarkedRequired"> & {
  readonly id: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isMarkedRequired && <span class="dim"> (required)</span>}
      </label>
      {children}
      {hint && (
        <p id={`${id}-hint`} class="field-hint">
          {hint}
        </p>
      )}
      {problem && (
        <p id={`${id}-problem`} class="field-problem">
          {problem}
        </p>
      )}
    </div>
  );
}

function attributesOf(field: FieldProps, id: string) {
  const { name, value, required, isMarkedRequired, disabled, hint, problem } = field;
  const about = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
  return {
    id,
    name,
    value,
    required,
    disabled,
    "aria-required": isMarkedRequired === true ? true : undefined,
    "aria-invalid": problem !== undefined,
    "aria-describedby": about === "" ? undefined : about,
  };
}
