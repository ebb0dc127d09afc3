import assert from "node:assert/strict";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What the wiring puts together. */
const ALL_PARTS: readonly string[] = words(`
  terms settings sdk access credentials ledger sources functions limits run simulation outbound storage backup drafting contract admin admin/http http operate
  project row-files batch health`);

/** Which folders of `src` a folder may import from, besides the `ports.ts` of any. Its reasons are in CONTRIBUTING.md. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  terms: [],
  settings: [],
  sdk: ["terms", "settings"],
  sources: ["terms", "sdk"],
  functions: ["terms", "sdk"],
  simulation: ["terms", "sdk", "run"],
  run: ["terms", "sdk"],
  limits: ["terms"],
  access: ["terms"],
  credentials: ["terms"],
  ledger: ["terms", "settings"],
  health: ["terms", "sdk"],
  outbound: ["terms", "settings", "sdk"],
  admin: [
    "terms",
    "sdk",
    "access",
    "credentials",
    "ledger",
    "sources",
    "simulation",
    "drafting",
    "row-files",
    "batch",
    "contract",
    "health",
  ],
  drafting: ["terms", "sources", "simulation"],
  contract: ["terms", "http"],
  http: ["terms", "run"],
  operate: ["terms"],
  "admin/http": ["terms", "admin", "operate"],
  "admin/cli": ["terms", "admin"],
  "row-files": ["terms"],
  batch: ["terms", "row-files"],
  storage: ["terms"],
  backup: ["terms", "ledger", "storage"],
  project: ["terms", "settings", "sdk", "sources", "functions", "operate", "contract"],
  composition: [...ALL_PARTS, "admin/cli"],
  "composition/commands": [...ALL_PARTS, "composition", "admin/cli"],
};

/** Names that say nothing about what a file holds. */
const EMPTY_NAMES = /^(utils?|shared|common|helpers?|services?|managers?|misc|lib)$/;

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

interface Import {
  readonly file: string;
  readonly target: string;
}

function importsOf(pattern: string): Import[] {
  return globSync(pattern, { cwd: root }).flatMap((file) => {
    const code = readFileSync(join(root, file), "utf8");
    const specifiers = [...code.matchAll(/(?:from\s+|import\(\s*|^import\s+)"([^"]+)"/gm)].map((match) => match[1]!);
    return specifiers
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => ({ file, target: posix.normalize(relative(root, resolve(root, dirname(file), specifier))) }));
  });
}

/** The row of the table that a file belongs to. */
function folderOf(file: string): string | undefined {
  const [top, folder, inner] = file.split("/");
  if (top !== "src" || inner === undefined) return undefined;
  return Object.hasOwn(MAY_IMPORT, `${folder}/${inner}`) ? `${folder}/${inner}` : folder;
}

/** Each circle as the way around it. */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, way: readonly string[]): void => {
    const before = way.indexOf(file);
    if (before >= 0) return void circles.push([...way.slice(before), file].join(" -> "));
    if (done.has(file)) return;
    for (const target of graph.get(file) ?? []) walk(target, [...way, file]);
    done.add(file);
  };
  for (const file of graph.keys()) walk(file, []);
  return circles;
}

test("a folder imports only what the table allows it", () => {
  const wrong = importsOf("src/**/*.ts")
    .filter(({ file }) => !/\.(test|kit)\.ts$/.test(file))
    .flatMap(({ file, target }) => {
      const from = folderOf(file);
      const to = folderOf(target);
      if (from === undefined || from === to || target.endsWith("/ports.ts")) return [];
      const allowed = MAY_IMPORT[from] ?? [];
      if (to !== undefined && allowed.includes(to)) return [];
      const instead = ["composition", "composition/commands", "project", undefined].includes(to)
        ? "only the wiring knows all the parts: take what you need as an argument"
        : `say what you need as an interface in src/${from}/ports.ts and let src/composition pass it in`;
      return [`${file} imports ${target}: ${from} may import ${allowed.join(", ") || "nothing"}; ${instead}`];
    });
  assert.deepEqual(wrong, []);
});

