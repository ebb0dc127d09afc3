import type { Json, JsonObject } from "../terms/json/json.ts";
import { didYouMeanAnyOf } from "../terms/text/nearest.ts";
import type { FileRowValues } from "../row-files/row-file.ts";
import { type BatchSpec, typesOf, usage, valueOfText } from "./batch-spec.ts";
import type { PlannedTarget } from "./plan.ts";

export interface ColumnMapping {
  readonly columns: Readonly<Record<string, string>>;
  /** Sentences for the person: what fills each input, what is not sent, and what is missing. */
  readonly remarks: readonly string[];
}

/**
 * Adds to the given columns those whose names are like those of inputs: upper and lower case, blanks, dots, dashes and
 * underscores do not count.
 * @throws OperatorError if a column that is named does not exist, or an input could be filled by several
 */
export function mapColumns(
  given: Pick<BatchSpec, "columns" | "constants" | "kept">,
  available: readonly string[],
  targets: readonly PlannedTarget[],
): ColumnMapping {
  for (const column of [...Object.values(given.columns), ...given.kept])
    if (!available.includes(column)) throw usage(`The file has no column ${column}. ${hintFor(column, available)}`);
  for (const name of Object.keys(given.columns))
    if (Object.hasOwn(given.constants, name)) throw usage(`--map and --const both name the input ${name}.`);
  const inputs = [...new Set(targets.flatMap(({ inputNames }) => inputNames))];
  const columns = { ...given.columns };
  for (const name of inputs) {
    if (Object.hasOwn(columns, name) || Object.hasOwn(given.constants, name)) continue;
    const alike = available.filter((column) => folded(column) === folded(name));
    const chosen = alike.includes(name) ? [name] : alike;
    if (chosen.length > 1)
      throw usage(`The columns ${chosen.join(" and ")} could fill the input ${name}. Choose with --map ${name}=…`);
    if (chosen.length === 1) columns[name] = chosen[0]!;
  }
  const named = [...Object.keys(columns), ...Object.keys(given.constants)];
  if (named.length === 0)
    throw usage(
      inputs.length === 0
        ? [
            ...targets.flatMap(({ problem }) => problem ?? []),
            "The inputs of what is asked are not known here, so no column can be matched: give --map input=Column.",
          ].join(" ")
        : `No column is like an input: give --map input=Column. Inputs: ${inputs.join(", ")}. Columns: ${available.join(", ")}.`,
    );
  return { columns, remarks: remarksOn(columns, given, available, inputs, targets) };
}

function remarksOn(
  columns: Readonly<Record<string, string>>,
  { constants, kept }: Pick<BatchSpec, "constants" | "kept">,
  available: readonly string[],
  inputs: readonly string[],
  targets: readonly PlannedTarget[],
): string[] {
  const filled = [
    ...Object.entries(columns).map(([name, column]) => `${name} from ${column}`),
    ...Object.keys(constants).map((name) => `${name} by --const`),
  ];
  const sent = new Set(Object.values(columns));
  const unused = available.filter((column) => !sent.has(column) && !kept.includes(column));
  const has = (name: string) => Object.hasOwn(columns, name) || Object.hasOwn(constants, name);
  const missing = targets.flatMap(({ id, requiredNames }) =>
    requiredNames.filter((name) => !has(name)).map((name) => `${name} of ${id}`),
  );
  const isKnown = targets.every((target) => target.isKnown);
  const named = [...Object.keys(columns), ...Object.keys(constants)];
  const undeclared = isKnown ? named.filter((name) => !inputs.includes(name)) : [];
  return [
    `Inputs: ${filled.join(", ")}.`,
    ...(unused.length === 0 ? [] : [`Columns that are not sent: ${unused.join(", ")}.`]),
    ...(missing.length === 0 ? [] : [`Required inputs without a column: ${missing.join(", ")}.`]),
    ...undeclared.map((name) => `Nothing takes an input ${name}. ${didYouMeanAnyOf(name, inputs) ?? ""}`.trim()),
  ];
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[\s._-]/g, "");
}

function hintFor(column: string, available: readonly string[]): string {
  return didYouMeanAnyOf(column, available) ?? `It has: ${available.slice(0, 50).join(", ")}.`;
}

/** Converts the values of a row to the inputs of a request. Empty cells are left out. */
export type ToInputs = (values: FileRowValues) => JsonObject;

/** @param areTexts the cells of the file are texts, which are converted by the types of the inputs */
export function createToInputs(spec: BatchSpec, targets: readonly PlannedTarget[], areTexts: boolean): ToInputs {
  const typesFor = (name: string) =>
    new Set(targets.flatMap(({ schema }) => (schema === null ? [] : [...typesOf(schema, name)])));
  const constants = Object.fromEntries(
    Object.entries(spec.constants).map(([name, text]) => [name, valueOfText(text, typesFor(name))]),
  );
  const columns = Object.entries(spec.columns).map(([name, column]) => ({ name, column, types: typesFor(name) }));
  return (values) => {
    const inputs: Record<string, Json> = { ...constants };
    for (const { name, column, types } of columns) {
      const value = Object.hasOwn(values, column) ? values[column]! : null;
      if (value === null || value === "") continue;
      inputs[name] = areTexts && typeof value === "string" ? valueOfText(value, types) : value;
    }
    return inputs;
  };
}
