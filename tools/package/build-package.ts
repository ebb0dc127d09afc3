import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildConsole } from "../console/build-console.ts";
import { readDeployment } from "../../src/composition/deployment.ts";
import { hasChanges } from "./has-changes.ts";

/** What the service reads that is not code. */
const DATA = [
  "catalog/**/*.{yaml,yml,json}",
  "src/sources/declarative/source.schema.json",
  "src/admin/state/state.schema.json",
  "src/sdk/project.tsconfig.json",
  "src/contract/client/{typescript,python}/client.{js,d.ts,py}",
];

const TSC = join(dirname(fileURLToPath(import.meta.resolve("typescript/package.json"))), "bin/tsc");

/**
 * Writes `dist` in a checkout: its `src` and `catalog` with JavaScript in place of TypeScript, the declarations of what
 * `import … from "datarun"` gives, the console as browsers get it, and the commit, whose
 * version ends in `-dirty` if the checkout has changes that it does not have. Types are not checked here; `./check` does.
 */
export async function buildPackage(checkout: string): Promise<void> {
  // Before anything is written.
  const { gitSha, gitDerivedVersion } = readDeployment(checkout);
  const version = hasChanges(checkout) ? `${gitDerivedVersion}-dirty` : gitDerivedVersion;
  const dist = join(checkout, "dist");
  rmSync(dist, { recursive: true, force: true });
  compile(join(checkout, "tools/package/code.tsconfig.json"));
  compile(join(checkout, "tools/package/types.tsconfig.json"));
  for (const file of globSync("types/**/*.d.ts", { cwd: dist })) nameAsEmitted(join(dist, file));
  for (const file of globSync(DATA, { cwd: checkout })) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    cpSync(join(checkout, file), join(dist, file));
  }
  const config = join(dist, "src/sdk/project.tsconfig.json");
  writeFileSync(config, readFileSync(config, "utf8").replace("./index.ts", "../../types/sdk/index.d.ts"));
  mkdirSync(join(dist, "console"));
  for (const { name, text } of await buildConsole()) writeFileSync(join(dist, "console", name), text);
  const info = { git_sha: gitSha, git_derived_version: version };
  writeFileSync(join(dist, "build-info.json"), `${JSON.stringify(info)}\n`);
}

function compile(project: string): void {
  execFileSync(process.execPath, [TSC, "-p", project], {
    stdio: ["ignore", 2, 2],
  });
}

/** The compiler renames imports in code, but not in declarations. */
function nameAsEmitted(file: string): void {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll(/(from |import\()"(\.[^"]*)\.ts"/g, '$1"$2.js"'));
}
