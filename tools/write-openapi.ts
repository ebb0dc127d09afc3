import { writeFileSync } from "node:fs";
import { findVerbs } from "../src/admin/find-verbs.ts";
import { openApiDocument } from "../src/http/openapi.ts";
import { adminOpenApiDocument } from "../src/admin-api/openapi.ts";

/** Writes the contracts beside the README; a test fails when a file is not what the code says. */
function write(file: string, document: object): void {
  writeFileSync(new URL(`../${file}`, import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
}

write("openapi.json", openApiDocument());
write("openapi-admin.json", await adminOpenApiDocument(findVerbs()));
