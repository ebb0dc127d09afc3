import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { joinModules } from "../functions/load/bundler.ts";
import { JoinedPackage } from "./joined-package.ts";

/** A package of two modules in a folder of its own, and where it is kept. Each `JoinedPackage` stands for one start. */
function makePackage(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "datarun-joined-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, "node_modules/@acme/words");
  mkdirSync(join(root, "lib"), { recursive: true });
  writeFileSync(join(root, "package.json"), '{"type":"module"}');
  writeFileSync(join(root, "index.js"), 'export { hello } from "./lib/hello.js"; export const from = import.meta.url;');
  writeFileSync(join(root, "lib/hello.js"), 'export const hello = "hello";');
  const [entry, cache] = [join(root, "index.js"), join(folder, "cache")];
  const start = () => new JoinedPackage("@acme/words", entry, cache);
  const load = async (joined: JoinedPackage) => {
    const { hello, from } = (await joined.load()) as { hello: string; from: string };
    return { hello, isJoined: from.includes("/cache/") };
  };
  return { root, kept: join(cache, "@acme/words.js"), start, load };
}

/** A module is loaded once in a process, so a later start is given files that it has not seen. */
function moved({ root }: ReturnType<typeof makePackage>, t: TestContext) {
  const other = makePackage(t);
  cpSync(root, other.root, { recursive: true });
  return other;
}

test("a package is loaded from its own files until it has been joined, and then from one", async (t) => {
  const { start, load, kept } = makePackage(t);
  const first = start();
  assert.deepEqual(await load(first), { hello: "hello", isJoined: false });
  assert.ok(!existsSync(kept));
  await first.keep(joinModules);
  assert.deepEqual(await load(start()), { hello: "hello", isJoined: true });
});

test("it is joined once", async (t) => {
  const { start, load } = makePackage(t);
  let joins = 0;
  const counting = (entry: string) => ((joins += 1), joinModules(entry));
  for (let starts = 0; starts < 3; starts += 1) {
    const joined = start();
    await load(joined);
    await joined.keep(counting);
    await joined.keep(counting);
  }
  assert.equal(joins, 1);
});

const CHANGES: Readonly<Record<string, (root: string) => void>> = {
  "a module that is changed, at the same length": (root) =>
    writeFileSync(join(root, "lib/hello.js"), 'export const hello = "HELLO";'),
  "a module that is gone": (root) => {
    writeFileSync(join(root, "index.js"), 'export const hello = "HELLO"; export const from = import.meta.url;');
    rmSync(join(root, "lib"), { recursive: true });
  },
  "another version of the package": (root) => {
    writeFileSync(join(root, "package.json"), '{"type":"module","version":"2.0.0"}');
    writeFileSync(join(root, "lib/hello.js"), 'export const hello = "HELLO";');
  },
};

for (const [what, change] of Object.entries(CHANGES)) {
  test(`${what}: the package's own files are loaded, and joined anew`, async (t) => {
    const { start, load, root, kept } = makePackage(t);
    await start().keep(joinModules);
    const before = readFileSync(kept, "utf8");
    change(root);
    const next = start();
    assert.deepEqual(await load(next), { hello: "HELLO", isJoined: false });
    await next.keep(joinModules);
    assert.notEqual(readFileSync(kept, "utf8"), before);
    assert.match(readFileSync(kept, "utf8"), /HELLO/);
  });
}

test("what is kept may be damaged in any way: it counts as absent", async (t) => {
  const made = makePackage(t);
  await made.start().keep(joinModules);
  const whole = readFileSync(made.kept, "utf8");
  for (const text of ["", whole.slice(0, -1), whole.replace("hello", "jello"), whole.replace("// ", "//"), "// x\n"]) {
    const { start, load, kept } = moved(made, t);
    mkdirSync(join(kept, ".."), { recursive: true });
    writeFileSync(kept, text);
    assert.deepEqual(await load(start()), { hello: "hello", isJoined: false }, JSON.stringify(text.slice(0, 40)));
  }
});

test("where nothing can be kept, nothing is joined, and the package is loaded as it is", async (t) => {
  const { start, load, kept } = makePackage(t);
  writeFileSync(join(kept, "../.."), "not a folder");
  const joined = start();
  assert.deepEqual(await load(joined), { hello: "hello", isJoined: false });
  await assert.rejects(
    joined.keep(() => assert.fail("it was joined")),
    { code: "ENOTDIR" },
  );
});
