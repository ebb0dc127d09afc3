import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { test, type TestContext } from "node:test";
import { type CommandService, startCommand } from "./rig/command.ts";
import { type Block, blocksOf, commandsOf, type Printed, steady, type, wordsOf } from "./rig/page-reader.ts";
import { until } from "./rig/until.ts";

/*
 * Somebody who follows a tutorial: every command of it is run in turn, and what it prints is compared with what the page
 * shows. A test names what the page asks for in words: which files to write and change.
 */

const HOME = process.cwd();
const ID = /\b(org|wfl|cred|tok)_[0-9a-f]{32}\b/g;

/** Follows the page in a folder of its own. `doing` is asked about each block that is neither commands nor output. */
async function follow(
  t: TestContext,
  page: string,
  ports: readonly string[],
  doing: (block: Block, folder: string) => unknown,
  curl: (words: readonly string[]) => Promise<string | null> = async () => null,
  start: (words: readonly string[]) => Promise<void> = async () => {},
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "datarun-tutorial-"));
  mkdirSync(join(folder, "checkout"));
  mkdirSync(join(folder, "my-project"));
  process.chdir(join(folder, "checkout"));
  const before = { ...process.env };
  t.after(() => {
    process.chdir(HOME);
    process.env = before;
    rmSync(folder, { recursive: true, force: true });
  });
  const free = await Promise.all(ports.map(freePort));
  const own = new Map<string, string>();
  let printed: Printed | null = null;
  let compared = 0;
  for (const shown of blocksOf(page)) {
    const block = { ...shown, text: ports.reduce((text, port, at) => text.replaceAll(port, free[at]!), shown.text) };
    if (block.language === "sh") {
      for (const line of commandsOf(block)) {
        // "Use your own id", says the page.
        const words = wordsOf(line.replaceAll(ID, (id, kind: string) => own.get(kind) ?? id));
        if (/^(?:[A-Z_]+=\S+ )*npx datarun (?!start|dev|simulate)/.test(line)) {
          const said = await type(words);
          for (const [id, kind] of said.all.matchAll(ID)) own.set(kind!, id);
          printed = together(printed, said);
        } else if (line.startsWith("npx datarun start ")) await start(words);
        else if (line.startsWith("curl ")) {
          const reply = await curl(words);
          printed = reply === null ? null : alone(reply);
        } else if (words[0] === "export") for (const word of words.slice(1)) assign(word);
        else if (/^(?:mkdir|echo) /.test(line)) spawnSync("sh", ["-c", line]);
      }
    } else if (/^(?:text|json|)$/.test(block.language) && printed !== null) {
      compare(block, printed);
      [printed, compared] = [null, compared + 1];
    } else {
      const said = await doing(block, folder);
      if (typeof said !== "string") continue;
      compare(block, alone(said));
      [printed, compared] = [null, compared + 1];
    }
  }
  return compared;
}

function assign(word: string): void {
  const [, name, value] = /^(\w+)=(.*)$/.exec(word)!;
  process.env[name!] = value;
}

const alone = (text: string): Printed => ({ result: text, all: text });

function together(before: Printed | null, after: Printed): Printed {
  return before === null ? after : { result: before.result + after.result, all: before.all + after.all };
}

/** A block that ends with an ellipsis shows the beginning only; some show only the last line. */
function compare({ text, before }: Block, printed: Printed): void {
  const expected = steady(text);
  const isBeginning = expected.endsWith("\n…");
  const isEnd = /last line of the output:\s*$/.test(before);
  const [result, all] = [printed.result, printed.all].map((one) => {
    const actual = steady(one);
    if (isBeginning) return `${actual.slice(0, expected.length - 1)}…`;
    return isEnd ? actual.split("\n").at(-1) : actual;
  });
  assert.equal(all === expected ? all : result, expected);
}

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

