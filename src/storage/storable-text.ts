/**
 * Text as both engines can keep it. PostgreSQL cannot hold U+0000, and UTF-8 has no lone surrogates, yet an id that a
 * stranger sent may contain either and must fail no insert and meet no other row. Each such unit is written as U+001A
 * ("substitute") and its four hex digits, U+001A itself likewise, so that the way back is exact and equality holds.
 * Ordinary text is unchanged.
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
/** With the flag `u`, a half of a pair is no surrogate of its own. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

function written(unit: string): string {
  return SUBSTITUTE + unit.charCodeAt(0).toString(16).padStart(4, "0");
}

/** The parameters of a statement as an engine may be given them. */
export function toStorableParameters(parameters: readonly unknown[]): unknown[] {
  return parameters.map((value) => (typeof value === "string" ? toStorable(value) : value));
}

/** A row that an engine returned, its text as it was before it was stored. */
export function fromStorableRow<RowType>(row: RowType): RowType {
  const columns = row as Record<string, unknown>;
  for (const [name, value] of Object.entries(columns)) {
    if (typeof value === "string" && value.includes(SUBSTITUTE)) columns[name] = fromStorable(value);
  }
  return row;
}
