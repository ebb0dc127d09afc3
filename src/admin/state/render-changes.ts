import type { Json } from "../../terms/json/json.ts";
import type { toWireChange } from "./plan-wire.ts";

const SIGNS = { create: "+", adopt: "=", update: "~", replace: "±", remove: "-" } as const;

/** One line for each change, and one for each field that differs. Only without `--prune` is it said where it is needed. */
export function renderChanges(changes: readonly ReturnType<typeof toWireChange>[], isPruning: boolean): string {
  return changes
    .map(({ action, kind, object, id, drift, needs_prune, fields }) => {
      const lacksPrune = needs_prune && !isPruning;
      const remarks = [...(drift ? ["changed since the last apply"] : []), ...(lacksPrune ? ["needs --prune"] : [])];
      const more = remarks.length === 0 ? "" : ` (${remarks.join(", ")})`;
      const head = `${SIGNS[action]} ${action} ${kind} ${object}${id === null ? "" : ` ${id}`}${more}\n`;
      return head + linesOf(action, fields).join("");
    })
    .join("");
}

/** An object that comes or goes has one value in each field. */
function linesOf(action: keyof typeof SIGNS, fields: ReturnType<typeof toWireChange>["fields"]): readonly string[] {
  if (action !== "create" && action !== "remove")
    return fields.map(({ field, before, after }) => `    ${field}: ${valueText(before)} -> ${valueText(after)}\n`);
  return fields
    .map(({ field, before, after }) => ({ field, value: action === "create" ? after : before }))
    .filter(({ value }) => !isEmpty(value))
    .map(({ field, value }) => `    ${field}: ${valueText(value)}\n`);
}

function valueText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What a new object has without being told. */
function isEmpty(value: Json): boolean {
  return value === null || value === false || (typeof value === "object" && Object.keys(value).length === 0);
}
