// Writes `../source.schema.json`, which editors read. Run it after each change of `format.ts`.
import { writeFileSync } from "node:fs";
import { publishedSchema } from "./format.ts";

writeFileSync(new URL("../source.schema.json", import.meta.url), `${JSON.stringify(publishedSchema(), null, 2)}\n`);
