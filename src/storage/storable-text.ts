/**
 * Text in a form that both engines can store. PostgreSQL cannot store U+0000, and UTF-8 has no lone surrogates, yet an
 * id from a client may contain either. Such an id must neither make an insert fail nor equal the id of another row.
 * Each such unit is written as U+001A ("substitute") and its four hex digits, and so is U+001A itself, so the
 * conversion is reversible and preserves equality. Ordinary text does not change.
 */
export function toStorable(text: string): string {
  if (text.isWellFormed() && !text.includes(NUL) && !text.includes(SUBSTITUTE)) return text;
  return text.replaceAll(SUBSTITUTE, written).replaceAll(NUL, written).replaceAll(LONE_SURROGATE, written);
}

export function fromStorable(stored: string): string {
  const [head, ...rest] = stored.split(SUBSTITUTE);
  return head + rest.map((part) => String.fromCharCode(Number.parseInt(part.slice(0, 4), 16)) + part.slice(4)).join("");
}

const NUL = "\u0000";
const SUBSTITUTE = "\u001a";
/** With the flag `u`, half of a surrogate pair does not match. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

function written(unit: string): string {
  return SUBSTITUTE + unit.charCodeAt(0).toString(16).padStart(4, "0");
}

/** The parameters of a statement in a form that every engine accepts. */
export function toStorableParameters(parameters: readonly unknown[]): unknown[] {
  return parameters.map((value) => (typeof value === "string" ? toStorable(value) : value));
}

/** Restores the original text in a row from an engine. */
export function fromStorableRow<RowType>(row: RowType): RowType {
  const columns = row as Record<string, unknown>;
  for (const [name, value] of Object.entries(columns)) {
    if (typeof value === "string" && value.includes(SUBSTITUTE)) columns[name] = fromStorable(value);
  }
  return row;
}
