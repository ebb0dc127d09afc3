import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { ConfigError, readSettings } from "./read-settings.ts";
import { fileVariableOf, SETTINGS, variableOf, type Setting } from "./table.ts";

const SECRETS = (SETTINGS as readonly Setting[]).filter(({ secret }) => secret === true);
const SECRET = "do-not-show-me";

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "datarun-secrets-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function valueOf(setting: Setting, environment: Readonly<Record<string, string>>): unknown {
  const settings = readSettings({ environment }) as unknown as Record<string, unknown>;
  return setting.key
    .split(".")
    .map((name) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
    .reduce<unknown>((within, name) => (within as Record<string, unknown>)[name], settings);
}

test("every secret setting can be given as a file, whole, without one line break at its end", (t) => {
  assert.deepEqual(SECRETS.map(variableOf), [
    "DATARUN_OIDC_CLIENT_SECRET",
    "DATABASE_URL",
    "DATARUN_ROOT_KEY",
    "DATARUN_OUTBOUND_PROXY",
  ]);
  const file = join(folder(t), "secret");
  for (const setting of SECRETS)
    for (const [written, read] of [
      [SECRET, SECRET],
      [`${SECRET}\n`, SECRET],
      [`${SECRET}\r\n`, SECRET],
      [`${SECRET}\n\n`, `${SECRET}\n`],
      [` ${SECRET} \n`, ` ${SECRET} `],
      [`\uFEFF${SECRET}`, SECRET],
      ["x".repeat(65_536), "x".repeat(65_536)],
    ] as const) {
      writeFileSync(file, written);
      assert.equal(valueOf(setting, { [fileVariableOf(setting)!]: file }), read);
    }
});

test("an empty variable counts as absent, beside a file as well", (t) => {
  const file = join(folder(t), "secret");
  writeFileSync(file, SECRET);
  for (const setting of SECRETS) {
    const [name, fileName] = [variableOf(setting), fileVariableOf(setting)!];
    assert.equal(valueOf(setting, { [name]: "", [fileName]: file }), SECRET);
    assert.equal(valueOf(setting, { [name]: SECRET, [fileName]: "" }), SECRET);
  }
});

test("a file that cannot be used is refused by the names of the variable and the file, and nothing of it is shown", (t) => {
  const at = folder(t);
  const paths = {
    missing: join(at, "missing"),
    none: join(at, "file", "none"),
    directory: join(at, "directory"),
    link: join(at, "link"),
  };
  const file = (name: string, content: string | Buffer): string => {
    const path = join(at, name);
    writeFileSync(path, content);
    return path;
  };
  mkdirSync(paths.directory);
  symlinkSync(join(at, "nowhere"), paths.link);
  file("file", SECRET);
  const pipe = join(at, "pipe");
  execFileSync("mkfifo", [pipe]);
  const closed = file("closed", SECRET);
  chmodSync(closed, 0);
  const cases: readonly (readonly [path: string, says: string])[] = [
    [paths.missing, `there is no file ${paths.missing}`],
    [paths.link, `there is no file ${paths.link}`],
    [paths.none, `the file ${paths.none} cannot be read (ENOTDIR)`],
    [paths.directory, `${paths.directory} is a directory, not a file`],
    [pipe, `${pipe} is not a regular file`],
    ["/dev/zero", "/dev/zero is not a regular file"],
    [file("empty", ""), `the file ${at}/empty is empty`],
    [file("break", "\r\n"), `the file ${at}/break is empty`],
    [file("blank", "  \n \n"), `the file ${at}/blank is empty`],
    [file("bytes", Buffer.from([0x64, 0xff, 0xfe])), `the file ${at}/bytes is not UTF-8 text`],
    [
      file("large", SECRET + "x".repeat(65_536)),
      `the file ${at}/large has more than 65536 bytes, which is too large for a secret`,
    ],
    // root can read every file.
    ...(process.getuid?.() === 0 ? [] : [[closed, `the file ${closed} cannot be read (EACCES)`] as const]),
  ];
  for (const setting of SECRETS)
    for (const [path, says] of cases) {
      const variable = fileVariableOf(setting)!;
      assert.throws(() => readSettings({ environment: { [variable]: path } }), {
        constructor: ConfigError,
        message: `${variable}: ${says}`,
      });
    }
});

test("a variable and its file together are refused, and so is a secret in place of the path", (t) => {
  const file = join(folder(t), "secret");
  writeFileSync(file, SECRET);
  for (const setting of SECRETS) {
    const [name, fileName] = [variableOf(setting), fileVariableOf(setting)!];
    assert.throws(() => readSettings({ environment: { [name]: SECRET, [fileName]: file } }), {
      message: `${name} and ${fileName} are both set: set only one of them`,
    });
    assert.throws(() => readSettings({ environment: { [fileName]: SECRET } }), {
      message: `${fileName} must be the path of a file, and begin with "/" or "."`,
    });
  }
});

test("the root key is neither an option nor a key of the config file, and nothing that is not secret has a file", (t) => {
  const file = join(folder(t), "secret");
  writeFileSync(file, "9000");
  assert.throws(() => readSettings({ file: { root_key: SECRET } }), {
    message: "root_key in the config file is not a setting",
  });
  assert.equal(readSettings({ options: { "root-key": SECRET } }).rootKey, undefined);
  assert.equal(readSettings({ environment: { DATARUN_PORT_FILE: file } }).port, 8080);
});

test("a secret in a file is read again when the file has changed, and kept while there is no usable one", (t) => {
  const file = join(folder(t), "secret");
  writeFileSync(file, "first");
  // What the setting reads is looked at once a second.
  t.mock.method(performance, "now", () => (now += 1_001));
  let now = 0;
  const settings = readSettings({ environment: { DATARUN_ROOT_KEY_FILE: file, VAULT_TOKEN_FILE: file } });
  const read = () => [settings.rootKey, settings.secretVariable("VAULT_TOKEN")];
  assert.deepEqual(read(), ["first", "first"]);
  writeFileSync(`${file}.new`, "second");
  renameSync(`${file}.new`, file);
  assert.deepEqual(read(), ["second", "second"]);
  rmSync(file);
  assert.deepEqual(read(), ["second", "second"]);
  writeFileSync(file, " ");
  assert.deepEqual(read(), ["second", "second"]);
  writeFileSync(file, "third");
  assert.deepEqual(read(), ["third", "third"]);
});
