import { publishedStateSchema } from "../../src/admin/state/state-schema.ts";
import type { Page } from "./markdown.ts";

/** The schema of state files, for editors. */
export function stateSchemaFile(): Page {
  return { path: "src/admin/state/state.schema.json", text: `${JSON.stringify(publishedStateSchema(), null, 2)}\n` };
}
