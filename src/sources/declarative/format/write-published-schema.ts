// Writes `../source.schema.json`, the format's schema as editors read it. Run it after a change of `format.ts`.
import { writeFileSync } from "node:fs";
import { publishedSchema } from "./format.ts";

writeFileSync(new URL("../source.schema.json", import.meta.url), `${JSON.stringify(publishedSchema(), null, 2)}\n`);
