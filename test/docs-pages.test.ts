import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { GENERATED_MARK } from "../tools/reference/markdown.ts";
import { GENERATED_FOLDERS, PACKAGE_ROOT, referencePages } from "../tools/reference/pages.ts";
import { startCommand } from "./rig/command.ts";
import { steady, testedBlock } from "./rig/demo-page.ts";

const read = (path: string) => readFileSync(join(PACKAGE_ROOT, path), "utf8");
const PAGES = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  ...globSync("{docs,changes}/**/*.md", { cwd: PACKAGE_ROOT }),
];

test("every generated page is what the code says", async () => {
  const pages = await referencePages();
  for (const { path, text } of pages)
    assert.equal(existsSync(join(PACKAGE_ROOT, path)) ? read(path) : "", text, `${path}: run npm run docs`);
  const found = globSync(
    GENERATED_FOLDERS.map((folder) => `${folder}/**/*.md`),
    { cwd: PACKAGE_ROOT },
  ).filter((file) => read(file).startsWith(GENERATED_MARK));
  const written = pages.map(({ path }) => path).filter((path) => path.endsWith(".md"));
  assert.deepEqual(found.sort(), written.sort(), "a page without a subject: run npm run docs");
});

test("the catalog's index counts the cases of every source and function", () => {
  const rows = read("docs/catalog/README.md").matchAll(/^\| \[`(\w+)`\].* \| (\d+) \|$/gm);
  const counts = new Map([...rows].map(([, id, cases]) => [id!, Number(cases)]));
  assert.ok(counts.size > 20);
  assert.deepEqual(
    [...counts].filter(([, cases]) => cases === 0).map(([id]) => id),
    [],
  );
});

