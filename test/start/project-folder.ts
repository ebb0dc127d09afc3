import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestLife } from "../vendor/scripted-vendor.ts";

/** A project folder far from the checkout, with no package.json and no node_modules above it. */
export function project(t: TestLife, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "datarun-project-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
