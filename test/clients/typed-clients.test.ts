import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { startCommand } from "../rig/command.ts";
import { mockCommand } from "../rig/mock-command.ts";
import { command, verb } from "../start/operator-verb.ts";
import { CallersFolder, freePort } from "./generated-clients.ts";

/*
 * `client generate`: the clients get the same answers from the service and from a mock, and a compiler finds what the
 * service would drop without a word.
 */

const PYRIGHT = fileURLToPath(new URL("../../node_modules/pyright/index.js", import.meta.url));
const hasPython = spawnSync("python3", ["--version"]).status === 0;
const NO_PYTHON = hasPython ? false : "there is no python3 here";

const ENV = { DATARUN_CATALOG: "*", DATARUN_DATA_DIR: join(tmpdir(), "datarun-no-store") };
const callers = new CallersFolder("typed");
after(() => callers[Symbol.dispose]());
// A package of each language, of the same name, which their callers import.
const [typescript, python] = ["ts", "python"].map((lang) => {
  const folder = join(callers.folder, lang === "ts" ? "client" : "py/client");
  const { code, stderr } = command(ENV, "client", "generate", "--lang", lang, "--out", folder);
  assert.equal(code, 0, stderr);
  return folder;
}) as [string, string];
for (const file of ["ask.py", "misspelt.py"])
  writeFileSync(join(callers.folder, "py", file), readFileSync(join(callers.folder, file)));

/** The lines that a caller's file says are refused, with a part of the reason. */
function expectedRefusals(file: string): readonly (readonly [line: number, reason: string])[] {
  const lines = readFileSync(join(callers.folder, file), "utf8").split("\n");
  return lines.flatMap((text, at) => {
    const [, reason] = /^\s*(?:\/\/|#) refused: (.*)$/.exec(text) ?? [];
    return reason === undefined ? [] : [[at + 2, reason] as const];
  });
}

function assertRefused(file: string, found: readonly { readonly line: number; readonly says: string }[]): void {
  const expected = expectedRefusals(file);
  assert.ok(expected.length >= 8);
  // The first reason of each line: a call that is refused for its sources may be refused for its inputs as well.
  const byLine = new Map(found.toReversed().map(({ line, says }) => [line, says]));
  assert.deepEqual(
    [...byLine.keys()].sort((one, other) => one - other),
    expected.map(([line]) => line),
  );
  for (const [line, reason] of expected) assert.ok(byLine.get(line)!.includes(reason), byLine.get(line));
}

test("TypeScript: a caller compiles under --strict, and a misspelled input of ten sources does not", async () => {
  const refusals = await callers.compile();
  assert.deepEqual(
    refusals.filter(({ file }) => file !== "misspelt.ts"),
    [],
  );
  assertRefused("misspelt.ts", refusals);
});

test(
  "Python: the same under the strict rules of pyright",
  { skip: NO_PYTHON || (!existsSync(PYRIGHT) && "pyright is not installed") },
  () => {
    writeFileSync(join(callers.folder, "py/pyrightconfig.json"), JSON.stringify({ typeCheckingMode: "strict" }));
    const { stdout } = spawnSync(process.execPath, [PYRIGHT, "--outputjson", "-p", join(callers.folder, "py")]);
    const { generalDiagnostics } = JSON.parse(String(stdout)) as {
      readonly generalDiagnostics: readonly {
        readonly file: string;
        readonly severity: string;
        readonly message: string;
        readonly range: { readonly start: { readonly line: number } };
      }[];
    };
    const found = generalDiagnostics.map(({ file, message, range }) => ({
      file,
      says: message,
      line: range.start.line + 1,
    }));
    assert.deepEqual(
      found.filter(({ file }) => !file.endsWith("misspelt.py")),
      [],
    );
    assertRefused("misspelt.py", found);
  },
);

/** Answers that it is busy, but not the requests with the ids `never` and `cut`. */
async function stubService(t: TestContext) {
  const counted = { connections: 0, ids: [] as unknown[] };
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const id = request.headers["x-request-id"];
      counted.ids.push(id);
      if (id === "never") return;
      if (id === "cut") return void request.socket.destroy();
      response.setHeader("X-Request-Id", `req_${"0".repeat(32)}`);
      // As a proxy might, which answers by itself.
      if (id === "odd") return void response.end("{}");
      response.writeHead(500).end(JSON.stringify({ error: { code: "overloaded", message: "busy" } }));
    });
  });
  server.on("connection", () => (counted.connections += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { counted, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const LANGUAGES = {
  TypeScript: { program: [process.execPath, "ask.ts"], folder: callers.folder, skip: false },
  Python: { program: ["python3", "ask.py"], folder: join(callers.folder, "py"), skip: NO_PYTHON },
} as const;

/** What every caller sees; `mine` is its own id of the request. */
const REFUSED = { request: "req_", details: [], mine: "invented", retryable: false, mayHaveRun: false };
const LOST = { status: null, request: null, details: [], retryable: false };
const SEEN = {
  found: "+442079460958",
  noRecord: [true, false],
  failed: "input",
  retryable: null,
  resume: [],
  context: "test",
  verdict: "plausible",
  401: { ...REFUSED, code: "unauthenticated", status: 401 },
  422: { ...REFUSED, code: "invalid_request", status: 422, details: ["/config/context"] },
  500: { ...REFUSED, code: "no_sources", status: 500 },
  busy: { ...REFUSED, code: "overloaded", status: 500, retryable: true },
  odd: { ...REFUSED, code: "unreadable", status: 200, mine: "odd" },
  cut: { ...LOST, code: "connection", mine: "cut", mayHaveRun: true },
  never: { ...LOST, code: "timeout", mine: "never", mayHaveRun: true },
  closed: { ...LOST, code: "connection", mine: "invented", mayHaveRun: false },
};

for (const [language, { program, folder, skip }] of Object.entries(LANGUAGES)) {
  /** Runs the caller's program, and returns what it has seen. */
  const ask = async (t: TestContext, { url, token, workflow }: Access, kind: "mock" | "service") => {
    const stub = await stubService(t);
    const [file, script] = program;
    const child = spawn(file, [script, url, token, workflow, stub.url, `http://127.0.0.1:${await freePort()}`, kind], {
      cwd: folder,
      env: { PATH: process.env["PATH"] },
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (text: Buffer) => (out += text.toString()));
    child.stderr.on("data", (text: Buffer) => (err += text.toString()));
    const [code] = (await once(child, "close")) as [number];
    assert.equal(code, 0, err);
    const { ids, connections } = stub.counted;
    // Six requests, and one each that was answered oddly, cut or never answered: none was sent twice.
    assert.equal(ids.length, 9);
    assert.ok(connections <= 5, `${connections} connections`);
    return JSON.parse(out) as Record<string, unknown>;
  };

  test(`${language}: answers, results and refusals of a mock`, { skip }, async (t) => {
    const { ready, err } = await mockCommand(t, []);
    assert.ok(ready !== null, err());
    assert.deepEqual(await ask(t, ready, "mock"), {
      ...SEEN,
      ids: [true, "found-mock"],
      again: [["hibp__breached_account"], "not asked"],
      order: [["example_bureau__company_report"], { order_id: "o-3" }],
      report: "EXAMPLE MILLS LIMITED",
    });
  });

  test(`${language}: the same of the service, whose ledger finds a run by the caller's id`, { skip }, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), "datarun-typed-"));
    t.after(() => rmSync(dataDir, { recursive: true, force: true }));
    const env = { DATARUN_DATA_DIR: dataDir };
    const org = verb(env, "org", "create", "Acme")["organization_tuid"]!;
    const { access_token: token } = verb(env, "token", "create", "--org", org);
    const { workflow } = verb(env, "workflow", "create", "--org", org);
    const { url } = await startCommand(t, [], env);
    const seen = await ask(t, { url, token: token!, workflow: workflow! }, "service");
    assert.deepEqual(seen, { ...SEEN, ids: [true, "found-service"] });
    const { runs } = verb<{ readonly runs: readonly { readonly client_request_id: string }[] }>(
      env,
      "ledger",
      "list",
      "--client-request-id",
      "found-service",
    );
    assert.equal(runs.length, 1);
  });
}