/** The anchors of a page, as a Markdown reader derives them from its headings. */
function anchorsOf(text: string): Set<string> {
  const headings = text
    .replaceAll(/^```[\s\S]*?^```/gm, "")
    .split("\n")
    .filter((line) => /^#{1,6} /.test(line));
  return new Set(
    headings.map((line) =>
      line
        .replace(/^#+ /, "")
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

test("every relative link leads to a file, and its anchor to a heading", () => {
  const broken: string[] = [];
  for (const page of PAGES) {
    const text = read(page).replaceAll(/^```[\s\S]*?^```/gm, "");
    for (const [, link] of text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)) {
      const [path = "", anchor] = link!.split("#");
      const target = path === "" ? page : join(dirname(page), path);
      if (!existsSync(join(PACKAGE_ROOT, target))) broken.push(`${page}: there is no ${target}`);
      else if (anchor !== undefined && !anchorsOf(read(target)).has(anchor))
        broken.push(`${page}: ${target} has no heading #${anchor}`);
    }
  }
  assert.deepEqual(broken, []);
});

test("every page of docs is reached from its index", () => {
  const reached = new Set<string>();
  const visit = (page: string): void => {
    if (reached.has(page) || !page.endsWith(".md") || !existsSync(join(PACKAGE_ROOT, page))) return;
    reached.add(page);
    for (const [, link] of read(page).matchAll(/\]\((?!https?:)([^)#\s]+)/g)) visit(join(dirname(page), link!));
  };
  visit("docs/README.md");
  const lost = globSync("docs/**/*.md", { cwd: PACKAGE_ROOT }).filter((page) => !reached.has(page));
  assert.deepEqual(lost, []);
});

interface Manifest {
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** From what is installed; for the packages of another platform, from the lock file. */
function licenceOf(name: string): string | undefined {
  const installed = ["", "client-generators/"]
    .map((workspace) => `${workspace}node_modules/${name}/package.json`)
    .find((manifest) => existsSync(join(PACKAGE_ROOT, manifest)));
  if (installed !== undefined) return (JSON.parse(read(installed)) as Manifest).license;
  const lock = JSON.parse(read("package-lock.json")) as { packages: Record<string, Manifest> };
  return lock.packages[`node_modules/${name}`]?.license;
}

test("the reference lists every dependency once, with the licence its own package states", () => {
  const names = ["package.json", "client-generators/package.json"].flatMap((manifest) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(manifest)) as Manifest;
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  });
  const rows = read("docs/reference/dependencies.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("`", "")),
    );
  assert.deepEqual(rows.map(([name = ""]) => name).sort(), names.sort());
  for (const [name, licence, use] of rows) {
    assert.equal(licence, licenceOf(name!), `the licence of ${name}`);
    assert.ok(use !== "", `the page says what ${name} is for`);
  }
});

test("NOTICE names packages that are installed, at the version that is installed", () => {
  const names = [...read("NOTICE").matchAll(/(?:^|, )(@?[a-z0-9][\w./-]*) (\d+\.\d+[\d.]*)/gm)];
  assert.ok(names.length >= 10);
  const { dependencies = {} } = JSON.parse(read("package.json")) as Manifest;
  for (const [, name, version] of names) assert.equal(dependencies[name!], version, name);
});

const KINDS = ["added", "changed", "fixed", "removed", "security"];

test("every fragment in changes/ begins with its kind and a sentence", () => {
  for (const file of globSync("changes/*", { cwd: PACKAGE_ROOT })) {
    if (file === join("changes", "README.md")) continue;
    assert.match(file, /^changes[/\\][a-z0-9]+(-[a-z0-9]+)*\.md$/, "is named in kebab-case and ends with .md");
    const [first = ""] = read(file).split("\n");
    assert.match(first, new RegExp(`^(${KINDS.join("|")}): \\S.*\\.$`), `${file}: kind, colon, one sentence`);
  }
});

interface FunctionReply {
  readonly outputs: Readonly<Record<string, { readonly output: unknown }>>;
}

test("the requests of README and tutorial are those the demo prints, and the answers those the service gives", async (t) => {
  const service = await startCommand(t, ["--demo"]);
  const printed = service.stderr();
  const shown = printed
    .replaceAll(service.url, "http://127.0.0.1:8080")
    .replaceAll(/drt_\w+/g, "drt_…")
    .replaceAll(/wfl_\w+/g, "wfl_…");
  const ask = async (request: string): Promise<unknown> => {
    assert.ok(shown.includes(request), "the page shows another command than the demo prints");
    const headers = ["X-Service-Access-Token", "X-Service-Workflow"].map((name) => [
      name,
      new RegExp(`${name}: ([^']+)`).exec(printed)![1]!,
    ]);
    const path = /8080(\/\w+)/.exec(request)![1]!;
    const body = /-d '(.*)'$/.exec(request)![1]!;
    return (
      await fetch(service.url + path, { method: "POST", headers: Object.fromEntries(headers), body: Buffer.from(body) })
    ).json();
  };

  const answer = await ask(testedBlock("request").trim());
  assert.deepEqual(steady(answer), steady(JSON.parse(testedBlock("answer"))));

  assert.equal(testedBlock("readme request", "README.md"), testedBlock("request"));
  const shortened = testedBlock("readme answer", "README.md");
  assert.partialDeepStrictEqual(JSON.parse(testedBlock("answer")), JSON.parse(shortened));

  const functionAnswer = (await ask(testedBlock("function request").trim())) as FunctionReply;
  const [entry] = Object.values(functionAnswer.outputs);
  assert.deepEqual(entry!.output, JSON.parse(testedBlock("function answer")));
});

test("no page starts the service with npx in the background, where no signal reaches it", () => {
  const astray = PAGES.flatMap((page) =>
    [...read(page).matchAll(/^.*\bnpx datarun\b.* &$/gm)].map(([line]) => `${page}: ${line}`),
  );
  assert.deepEqual(astray, [], "start node_modules/.bin/datarun");
});

/** Everything that cites something else: pages, code and comments, except what a generator copies from them. */
const CITING = [
  ...PAGES,
  ...globSync("{src,test,catalog,bench,tools,console,deploy}/**/*.{ts,tsx,mjs,md,yaml}", { cwd: PACKAGE_ROOT }),
];

const RECORDS = globSync("docs/decisions/[0-9]*.md", { cwd: PACKAGE_ROOT }).sort();
const RECORD_LINES_MAX = 30;
const COLUMNS = 120;

/** Paragraphs are not wrapped in the file, so lines are counted as they would be at the width of the code. */
function linesOf(text: string): number {
  const lines = text.trimEnd().split("\n");
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / COLUMNS)), 0);
}

test("a decision record has context, decision, cost and what would change it, in at most thirty lines", () => {
  const astray = RECORDS.flatMap((file) => {
    const text = read(file);
    const parts = [...text.matchAll(/^\*\*([A-Z]\w+)\.?\*\*/gm)].map(([, part]) => part);
    return [
      ...(text.startsWith(`# ${numberOf(file)}. `) ? [] : [`${file}: begins with another number`]),
      ...(parts.join() === "Context,Decision,Cost,Revisit" ? [] : [`${file}: ${parts.join()}`]),
      ...(linesOf(text) <= RECORD_LINES_MAX ? [] : [`${file}: ${linesOf(text)} lines`]),
    ];
  });
  assert.deepEqual(astray, []);
});

test("a decision record has its number for itself, and every number that is cited is a record's", () => {
  const numbers = new Set(RECORDS.map(numberOf));
  assert.equal(numbers.size, RECORDS.length);
  const astray = CITING.flatMap((file) =>
    [...read(file).matchAll(/\bdecisions? (\d{1,4})\b|\[(\d{4})\]\(|decisions\/(\d{4})\b/gi)]
      .filter(([, ...groups]) => !numbers.has(groups.find((group) => group !== undefined)!))
      .map(([cited]) => `${file}: ${cited}`),
  );
  assert.deepEqual(astray, [], "cite a decision by its four digits");
});

test("a link that is labelled with a decision's number leads to that decision", () => {
  const astray = PAGES.flatMap((file) =>
    [...read(file).matchAll(/\[(?:decision )?(\d{4})\]\(([^)]+)\)/gi)]
      .filter(([, number, link]) => numberOf(link!) !== number)
      .map(([cited]) => `${file}: ${cited}`),
  );
  assert.deepEqual(astray, []);
});

function numberOf(record: string): string {
  return basename(record).slice(0, 4);
}

test("every file, command, metric, log event and setting that a page names exists", async () => {
  const code = globSync("src/**/*.ts", { cwd: PACKAGE_ROOT })
    .filter((file) => !/\.(test|kit)\.ts$/.test(file))
    .map(read)
    .join("\n");
  const commands = read("docs/reference/commands.md");
  const bench = read("bench/run.ts");
  const exists: readonly (readonly [what: RegExp, isThere: (name: string) => boolean])[] = [
    [/`((?:src|test|catalog|bench|tools|docs)\/[\w./-]+)`/g, (path) => existsSync(join(PACKAGE_ROOT, path))],
    [
      // A command has up to three words, and its first argument may look like another one.
      /(?:npx |`)datarun ([a-z]+(?: [a-z][a-z-]*){0,2})(?=[ `\n])/g,
      (name) =>
        [name, name.split(" ").slice(0, 2).join(" ")].some((one) => commands.includes(`\n## ${one}\n`)) ||
        commands.includes(`\n### ${name.split(" ")[0]}\n`),
    ],
    [/`datarun_([a-z_]+)(?:\{.*?\})?`/g, (name) => code.includes(name)],
    [/`((?:ledger|store|function|data_keys|connections)_[a-z_]+)`/g, (name) => code.includes(name)],
    [/`((?:limits|outbound)\.[a-z_]+)`/g, (key) => code.includes(`"${key}"`) || code.includes(`${key}:`)],
    [
      /`--([a-z][a-z-]+)/g,
      (option) =>
        commands.includes(`--${option.replace(/^no-/, "")}`) || isSetting(option) || bench.includes(`--${option} `),
    ],
  ];
  const astray = PAGES.filter((page) => !page.startsWith("docs/decisions/")).flatMap((page) =>
    exists.flatMap(([what, isThere]) =>
      [...read(page).matchAll(what)].filter(([, name]) => !isThere(name!)).map(([said]) => `${page}: ${said}`),
    ),
  );
  assert.deepEqual([...new Set(astray)], []);
});

function isSetting(option: string): boolean {
  return read("docs/reference/configuration.md").includes(`\`--${option}\``);
}
