import { readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { ConsoleFile } from "../../src/admin/http/ports.ts";

const FOLDER = fileURLToPath(new URL("../../console", import.meta.url));

/**
 * Bundles the console's pages: one page, one style sheet, one script, and scripts that it loads. Their names have a hash of their
 * content, so browsers may keep them.
 */
export async function buildConsole(): Promise<ConsoleFile[]> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: FOLDER,
    entryPoints: ["main.tsx"],
    entryNames: "console-[hash]",
    // Parts of pages that are loaded when they are first shown.
    chunkNames: "part-[hash]",
    splitting: true,
    outdir: "out",
    write: false,
    metafile: true,
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
  const nameOf = (extension: string) =>
    built.find(({ name }) => name.startsWith("console-") && extname(name) === extension)!.name;
  const script = nameOf(".js");
  // What the script shares with the parts. Without a link, a browser would ask for it only after it has read the script.
  const shared = metafile.outputs[`out/${script}`]!.imports.filter(({ kind }) => kind === "import-statement").map(
    ({ path }) => basename(path),
  );
  const page = readFileSync(join(FOLDER, "index.html"), "utf8")
    .replace("%STYLE%", `/console/${nameOf(".css")}`)
    .replace("%SCRIPT%", `/console/${script}`)
    .replace("%SHARED%", shared.map((name) => `<link rel="modulepreload" href="/console/${name}" />`).join("\n    "));
  return [{ name: "index.html", text: page }, ...withoutPartStyles(built, nameOf(".css"))];
}

/** The style sheet of the page has the rules of its parts too, because nothing loads theirs. */
function withoutPartStyles(built: readonly ConsoleFile[], whole: string): ConsoleFile[] {
  const all = built.find(({ name }) => name === whole)!.text;
  for (const { name, text } of built) {
    if (extname(name) !== ".css" || name === whole) continue;
    const missing = text.split("}").find((rule) => !all.includes(rule.trim()));
    if (missing !== undefined) throw new Error(`the style sheet of the console has no rule ${missing}}`);
  }
  return built.filter(({ name }) => extname(name) !== ".css" || name === whole);
}
