import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GENERATED_MARK } from "./reference/markdown.ts";
import { GENERATED_FOLDERS, PACKAGE_ROOT, referencePages } from "./reference/pages.ts";

/** Writes `docs/reference`, `docs/catalog` and the schemas of source and state files; a test fails when one is not what the code says. */
const pages = await referencePages();
const written = new Set(pages.map(({ path }) => path));
for (const file of globSync(
  GENERATED_FOLDERS.map((folder) => `${folder}/**/*.md`),
  { cwd: PACKAGE_ROOT },
)) {
  const isGenerated = readFileSync(join(PACKAGE_ROOT, file), "utf8").startsWith(GENERATED_MARK);
  if (isGenerated && !written.has(file)) rmSync(join(PACKAGE_ROOT, file));
}
for (const { path, text } of pages) {
  mkdirSync(dirname(join(PACKAGE_ROOT, path)), { recursive: true });
  writeFileSync(join(PACKAGE_ROOT, path), text);
}
process.stdout.write(`${pages.length} pages written\n`);
