import { writeFileSync } from "node:fs";
import { openApiDocument } from "../src/http/openapi.ts";

/** Writes the contract beside the README; a test fails when the file is not what the code says. */
writeFileSync(new URL("../openapi.json", import.meta.url), `${JSON.stringify(openApiDocument(), null, 2)}\n`);
