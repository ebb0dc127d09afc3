import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { test, type TestContext } from "node:test";
import { watchProject } from "./watch-project.ts";

/** Polling is so rare that a change can be noticed only by a notification of the file system. */
const NEVER_MS = 2 ** 31 - 1;

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Ways in which editors and tools write a file. */
const WAYS: Readonly<Record<string, (file: string, text: string) => void>> = {
  "in place": write,
  "by renaming another file over it, as sed -i and git do": (file, text) => {
    write(`${file}.tmp`, text);
    renameSync(`${file}.tmp`, file);
  },
  "after renaming it to a backup, as vim does": (file, text) => {
    renameSync(file, `${file}~`);
    write(file, text);
    unlinkSync(`${file}~`);
  },
  "after deleting it": (file, text) => {
    unlinkSync(file);
    write(file, text);
  },
  "in two steps": (file, text) => {
    write(file, "");
    appendFileSync(file, text);
  },
};

const FILES = ["functions/check.ts", "sources/acme/company.yaml", "datarun.config.ts"];

/** A watched project folder, and the content of each changed file when it was reported; `null` if it was deleted. */
function watched(t: TestContext, lookAgainMs = NEVER_MS) {
  const base = mkdtempSync(join(tmpdir(), "datarun-watched-"));
  const folder = join(base, "project");
  const at = (path: string) => join(folder, path);
  for (const path of FILES) write(at(path), "0");
  const reported = new Map<string, string | null>();
  let next = Promise.withResolvers<void>();
  const stop = watchProject(
    folder,
    (files) => {
      for (const file of files) reported.set(file, textOf(file));
      next.resolve();
      next = Promise.withResolvers();
    },
    lookAgainMs,
  );
  t.after(() => {
    stop();
    rmSync(base, { recursive: true });
  });
  return {
    base,
    at,
    /** Resolves when each file was reported with this content; fails if another file was reported. */
    async reports(expected: Readonly<Record<string, string | null>>): Promise<void> {
      const wanted = Object.entries(expected).map(([path, text]) => [at(path), text] as const);
      while (!wanted.every(([file, text]) => reported.get(file) === text)) await next.promise;
      assert.deepEqual(Object.fromEntries(reported), Object.fromEntries(wanted));
      reported.clear();
    },
  };
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

for (const [way, save] of Object.entries(WAYS)) {
  test(`a file is reported each time it is written ${way}`, async (t) => {
    const { at, reports } = watched(t);
    for (const text of ["1", "2", "3"]) {
      for (const path of FILES) save(at(path), text);
      await reports(Object.fromEntries(FILES.map((path) => [path, text])));
    }
  });
}

test("a file is reported however it was written before", async (t) => {
  const { at, reports } = watched(t);
  const [path] = FILES as [string];
  for (const [index, save] of [...Object.values(WAYS), ...Object.values(WAYS).toReversed()].entries()) {
    save(at(path), `${index} `);
    await reports({ [path]: `${index} ` });
  }
});

test("of ten writes in a row, the last is reported", async (t) => {
  const { at, reports } = watched(t);
  const [path] = FILES as [string];
  const ways = Object.values(WAYS);
  for (let index = 1; index <= 10; index += 1) {
    ways[index % ways.length]!(at(path), `save ${index}`);
    await setImmediate();
  }
  await reports({ [path]: "save 10" });
});

test("files of new, moved, replaced and deleted folders are reported", async (t) => {
  const { base, at, reports } = watched(t);
  write(at("functions/a/b/deep.ts"), "1");
  await reports({ "functions/a/b/deep.ts": "1" });
  write(at("functions/a/b/deep.ts"), "2");
  await reports({ "functions/a/b/deep.ts": "2" });

  write(join(base, "made/one.yaml"), "1");
  write(join(base, "made/more/two.yaml"), "1");
  renameSync(join(base, "made"), at("sources/made"));
  await reports({ "sources/made/one.yaml": "1", "sources/made/more/two.yaml": "1" });
  write(at("sources/made/more/two.yaml"), "2");
  await reports({ "sources/made/more/two.yaml": "2" });

  rmSync(at("functions/a"), { recursive: true });
  await reports({ "functions/a/b/deep.ts": null });
  write(at("functions/a/b/deep.ts"), "3");
  await reports({ "functions/a/b/deep.ts": "3" });

  // The folder is replaced between two polls: its path is the same, and perhaps its inode.
  rmSync(at("functions/a"), { recursive: true });
  write(at("functions/a/b/deep.ts"), "4");
  await reports({ "functions/a/b/deep.ts": "4" });
  for (const text of ["5", "6"]) {
    write(at("functions/a/b/deep.ts"), text);
    await reports({ "functions/a/b/deep.ts": text });
  }

  renameSync(at("functions/a"), join(base, "away"));
  await reports({ "functions/a/b/deep.ts": null });
  unlinkSync(at("sources/acme/company.yaml"));
  await reports({ "sources/acme/company.yaml": null });
});

test("hidden folders, packages and other kinds of file are not reported", async (t) => {
  const { at, reports } = watched(t);
  for (const path of [
    ".datarun/x.json",
    "node_modules/p/x.js",
    "functions/node_modules/p/x.js",
    "functions/.x.ts",
    "a.txt",
  ])
    write(at(path), "1");
  await setImmediate();
  write(at("functions/check.ts"), "1");
  await reports({ "functions/check.ts": "1" });
});

test("a change of which the file system does not notify is noticed by looking again", async (t) => {
  const { base, at, reports } = watched(t, 20);
  write(join(base, "elsewhere.ts"), "1");
  symlinkSync(join(base, "elsewhere.ts"), at("functions/link.ts"));
  await reports({ "functions/link.ts": "1" });
  write(join(base, "elsewhere.ts"), "2");
  await reports({ "functions/link.ts": "2" });
});
