import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Declaration {
  readonly file: string;
  readonly name: string;
  readonly isType: boolean;
  readonly isExported: boolean;
}

/** The declarations at the top level of every file that a service runs. */
const DECLARATIONS: readonly Declaration[] = globSync("src/**/*.ts", { cwd: root })
  // A generated client is a program of its own, whose callers know the words of the contract.
  .filter((file) => !/\.(test|kit|as)\.ts$/.test(file) && !file.startsWith("src/contract/client/"))
  .flatMap((file) => {
    const code = readFileSync(join(root, file), "utf8");
    const declared =
      /^(export )?(?:declare )?(?:abstract )?(?:async )?(interface|type|class|function\*?|const|let) ([A-Za-z_$][\w$]*)/gm;
    // One declaration may have several signatures.
    const found = new Map<string, Declaration>();
    for (const [, exported, kind, name] of code.matchAll(declared))
      found.set(name!, {
        file,
        name: name!,
        isType: /interface|type|class/.test(kind!),
        isExported: exported !== undefined,
      });
    return [...found.values()];
  });

const EXPORTED = DECLARATIONS.filter(({ isExported }) => isExported);

/** The first cells of the rows of the tables below a heading. */
function firstCells(page: string, heading: string): readonly string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  assert.ok(section !== undefined, `the page has no section "${heading}"`);
  return [...section.matchAll(/^\| (.*?) \|/gm)].map(([, cell]) => cell!).slice(1);
}

const namesIn = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

const glossary = readFileSync(join(root, "docs/reference/code-glossary.md"), "utf8");

test("the name of a type is declared once, or in one file alone if it is not exported", () => {
  const exporting = Map.groupBy(
    EXPORTED.filter(({ isType }) => isType),
    ({ name }) => name,
  );
  const twice = [...exporting].flatMap(([name, all]) =>
    all.length > 1 ? [`${name}: ${all.map(({ file }) => file).join(", ")}`] : [],
  );
  assert.deepEqual(twice, [], "one name has one meaning");
  const hidden = DECLARATIONS.filter(({ isType, isExported, name }) => isType && !isExported && exporting.has(name));
  assert.deepEqual(
    hidden.map(({ file, name }) => `${name} in ${file} has the name of a type of ${exporting.get(name)![0]!.file}`),
    [],
  );
});

test("every name in the glossary of the code is exported", () => {
  const names = new Set(EXPORTED.map(({ name }) => name));
  const absent = firstCells(glossary, "Terms")
    .flatMap(namesIn)
    .filter((name) => !names.has(name));
  assert.deepEqual(absent, []);
});

test("no exported name has a word that the glossary replaces", () => {
  const replaced = new Set(firstCells(glossary, "Words that are not used").flatMap(namesIn));
  assert.ok(replaced.size > 0);
  const wordsOf = (name: string): readonly string[] =>
    name.split(/_|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
  const wrong = EXPORTED.flatMap(({ file, name }) =>
    wordsOf(name)
      .filter((word) => replaced.has(word))
      .map((word) => `${name} in ${file}: not "${word}"`),
  );
  assert.deepEqual(wrong, [], "docs/reference/code-glossary.md says which word to use");
});