/** A vendor of the page, which runs until the test ends it. */
async function play(t: TestContext, file: string, port: string) {
  const vendor = spawn(process.execPath, [file], { stdio: "ignore" });
  t.after(() => vendor.kill());
  for (;;) {
    const answers = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (answers) return vendor;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function stop(vendor: ChildProcess): Promise<void> {
  const ended = once(vendor, "exit");
  vendor.kill();
  await ended;
}

test("from an API's documentation to a source: each command prints what the tutorial shows", async (t) => {
  const file = (folder: string) => join(folder, "my-project/sources/practice/register.yaml");
  const change = (path: string, from: string, to: string) => {
    const text = readFileSync(path, "utf8");
    assert.ok(text.includes(from), `the file has: ${from}`);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
  };
  const compared = await follow(
    t,
    "docs/tutorials/from-api-docs-to-source.md",
    ["9091"],
    async ({ text, language }, folder) => {
      const port = /127\.0\.0\.1:(\d+)|listen\((\d+)/.exec(text)?.slice(1).find(Boolean);
      if (text.startsWith("openapi:")) return writeFileSync(join(folder, "my-project/register.openapi.yaml"), text);
      if (text.startsWith("auth: {kind: api_key"))
        return assert.ok(readFileSync(file(folder), "utf8").includes(text), "the main part of the file");
      if (text.includes("request/0/query/nubmer")) {
        change(file(folder), "query: {number:", "query: {nubmer:");
        const said = await type(["npx", "datarun", "source", "test", "practice__register"]);
        change(file(folder), "query: {nubmer:", "query: {number:");
        return said.result.split("\n").slice(0, text.trim().split("\n").length).join("\n");
      }
      if (text.startsWith("errors:")) return change(file(folder), "match:\n", `${text}match:\n`);
      if (text.startsWith("charge:")) return change(file(folder), "charge: per_call\n", text);
      if (text.includes("a number the register does not take"))
        return writeFileSync(file(folder), readFileSync(file(folder), "utf8") + text);
      if (language === "js") {
        writeFileSync(join(folder, "my-project/register.mjs"), text);
        return void (await play(t, join(folder, "my-project/register.mjs"), port!));
      }
      if (text.includes("as the vendor answered on")) {
        const today = new Date().toISOString().slice(0, 10);
        return assert.ok(
          readFileSync(file(folder), "utf8").includes(text.replace(/2\d{3}-\d\d-\d\d/, today)),
          "the new case",
        );
      }
      return assert.fail(`what is to be done with this?\n${text}`);
    },
  );
  assert.ok(compared >= 8, String(compared));
});

test("your first data function: each command prints what the tutorial shows", async (t) => {
  const file = (folder: string) => join(folder, "my-project/functions/sign_up_check.ts");
  const compared = await follow(t, "docs/tutorials/first-function.md", [], async ({ text, language }, folder) => {
    if (language === "ts") return writeFileSync(file(folder), text);
    if (text.startsWith("FAILED")) {
      const good = readFileSync(file(folder), "utf8");
      writeFileSync(
        file(folder),
        good.replace('reasons: ["email_disposable"] } }', 'reasons: ["email_throwaway"] } }'),
      );
      const said = await type(["npx", "datarun", "function", "test"]);
      writeFileSync(file(folder), good);
      return said.result;
    }
    if (text.startsWith("ok ")) return (await type(["npx", "datarun", "function", "test"])).result;
    // The log of `dev`, which test/start/dev.test.ts is about.
    return assert.match(text, /broken_file: its last good version is still served/);
  });
  assert.ok(compared >= 6, String(compared));
});

test("your first source: each command and request is answered as the tutorial shows", async (t) => {
  let asked: readonly string[] = [];
  let service: CommandService | undefined;
  let vendor: ChildProcess | undefined;
  const ask = async (words: readonly string[]) => {
    asked = words;
    // "Stop vendor.mjs with Ctrl-C", says the page before it asks two sources.
    if (words.some((word) => word.includes("google__phone_number"))) await stop(vendor!);
    const headers = words.flatMap((word, at) =>
      word === "-H" ? [words[at + 1]!.split(": ") as [string, string]] : [],
    );
    const url = words.find((word) => word.startsWith("http"))!.replace("http://127.0.0.1:8080", service!.url);
    const body = words[words.indexOf("-d") + 1]!;
    return (await fetch(url, { method: "POST", headers, body })).text();
  };
  const compared = await follow(
    t,
    "docs/tutorials/first-source.md",
    ["9090"],
    async ({ text, language, before }, folder) => {
      const [, file] = /Create `\.\.\/my-project\/([^`]+)`/.exec(before) ?? [];
      if (file !== undefined) {
        mkdirSync(dirname(join(folder, "my-project", file)), { recursive: true });
        writeFileSync(join(folder, "my-project", file), text);
        if (language === "js")
          vendor = await play(t, join(folder, "my-project", file), /listen\((\d+)/.exec(text)![1]!);
        return;
      }
      assert.equal(language, "json", text);
      const [, number = "00000006"] = /With `"company_number":"(\d+)"`/.exec(before) ?? [];
      if (before.includes("notices the credential")) await until(async () => !/no credential/.test(await ask(asked)));
      return ask(asked.map((word) => word.replace(/"company_number":"\d+"/, `"company_number":"${number}"`)));
    },
    ask,
    async (words) => {
      const at = (option: string) => resolve(words[words.indexOf(option) + 1]!);
      service = await startCommand(t, ["--demo", "--project", at("--project"), "--data-dir", at("--data-dir")]);
      process.env["TOKEN"] = /drt_\w+/.exec(service.stderr())![0];
      process.env["WORKFLOW"] = /wfl_\w+/.exec(service.stderr())![0];
    },
  );
  assert.ok(compared >= 8, String(compared));
});
