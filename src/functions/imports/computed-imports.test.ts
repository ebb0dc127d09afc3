import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { build, transform, type Message, type Plugin } from "esbuild";
import fc from "fast-check";
import { ComputedImport, spellOutImports } from "./computed-imports.ts";
import { gatherEvidence } from "./evidence.ts";

const READING = { platform: "neutral", target: "es2024", tsconfigRaw: {}, logLevel: "silent" } as const;

/**
 * Expressions that may be a path, in the forms that TypeScript allows. No pieces that could form `..`: if the tested
 * check failed, the bundler would search the whole disk.
 */
const { path } = fc.letrec<{ path: string }>((tie) => ({
  path: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom('"./"', "'./a/'", '"/"', '""', "`./`", '"\\x2e/"', "'it\\'s'", '"./b.json"', "``", "`./\\${`"),
    fc.constantFrom("x", "y.z", "f(x)", "1", "At.Here", "null", "process.env.NODE_ENV", "/[/]`/.source"),
    fc
      .tuple(tie("path"), fc.constantFrom("+", " + ", "+\n", "/* a */+ // b\n"), tie("path"))
      .map((parts) => parts.join("")),
    fc.tuple(tie("path"), tie("path")).map(([a, b]) => `\`\${${a}}\${${b}}\``),
    fc.tuple(tie("path"), fc.constantFrom("./", "a/", ".json", "")).map(([a, text]) => `\`${text}\${${a}}${text}\``),
    tie("path").map((a) => `(${a})`),
    tie("path").map((a) => `(${a} as string)`),
    tie("path").map((a) => `(${a})!`),
    fc.tuple(tie("path"), tie("path")).map(([a, b]) => `(x ? ${a} : ${b})`),
    fc.tuple(tie("path"), tie("path")).map(([a, b]) => `(${a}, ${b})`),
  ),
}));

const callee = fc.constantFrom(
  "import(",
  "import (",
  "import/* a */(",
  "require(",
  "require (",
  "(require)(",
  "require?.(",
  "req\\u0075ire(",
  "...require(",
);

test("however a path is put together, the bundler never sees a pattern that it would search the disk for", async (t) => {
  const empty = await mkdtemp(join(tmpdir(), "datarun-empty-"));
  t.after(() => rm(empty, { recursive: true, force: true }));
  const counted = { refused: 0, patterns: 0 };

  async function isPattern(contents: string): Promise<boolean> {
    const stdin = { contents, loader: "ts", resolveDir: empty } as const;
    const external: Plugin = {
      name: "external",
      setup: ({ onResolve }) =>
        onResolve({ filter: /(?:)/ }, ({ path, kind }) => (kind === "entry-point" ? null : { path, external: true })),
    };
    try {
      const { warnings } = await build({
        ...READING,
        stdin,
        bundle: true,
        write: false,
        format: "iife",
        plugins: [external],
      });
      return warnings.some(({ id }) => id === "empty-glob");
    } catch (error) {
      const [first] = (error as { errors: readonly Message[] }).errors;
      assert.match(first!.text, /^Could not resolve (import|require)\(.*\*/);
      return true;
    }
  }

  await fc.assert(
    fc.asyncProperty(
      callee,
      fc.oneof(
        path,
        path.map((rest) => `"./" + ${rest}`),
      ),
      async (called, argument) => {
        const code = `enum At { Here = "./a/" }\nexport const got = (x, y, f) => [${called}${argument})];`;
        let spelled: string | null;
        try {
          const of = { file: join(empty, "a.ts"), scope: { folder: empty, isPackage: false } };
          spelled = await spellOutImports(code, { ...READING, loader: "ts" }, transform, of, gatherEvidence());
        } catch (error) {
          assert.ok(error instanceof ComputedImport, String(error));
          assert.equal(error.line, 2);
          spelled = null;
        }
        if (spelled !== null) assert.equal(await isPattern(spelled), false);
        else counted.refused += 1;
        if (await isPattern(code)) counted.patterns += 1;
      },
    ),
    { numRuns: 300 },
  );
  assert.ok(counted.patterns > 20, `${counted.patterns} of 300 were patterns`);
  assert.ok(counted.refused >= counted.patterns);
});
