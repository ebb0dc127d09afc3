import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { findVerbs } from "../src/admin/find-verbs.ts";
import { openApiDocument } from "../src/http/public-openapi.ts";
import { adminOpenApiDocument } from "../src/admin/http/admin-openapi.ts";
import { verbTypes } from "./console/write-verb-types.ts";

/** Writes the contracts beside the README, and what the console takes from its own; tests fail when a file is not what the code says. */
function write(file: string, text: string): void {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const admin = await adminOpenApiDocument(findVerbs());
write("openapi.json", `${JSON.stringify(openApiDocument(), null, 2)}\n`);
write("openapi-admin.json", `${JSON.stringify(admin, null, 2)}\n`);
write("console/api/verbs.ts", verbTypes(admin));