test("a running service does not import the drafting of sources: the verbs that need it load it when they run", () => {
  const files = globSync("src/**/*.ts", { cwd: root, exclude: ["src/drafting/**", "**/*.{test,kit}.ts"] });
  const imports = /^(?:import|export) (?!type )[^;]*from "[^"]*\/drafting\/[^"]*";/m;
  assert.deepEqual(
    files.filter((file) => imports.test(readFileSync(join(root, file), "utf8"))),
    [],
  );
});

test("the table allows a folder nothing that it does not use", () => {
  const used = new Set(
    importsOf("src/**/*.ts")
      .filter(({ file, target }) => !/\.(test|kit)\.ts$/.test(file) && !target.endsWith("/ports.ts"))
      .map(({ file, target }) => `${folderOf(file)} -> ${folderOf(target)}`),
  );
  const unused = Object.entries(MAY_IMPORT)
    // The wiring may take whatever it passes in.
    .filter(([folder]) => !folder.startsWith("composition"))
    .flatMap(([folder, allowed]) => allowed.map((other) => `${folder} -> ${other}`))
    .filter((way) => !used.has(way));
  assert.deepEqual(unused, [], "take it out of the table, here and in CONTRIBUTING.md");
});

test("the console asks the admin API, and takes nothing from the service's own code", () => {
  const wrong = importsOf("console/**/*.{ts,tsx}").filter(({ target }) => !target.startsWith("console/"));
  assert.deepEqual(wrong, []);
});

test("a port is a promise of types: it hands over nothing that runs", () => {
  const wrong = globSync("src/**/{ports,ports/*}.ts", { cwd: root }).flatMap((file) => {
    const code = readFileSync(join(root, file), "utf8");
    return [...code.matchAll(/^export (?:default|async|class|const|let|function|enum|\{|\*).*$/gm)].map(
      ([line]) => `${file} exports a value: ${line}; give it a file of its own, in src/terms if other folders need it`,
    );
  });
  assert.deepEqual(wrong, []);
});

test("no file imports itself by way of others, types included", () => {
  const graph = new Map<string, string[]>();
  for (const { file, target } of importsOf("{src,console}/**/*.{ts,tsx}"))
    graph.set(file, [...(graph.get(file) ?? []), target]);
  assert.deepEqual(circlesOf(graph), [], "what both need belongs in a file that both may import");
});

test("what tests stand on is a kit, and only tests and kits import one", () => {
  const wrong = importsOf("src/**/*.ts")
    .filter(({ file, target }) => target.endsWith(".kit.ts") && !/\.(test|kit)\.ts$/.test(file))
    .map(({ file, target }) => `${file} imports ${target}: a service runs without its tests`);
  assert.deepEqual(wrong, []);
});

test("catalog files import only the sdk and libraries", () => {
  const wrong = globSync("catalog/**/*.ts", { cwd: root })
    .filter((file) => !file.endsWith(".test.ts"))
    .flatMap((file) => {
      const code = readFileSync(join(root, file), "utf8");
      return [...code.matchAll(/from\s+"([^"]+)"/g)]
        .map((match) => match[1]!)
        .filter(
          (specifier) =>
            specifier.includes("/src/") ||
            (specifier.startsWith("..") && !resolve(root, dirname(file), specifier).startsWith(join(root, "catalog"))),
        )
        .map(
          (specifier) =>
            `${file} imports ${specifier}: a source is written against "datarun" alone, as an operator's would be`,
        );
    });
  assert.deepEqual(wrong, []);
});

test("what only one folder needs is in that folder, and not in terms", () => {
  const users = new Map<string, Set<string>>();
  const imports = importsOf("{src,tools,bench}/**/*.ts").filter(
    ({ file, target }) => target.startsWith("src/terms/") && !/\.(test|kit)\.ts$/.test(file),
  );
  for (const { file, target } of imports)
    users.set(target, (users.get(target) ?? new Set()).add(folderOf(file) ?? file.split("/")[0]!));
  const wrong = globSync("src/terms/**/*.ts", { cwd: root })
    .filter((file) => !/\.(test|kit|as)\.ts$/.test(file) && file !== AGREES_WITH_JSON)
    .filter((file) => !users.get(file)?.has("terms") && (users.get(file)?.size ?? 0) < 2)
    .map((file) => `${file} is used by ${[...(users.get(file) ?? ["nobody"])].join()} alone`);
  assert.deepEqual(wrong, []);
});

/** A test beside it compares it with `json.ts`. */
const AGREES_WITH_JSON = "src/terms/json/json-object-check.ts";

test("every folder of src is in the table and has a README of five to twenty lines", () => {
  const folders = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(
    folders.map(({ name }) => name).sort(),
    Object.keys(MAY_IMPORT)
      .filter((name) => !name.includes("/"))
      .sort(),
  );
  for (const name of Object.keys(MAY_IMPORT)) {
    const readme = join(root, "src", name, "README.md");
    assert.ok(existsSync(readme), `src/${name} needs a README.md: purpose, reading order, what does not belong`);
    const lines = readFileSync(readme, "utf8").trim().split("\n").length;
    assert.ok(lines >= 5 && lines <= 20, `src/${name}/README.md has ${lines} lines; five to twenty say it`);
  }
});

test("no file or folder is named for nothing", () => {
  const wrong = globSync("src/**/*", { cwd: root }).filter(
    (path) =>
      path.split("/").some((part) => EMPTY_NAMES.test(part.replace(/\.\w+$/, ""))) &&
      path !== "src/composition/service.ts",
  );
  assert.deepEqual(wrong, [], "name the thing it holds");
});

test("message prefixes and statuses of faults are written in the fault table alone", () => {
  const wrong = globSync("src/**/*.ts", { cwd: root })
    // The examples of the contract are compared with the answers of a mock.
    .filter((file) => !file.endsWith(".test.ts") && !["src/terms/fault.ts", "src/http/examples.ts"].includes(file))
    .filter((file) =>
      /"(Adapter error:|Adapter not found for|Data function error:|Data function not found:|Unexpected error:)/.test(
        readFileSync(join(root, file), "utf8"),
      ),
    );
  assert.deepEqual(wrong, [], "throw a Fault; terms/fault.ts has its words");
});

