import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { cacheFolder, changeCache } from "../../src/cli/completion/id-cache.ts";
import { SHELLS } from "../../src/cli/completion/shells.ts";
import { typedWhere } from "../../src/cli/completion/typed-where.ts";
import { terminal } from "./terminal.ts";
import { has, suggestions } from "./shells.ts";

const SECRET = "open-sesame-4711";
const NAME = `Acme $(touch pwned) ; 'x' "y" | \\`;

/** What was kept of the ids at the only place, as lines. */
function kept(home: string): readonly string[] {
  const folder = cacheFolder({ HOME: home })!;
  const [file, ...others] = existsSync(folder) ? readdirSync(folder) : [];
  assert.deepEqual(others, []);
  return file === undefined ? [] : readFileSync(join(folder, file), "utf8").trimEnd().split("\n").slice(1);
}

test("ids that a person has seen are kept with their names and without secrets, until they are gone", async (t) => {
  const shell = terminal(t);
  const home = join(shell.dataDir, "..");
  const typed = { env: { HOME: home, DATARUN_DATA_DIR: shell.dataDir, SESAME: SECRET }, isSeen: true };
  const known = (kind: string) =>
    kept(home)
      .filter((line) => line.startsWith(`${kind}\t`))
      .map((line) => line.split("\t")[1]);

  const { organization_tuid: org } = await shell.json<Record<string, string>>(["org", "create", NAME], typed);
  await shell.json(["token", "create", "--org", org!, "--name", "ci"], typed);
  await shell.json(["operator", "create", "ada", "--role", "viewer"], typed);
  const { cred_id: credential } = await shell.json<Record<string, string>>(
    ["credential", "create", "--org", org!, "--source", "acme__people", "--set-env", "api_key=SESAME"],
    typed,
  );
  assert.ok(kept(home).includes(`organization\t${org}\t${NAME}`), "what is made is known by its name");
  for (const list of [
    ["org", "list"],
    ["source", "list"],
    ["token", "list", "--org", org!],
    ["workflow", "list", "--org", org!],
    ["credential", "list", "--org", org!],
  ])
    await shell.json(list, typed);

  assert.deepEqual(known("organization"), [org]);
  assert.deepEqual(known("credential"), [credential]);
  assert.deepEqual(
    known("source").toSorted((one, other) => one!.localeCompare(other!)),
    ["acme__loose", "acme__open", "acme__people"],
  );
  assert.ok(kept(home).includes(`credential\t${credential}\tacme__people`), "a credential is told by its source");
  assert.equal(known("token").length, 1);
  assert.equal(known("operator").length, 1);
  assert.doesNotMatch(kept(home).join("\n"), new RegExp(`drt_|dop_|${SECRET}|[\\0-\\x08]`));
  const folder = cacheFolder(typed.env)!;
  const modes = [folder, join(folder, readdirSync(folder)[0]!)].map((path) => statSync(path).mode & 0o777);
  assert.deepEqual(modes, [0o700, 0o600]);

  await shell.json(["credential", "delete", credential!], typed);
  assert.deepEqual(known("credential"), []);
  // What was deleted elsewhere: an id that is not there, and a list that has everything there is.
  changeCache(folder, shell.dataDir, (ids) => [
    { kind: "organization", id: "org_gone", says: "" },
    { kind: "credential", id: "cred_gone", says: "" },
    { kind: "credential", id: "cred_go", says: "" },
    { kind: "source", id: "acme__peopl", says: "" },
    ...ids,
  ]);
  assert.equal((await shell.run(["credential", "delete", "cred_gone"], typed)).code, 1);
  assert.deepEqual(known("credential"), ["cred_go"], "another id that it begins with is another id");
  assert.equal((await shell.run(["credential", "delete", "cred_go"], typed)).code, 1);
  const misspelled = await shell.run(["source", "show", "acme__peopl"], typed);
  assert.match(misspelled.stderr, /acme__people/);
  const sources = known("source").toSorted((one, other) => one!.localeCompare(other!));
  assert.deepEqual(sources, ["acme__loose", "acme__open", "acme__people"], "what is suggested instead is kept");
  await shell.run(["org", "list", "--limit", "1"], typed);
  assert.deepEqual(known("organization"), [org, "org_gone"]);
  await shell.run(["org", "list"], typed);
  assert.deepEqual(known("organization"), [org]);
});

