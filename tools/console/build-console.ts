import { readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { ConsoleFile } from "../../src/admin/http/ports.ts";

const FOLDER = fileURLToPath(new URL("../../console", import.meta.url));

/**
 * Bundles the console's pages: one page, one script and one style sheet. The names of the last two have a hash of their
 * content, so browsers may keep them.
 */
export async function buildConsole(): Promise<ConsoleFile[]> {
  const { outputFiles } = await build({
    absWorkingDir: FOLDER,
    entryPoints: ["main.tsx"],
    entryNames: "console-[hash]",
    outdir: "out",
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2024",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "silent",
    tsconfigRaw: {},
  });
  const built = outputFiles.map(({ path, text }) => ({ name: basename(path), text }));
  const nameOf = (extension: string) => built.find(({ name }) => extname(name) === extension)!.name;
  const page = readFileSync(join(FOLDER, "index.html"), "utf8")
    .replace("%STYLE%", `/console/${nameOf(".css")}`)
    .replace("%SCRIPT%", `/console/${nameOf(".js")}`);
  return [{ name: "index.html", text: page }, ...built];
}