test("validators of JSON Schema are made in one place", () => {
  // Functions have theirs inside isolates, where nothing of the service's own is at hand.
  const wrong = globSync("src/**/*.ts", { cwd: root })
    .filter(
      (file) =>
        !file.endsWith(".test.ts") && file !== "src/terms/schema/ajv.ts" && !file.startsWith("src/functions/inside/"),
    )
    .filter((file) => readFileSync(join(root, file), "utf8").includes("new Ajv"));
  assert.deepEqual(wrong, [], "ask terms/schema/ajv.ts for one");
});

test("a function that is kept in a property has a name first, or V8 would keep with it all that it sees", () => {
  const parameters = String.raw`\((?:[^()]|\([^()]*\))*\)(?:: [^=;]+)?`;
  const assignedWhereWritten = new RegExp(
    String.raw`\.#?\w+\s+(?:\?\?|\|\||&&)?=\s+(?:async\s+)?(?:function\b|\w+\s+=>|${parameters}\s+=>)`,
  );
  for (const code of [
    "this.#a = () => 1",
    "a.b ??= async (c: () => void): Promise<void> =>",
    "a.b =\n  (c) => c",
    "a.b = c =>",
  ])
    assert.match(code, assignedWhereWritten);
  for (const code of ["const a = () => 1", "this.#a = a", "a.b = c(() => 1)", "a.b === (c)", "a.b = (c)"])
    assert.doesNotMatch(code, assignedWhereWritten);
  const wrong = globSync("src/**/*.ts", { cwd: root, exclude: ["**/*.{test,kit}.ts"] }).filter((file) =>
    assignedWhereWritten.test(readFileSync(join(root, file), "utf8")),
  );
  assert.deepEqual(wrong, [], "const onEnd = () => …; this.#onEnd = onEnd;");
});

test("CONTRIBUTING shows the table of imports as it is", () => {
  const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  const shown = Object.fromEntries(
    [...page.matchAll(/^\| `src\/([\w/-]+)` \| .* \| (.*) \|$/gm)].map(([, folder, cell]) => [folder, namesIn(cell!)]),
  );
  const real = Object.fromEntries(
    Object.entries(MAY_IMPORT).map(([folder, allowed]) => [folder, [...new Set(allowed)].sort()]),
  );
  assert.deepEqual(shown, real);
});

