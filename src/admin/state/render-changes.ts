import type { Json } from "../../terms/json/json.ts";
import type { toWireChange } from "./plan-wire.ts";

const SIGNS = { create: "+", adopt: "=", update: "~", replace: "±", remove: "-" } as const;

/** One line for each change, and one for each field that differs. */
export function renderChanges(changes: readonly ReturnType<typeof toWireChange>[]): string {
  return changes
    .map(({ action, kind, object, id, drift, needs_prune, fields }) => {
      const remarks = [...(drift ? ["changed since the last apply"] : []), ...(needs_prune ? ["needs --prune"] : [])];
      const more = remarks.length === 0 ? "" : ` (${remarks.join(", ")})`;
      const head = `${SIGNS[action]} ${action} ${kind} ${object}${id === null ? "" : ` ${id}`}${more}\n`;
      const isNew = action === "create";
      return (
        head +
        fields
          .filter(({ after }) => !isNew || !isEmpty(after))
          .map(({ field, before, after }) =>
            isNew
              ? `    ${field}: ${valueText(after)}\n`
              : `    ${field}: ${valueText(before)} -> ${valueText(after)}\n`,
          )
          .join("")
      );
    })
    .join("");
}

function valueText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What a new object has without being told. */
function isEmpty(value: Json): boolean {
  return value === null || value === false || (typeof value === "object" && Object.keys(value).length === 0);
}