test("nothing is kept for a script, for another user's home, or where there is no home", async (t) => {
  const shell = terminal(t);
  const home = join(shell.dataDir, "..");
  const env = { HOME: home, DATARUN_DATA_DIR: shell.dataDir };
  await shell.json(["org", "create", "Acme"], { env });
  await shell.json(["org", "list"], { env: { DATARUN_DATA_DIR: shell.dataDir }, isSeen: true });
  await shell.json(["org", "list"], { env: { ...env, HOME: join(home, "none") }, isSeen: true });
  await shell.json(["keys", "verify"], { env, isSeen: true });
  assert.deepEqual(kept(home), []);
});

test("a home that cannot be written costs the completion and not the command", async (t) => {
  const shell = terminal(t);
  const home = join(shell.dataDir, "..");
  symlinkSync("/proc/none", join(home, ".cache"));
  const typed = { env: { HOME: home, DATARUN_DATA_DIR: shell.dataDir }, isSeen: true };
  assert.equal((await shell.run(["org", "create", "Acme"], typed)).stderr.includes("cache"), false);
});

test("the cache keeps the newest ids of each kind and the newest places", (t) => {
  const folder = join(terminal(t).dataDir, "ids");
  const many = Array.from({ length: 1_000 }, (_, at) => ({ kind: "token", id: `tok_${at}`, says: "x" }));
  for (let at = 0; at < 20; at += 1)
    changeCache(folder, `/place/${at}`, () => [
      { kind: "organization", id: "org_1", says: "" },
      ...many,
      { kind: "organization", id: "org_1", says: "Acme" },
    ]);
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  assert.equal(files.length, 16);
  const [first] = files.map((text) => text.trimEnd().split("\n"));
  assert.deepEqual(
    [first!.length, first![1], first![2], first!.at(-1)],
    [202, "organization\torg_1\tAcme", "token\ttok_0\tx", "token\ttok_199\tx"],
  );
});

/** Where a command may have been typed, in a folder of its own: options, environment, and whether they name that folder. */
const PLACES: readonly (readonly [options: readonly string[], env: Readonly<Record<string, string>>])[] = [
  [[], {}],
  [["--data-dir", "/srv/one"], {}],
  [["--data-dir=data/"], { DATARUN_DATA_DIR: "/srv/two", DATARUN_PROJECT: "/srv/three" }],
  [["--project", "."], {}],
  [["--project", "./mine"], { DATARUN_DATA_DIR: "/srv/two" }],
  [[], { DATARUN_PROJECT: "mine" }],
  [[], { DATABASE_URL: `postgres://ada:${SECRET}@db.acme.example:5433/runs?sslmode=require` }],
  [[], { DATABASE_URL_FILE: "/run/secrets/database-url", DATABASE_URL: "postgres://other/runs" }],
  [["--remote", "https://admin.acme.example:8443/"], { DATARUN_DATA_DIR: "/srv/two" }],
  [[], { DATARUN_REMOTE: "http://127.0.0.1:8081" }],
];

for (const shell of SHELLS)
  test(
    `${shell} completes ids of the place that the line is about`,
    { skip: !has(shell) && `there is no ${shell} here` },
    (t) => {
      const suggest = suggestions(t, shell);
      const { folder } = suggest;
      const cache = cacheFolder({ HOME: folder })!;
      const optionOf = (options: readonly string[], name: string): string | undefined =>
        options.join("=").split(`--${name}=`)[1];
      const seen = new Map<string, string>();
      for (const [at, [options, env]] of PLACES.entries()) {
        const [remote, dataDir, project] = ["remote", "data-dir", "project"].map((name) => optionOf(options, name));
        const place = typedWhere({ remote, dataDir, project }, { PWD: folder, ...env }, folder)!;
        assert.doesNotMatch(place, new RegExp(SECRET));
        const id = seen.get(place) ?? `org_${at}`;
        seen.set(place, id);
        changeCache(cache, place, () => [
          { kind: "organization", id, says: NAME },
          { kind: "token", id: "tok_1", says: "" },
        ]);
        assert.deepEqual(suggest(["token", "list", ...options, "--org", ""], env), [id], place);
      }
      assert.equal(
        seen.size,
        PLACES.length - 1,
        "only the two lines about the current folder are about the same place",
      );
      assert.deepEqual(suggest(["org", "show", "org_"]), ["org_0"]);
      assert.deepEqual(suggest(["org", "show", "org_5"]), []);
      assert.deepEqual(suggest(["ledger", "list", "--workflow", ""]), []);
      assert.ok(suggest(["workflow", "plan", "--"]).includes("--source"));
      // No name has been run as a command.
      assert.deepEqual(readdirSync(folder).includes("pwned"), false);
      assert.deepEqual(suggest(["org", "show", "acme"]), ["org_0"], "by the name");
      assert.deepEqual(suggest(["token", "list", "--project", "elsewhere", "--org", ""]), []);
    },
  );