/** "every part" stands for all that the wiring puts together. */
function namesIn(cell: string): string[] {
  const named = [...cell.matchAll(/`([\w/-]+)`/g)].map((match) => match[1]!);
  return [...new Set([...(cell.includes("every part") ? ALL_PARTS : []), ...named])].sort();
}

test("what is listed is all there is: each file of a closed set is in its list", () => {
  for (const [folder, list, others] of [
    ["src/http/routes", "src/http/app.ts", []],
    [
      "src/sources/declarative/auth",
      "src/sources/declarative/auth/compile-auth.ts",
      [
        "compile-auth.ts",
        "authenticated-request.ts",
        "challenge-cache.ts",
        "derived-keys.ts",
        "signed-text.ts",
        "token-cache.ts",
      ],
    ],
    ["src/storage/migrations", "src/storage/migrations/index.ts", ["index.ts"]],
  ] as const) {
    const listed = new Set(importsOf(list).map(({ target }) => target));
    const files = globSync(`${folder}/*.ts`, { cwd: root })
      .filter((file) => !/\.(test|kit)\.ts$/.test(file))
      .filter((file) => !others.some((other) => file.endsWith(`/${other}`)));
    assert.ok(files.length > 0, folder);
    assert.deepEqual(
      files.filter((file) => !listed.has(file)),
      [],
      `${list} does not import it: it is never reached`,
    );
  }
});

test("every path that CONTRIBUTING names is there", () => {
  const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  const named = [...page.matchAll(/`((?:src|catalog|test|docs|tools|bench)\/[\w./-]+)`/g)].map((match) => match[1]!);
  assert.ok(named.length > 20);
  assert.deepEqual(
    named.filter((path) => !existsSync(join(root, path))),
    [],
  );
});

test("every file and folder that CONTRIBUTING or a README beside the code names is there", () => {
  const pages = ["CONTRIBUTING.md", ...globSync("{src,test,console,bench,catalog}/**/README.md", { cwd: root })];
  assert.ok(pages.length > 20);
  const gone = pages.flatMap((page) => {
    const folder = join(root, dirname(page));
    // Not the packages, which are below the root too.
    const where = page === "CONTRIBUTING.md" ? "{src,test,console,bench,catalog,docs,tools}/**" : "**";
    const below = globSync(where, { cwd: folder }).map((path) => `/${path}`);
    const named = [
      ...readFileSync(join(root, page), "utf8").matchAll(/`([\w./-]+(?:\.(?:tsx?|mjs|css|json|md|sh)|\/))`/g),
    ];
    return named
      .map((match) => match[1]!)
      .filter((name) => !NO_FILES_OF_OURS.has(name))
      .filter((name) => ![root, join(root, "src")].some((base) => existsSync(join(base, name))))
      .filter((name) => !below.some((path) => path.endsWith(`/${name.replace(/\/$/, "")}`)))
      .map((name) => `${page}: ${name}`);
  });
  assert.deepEqual(gone, [], "name a file in another folder by its path from the root or from src");
});

/** What a README names that is not in the repository: a file of a project, and an address. */
const NO_FILES_OF_OURS = new Set(["datarun.config.ts", "/console/"]);

test("Node's HTTP comes from terms/node-http.ts, which says what an import of it would load", () => {
  const files = globSync("src/**/*.ts", { cwd: root, exclude: ["**/*.{test,kit}.ts"] });
  const imports = /^import (?!type )[^;]* from "node:http";/m;
  assert.deepEqual(
    files.filter((file) => imports.test(readFileSync(join(root, file), "utf8"))),
    [],
  );
});

test("a module that is started, bundled or read is named by moduleBeside, so that the package finds it too", () => {
  const files = globSync("src/**/*.ts", { cwd: root, exclude: ["**/*.{test,kit}.ts"] });
  const named = files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/(?:new URL|join|resolve)\([^)]*\.ts["`]/g)].map(
      ([found]) => `${file}: ${found}`,
    ),
  );
  assert.deepEqual(named, []);
});