interface Access {
  readonly url: string;
  readonly token: string;
  readonly workflow: string;
}

test("a folder is written again only if it was generated, and only what exists is generated", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-client-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const generate = (...args: string[]) => command(ENV, "client", "generate", ...args);
  const refused = (says: RegExp, ...args: string[]) => {
    const { code, stderr } = generate(...args);
    assert.notEqual(code, 0);
    assert.match(stderr, says);
  };
  const before = readFileSync(join(typescript, "index.d.ts"), "utf8");
  const only = ["--lang", "ts", "--out", typescript, "--source", "google__phone_number"];
  assert.equal(generate(...only).code, 0);
  const after = readFileSync(join(typescript, "index.d.ts"), "utf8");
  assert.ok(
    after.includes("google__phone_number") && !after.includes("iso__country") && before.includes("iso__country"),
  );
  assert.ok(!after.includes("dfunc_contact_check"));

  const other = join(folder, "mine");
  mkdirSync(other);
  writeFileSync(join(other, "index.js"), "export {};\n");
  refused(/mine has files that this command has not written/, "--lang", "ts", "--out", other);
  refused(/has files that this command has not written/, "--lang", "ts", "--out", python);
  assert.equal(readFileSync(join(other, "index.js"), "utf8"), "export {};\n");
  const fresh = ["--lang", "ts", "--out", join(folder, "fresh")];
  refused(
    /There is no source "google__phone". Did you mean google__phone_number\b/,
    ...fresh,
    "--source",
    "google__phone",
  );
  refused(
    /There is no function "dfunc_contact". Did you mean .*dfunc_contact_check/,
    ...fresh,
    "--function",
    "dfunc_contact",
  );
  refused(/"my-client" is not an identifier/, "--lang", "python", "--out", join(folder, "my-client"));
  refused(/lang must be one of ts, python/, "--lang", "rust", "--out", join(folder, "fresh"));
  const off = command({ ...ENV, DATARUN_CATALOG: "" }, "client", "generate", ...fresh, "--source", "gleif__lei_record");
  assert.match(off.stderr, /The source gleif__lei_record is off/);
  assert.ok(!existsSync(join(folder, "fresh")));
});
