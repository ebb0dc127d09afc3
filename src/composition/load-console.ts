import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ConsoleFile } from "../admin/http/ports.ts";
import { PACKAGE_ROOT } from "../project/package-root.ts";
import { MODULE_EXTENSION, moduleBeside } from "../terms/platform/module-beside.ts";

const BYTES_MAX = 16 * 1_048_576;

/**
 * Loads the console's files for browsers: from the package, or in a checkout by bundling them in a separate process.
 */
export async function loadConsole(): Promise<readonly ConsoleFile[]> {
  return MODULE_EXTENSION === ".js" ? readBuilt(join(PACKAGE_ROOT, "console")) : bundle();
}

async function readBuilt(folder: string): Promise<ConsoleFile[]> {
  const names = await readdir(folder);
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(folder, name), "utf8") })));
}

async function bundle(): Promise<ConsoleFile[]> {
  const script = fileURLToPath(moduleBeside("../../tools/console/print-console.ts", import.meta.url));
  // The bundler gets no environment variables, because the service's may be secrets.
  const options = { maxBuffer: BYTES_MAX, env: {} };
  const { stdout } = await promisify(execFile)(process.execPath, [script], options);
  return JSON.parse(stdout) as ConsoleFile[];
}
