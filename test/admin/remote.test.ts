import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { findVerbs } from "../../src/admin/find-verbs.ts";
import { runCli } from "../../src/admin/cli/run-cli.ts";
import { COMMANDS } from "../../src/composition/commands/commands.ts";
import { openVerbs } from "../../src/composition/verb-needs/terminal-needs.ts";
import { start, type RunningService } from "../../src/composition/start.ts";
import { createLog } from "../../src/operate/log.ts";
import { readSettings } from "../../src/settings/read-settings.ts";
import { issueCertificate, makeAuthority } from "../vendor/certificate.ts";
import { newStoreDatabase } from "../postgres/shared-postgres.ts";

const LAUNCHER = fileURLToPath(new URL("../../bin/datarun.mjs", import.meta.url));

/** A service with the real catalog, and a shell on its machine, which is also one elsewhere. */
let running: RunningService;
let token: string;
let org: string;
let workflow: string;
let tokenId: string;
let transaction: string;
let folder: string;
const leftovers: (() => unknown)[] = [];

interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(args: readonly string[], env: Record<string, string> = {}, stdin = ""): Promise<Printed> {
  const printed = { out: "", err: "" };
  const into = (key: "out" | "err") =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        printed[key] += chunk.toString();
        done();
      },
    });
  const io = { stdin: Readable.from([Buffer.from(stdin)]), stdout: into("out"), stderr: into("err"), env };
  const cli = { verbs: findVerbs(), lasting: COMMANDS, open: openVerbs, version: async () => "v1" };
  const code = await runCli(args, io, cli);
  return { code, stdout: printed.out, stderr: printed.err };
}

const here = (args: readonly string[], stdin?: string) => run(args, {}, stdin);
const remotely = (args: readonly string[], stdin?: string) =>
  run(["--remote", running.adminUrl, ...args], { DATARUN_OPERATOR_TOKEN: token }, stdin);
const json = async (args: readonly string[]) => JSON.parse((await here([...args, "--json"])).stdout);

before(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-remote-"));
  leftovers.push(() => rmSync(dataDir, { recursive: true, force: true }));
  folder = dataDir;
  const isShared = process.env["TEST_STORE"] === "postgres";
  const databaseUrl = isShared ? await newStoreDatabase({ after: (drop) => leftovers.push(drop) }) : undefined;
  process.env["DATARUN_DATA_DIR"] = dataDir;
  if (databaseUrl !== undefined) {
    process.env["DATABASE_URL"] = databaseUrl;
    process.env["DATARUN_ROOT_KEY"] = randomBytes(32).toString("base64");
  }
  running = await start({
    settings: readSettings({ options: { port: "0", "admin-port": "0" }, environment: process.env }),
    printDemo: () => {},
    log: createLog("warn", join(dataDir, "log")),
  });
  leftovers.unshift(() => running.close());
  token = (await json(["operator", "create", "ada", "--role", "owner"])).operator_token;
  org = (await json(["org", "create", "Acme"])).organization_tuid;
  workflow = (await json(["workflow", "create", "--org", org, "--auto-credentials"])).workflow;
  const issued = await json(["token", "create", "--org", org]);
  tokenId = issued.token_id;
  const reply = await fetch(`${running.url}/data`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-service-access-token": issued.access_token,
      "x-service-workflow": workflow,
    },
    body: JSON.stringify({ config: { sources: { google__phone_number: true } }, inputs: { phone: "+442079460958" } }),
  });
  transaction = ((await reply.json()) as { transaction_id: string }).transaction_id;
  let found = await here(["ledger", "show", transaction]);
  for (let left = 100; found.code !== 0 && left > 0; left -= 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    found = await here(["ledger", "show", transaction]);
  }
  assert.equal(found.code, 0, found.stderr);
});
after(async () => {
  for (const remove of leftovers) await remove();
});

test("a verb prints the same from afar as on the machine, byte for byte: results, remarks, tables, failures and exit codes", async () => {
  const span = ["--from", "2020-01-01", "--to", "2100-01-01"];
  assert.equal((await here(["budget", "set", "--org", org, "--per", "day", "--calls", "5"])).code, 0);
  const invoice = join(folder, "invoice.csv");
  writeFileSync(invoice, "A\ntrx_nobody\n");
  const commands: (readonly string[])[] = [
    ["org", "list"],
    ["org", "rename", org, "Acme Ltd"],
    ["org", "rename", org, "Société 名 😀 <b>&amp;"],
    ["org", "list"],
    ["org", "disable", org],
    ["org", "enable", org],
    ["workflow", "list", "--org", org],
    ["workflow", "set", workflow, "--failure-details", "--no-auto-credentials"],
    ["workflow", "set", workflow],
    ["token", "list", "--org", org],
    ["token", "list", "--org", org, "--state", "revoked"],
    ["audit", "list", "--limit", "3"],
    ["audit", "list", "--org", org],
    ["budget", "list", "--org", org],
    ["budget", "set", "--org", org, "--per", "day", "--calls", "5"],
    ["budget", "set", "--org", org, "--per", "day", "--calls", "5", "--currency", "EUR"],
    ["operator", "list"],
    ["operator", "create", "ada", "--role", "viewer"],
    ["keys", "verify"],
    ["credential", "list", "--org", org],
    ["credential", "explain", "--workflow", workflow, "--source", "companies_house__company_profile"],
    ["credential", "create", "--org", org, "--source", "google__phone_number", "--set", "a=b"],
    ["source", "list"],
    ["source", "list", "--vendor", "gleif"],
    ["source", "show", "gleif__lei_record"],
    ["source", "show", "gleif__lei_recrod"],
    ["source", "test", "google__phone_number"],
    ["source", "test", "google__phone_number", "--case", "no such case"],
    ["function", "list"],
    ["function", "show", "dfunc_contact_check"],
    ["ledger", "list"],
    ["ledger", "list", "--after", "nonsense"],
    ["ledger", "show", transaction],
    ["ledger", "show", "trx_0"],
    ["ledger", "unknown"],
    ["ledger", "summary", new Date().toISOString().slice(0, 7)],
    ["ledger", "spend", "--by", "source", ...span],
    ["ledger", "spend", "--by", "source", "--from", "2100-01-01", "--to", "2020-01-01"],
    ["ledger", "reconcile", transaction, "--call", "0", "--charged", "no", "--note", "x"],
    ["ledger", "verify"],
    ["ledger", "export"],
    ["ledger", "export", "--format", "jsonl", "--from", "2026-02-30"],
    ["ledger", "compare", invoice, "--map", "transaction=A", ...span],
    ["ledger", "compare", "/nowhere.csv", "--map", "transaction=A", ...span],
    ["token", "revoke", `tok_${"0".repeat(32)}`],
    ["token", "revoke", "nonsense"],
    ["token", "revoke"],
    ["token", "list", "--org", org, "--unknown-option"],
    ["token", "list", "--help"],
  ];
  for (const command of commands) {
    for (const args of [command, [...command, "--json"]]) {
      const [there, own] = [await remotely(args), await here(args)];
      // Commands that are proposed act on the same deployment.
      const sameProgram = (text: string) => text.replaceAll(/DATARUN_REMOTE=\S+ datarun/g, "datarun");
      const proposed = { ...there, stdout: sameProgram(there.stdout), stderr: sameProgram(there.stderr) };
      // A command without a project says so; the service has one or none.
      const withoutHint = (text: string) =>
        text.replaceAll(/ No project is named here, so that [^"\n]*DATARUN_PROJECT\./g, "");
      const expected = { ...own, stdout: withoutHint(own.stdout), stderr: withoutHint(own.stderr) };
      assert.deepEqual(proposed, expected, command.join(" "));
    }
  }
});

test("an export from afar is written here, and only where no file is", async () => {
  const [there, own] = [join(folder, "there.csv"), join(folder, "own.csv")];
  const exported = await remotely(["ledger", "export", there]);
  assert.deepEqual([exported.code, exported.stderr], [0, ""]);
  assert.equal((await here(["ledger", "export", own])).code, 0);
  assert.deepEqual(readFileSync(there), readFileSync(own));
  assert.equal(statSync(there).mode & 0o777, 0o600);
  const [far, near] = [join(folder, "far.parquet"), join(folder, "near.parquet")];
  assert.equal((await remotely(["ledger", "export", far, "--format", "parquet"])).code, 0);
  assert.equal((await here(["ledger", "export", near, "--format", "parquet"])).code, 0);
  assert.deepEqual(readFileSync(far), readFileSync(near));
  const again = await remotely(["ledger", "export", there, "--json"]);
  assert.deepEqual([again.code, JSON.parse(again.stdout).error.code], [1, "refused"]);
});

test("what is set by options, variables and standard input arrives, and is done in the operator's name", async () => {
  const source = "companies_house__company_profile";
  const create = ["credential", "create", "--org", org, "--source", source, "--default", "--stdin", "--json"];
  const made = await remotely(create, '{"api_key":"a-key-of-companies-house"}');
  assert.equal(made.code, 0, made.stderr);
  const { credentials } = await json(["credential", "list", "--org", org]);
  assert.equal(credentials[0].cred_id, JSON.parse(made.stdout).cred_id);
  const revoked = await remotely(["token", "revoke", tokenId]);
  assert.equal(revoked.code, 0);
  const again = await remotely(["token", "revoke", tokenId]);
  assert.match(again.stderr, /had already been revoked/);
  const { entries } = await json(["audit", "list", "--org", org, "--limit", "2"]);
  assert.deepEqual(
    entries.map(({ who, via }: { who: string; via: string }) => [who, via]),
    [
      ["ada", "api"],
      ["ada", "api"],
    ],
  );
});

test("the address and the token may come from the environment, and the option may stand on either side", async () => {
  const env = { DATARUN_OPERATOR_TOKEN: token };
  const expected = await here(["org", "list"]);
  assert.deepEqual(await run(["org", "list"], { ...env, DATARUN_REMOTE: running.adminUrl }), expected);
  assert.deepEqual(await run(["org", "list", "--remote", running.adminUrl], env), expected);
  assert.deepEqual(await run([`--remote=${running.adminUrl}/`, "org", "list"], env), expected);
  const remoteWins = { ...env, DATARUN_REMOTE: "http://127.0.0.1:1" };
  assert.deepEqual(await run(["org", "list", "--remote", running.adminUrl], remoteWins), expected);
});

test("a verb that works only in a terminal is refused from afar, and is not done here instead", async () => {
  const elsewhere = { DATARUN_REMOTE: running.adminUrl, DATARUN_OPERATOR_TOKEN: token };
  for (const [args, says] of [
    [["store", "copy"], /"store copy" works only on the machine/],
    [["source", "test", "google__phone_number", "--record"], /--record works only on the machine/],
    [["keys", "rotate", "--adopt-root-key"], /--adopt-root-key works only on the machine/],
    [["org", "list", "--data-dir", "x"], /--data-dir is the service's own/],
    [["org", "list", "--project", "x"], /--project is the service's own/],
  ] as const) {
    const { code, stderr } = await run(args, elsewhere);
    assert.equal(code, 2, stderr);
    assert.match(stderr, says);
  }
});

test("an address that is given and empty is a mistake, and nothing is done here instead", async () => {
  const env = { DATARUN_OPERATOR_TOKEN: token, DATARUN_REMOTE: running.adminUrl };
  for (const args of [
    ["--remote", "", "org", "list"],
    ["--remote=", "org", "list"],
    ["org", "list", "--remote", ""],
  ]) {
    const { code, stdout, stderr } = await run(args, env);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /--remote must be the address of an admin port/);
  }
  assert.equal((await run(["org", "list"], { DATARUN_REMOTE: "" })).code, 0, "an empty variable is none");
});

for (const [address, says] of [
  ["http://admin.acme.example", /over http a token can be read on the way/],
  ["http://10.0.0.7:8081", /over http a token can be read on the way/],
  ["http://localhost.evil.example", /over http a token can be read on the way/],
  ["http://127.0.0.1.evil.example:8081", /over http a token can be read on the way/],
  ["http://user:pass@127.0.0.1:8081", /without a user/],
  ["https://admin.acme.example?x=1", /without a user, a query/],
  ["ftp://127.0.0.1", /must be the address of an admin port/],
  ["127.0.0.1:8081", /must be the address of an admin port/],
  ["nonsense", /must be the address of an admin port/],
] as const) {
  test(`no token is sent to ${address}`, async () => {
    const { code, stdout, stderr } = await run(["--remote", address, "org", "list"], { DATARUN_OPERATOR_TOKEN: token });
    assert.equal(code, 2);
    assert.match(stderr, says);
    assert.ok(!(stdout + stderr).includes(token));
  });
}

test("a token that is missing, of another kind or not accepted is said so, and never shown", async () => {
  const ask = (env: Record<string, string>) => run(["--remote", running.adminUrl, "org", "list"], env);
  assert.match((await ask({})).stderr, /^Set DATARUN_OPERATOR_TOKEN to your token/);
  assert.match(
    (await ask({ DATARUN_OPERATOR_TOKEN: "drt_secret" })).stderr,
    /^DATARUN_OPERATOR_TOKEN is not an operator's token/,
  );
  assert.match((await ask({ DATARUN_OPERATOR_TOKEN: "dop_se\ncret…" })).stderr, /is not an operator's token/);
  const wrong = await ask({ DATARUN_OPERATOR_TOKEN: "dop_secret" });
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /^DATARUN_OPERATOR_TOKEN: The token is not accepted/);
  assert.ok(!wrong.stderr.includes("dop_secret"));
  const viewer = (await json(["operator", "create", "vera", "--role", "viewer"])).operator_token as string;
  const refused = await run(["--remote", running.adminUrl, "org", "create", "X"], { DATARUN_OPERATOR_TOKEN: viewer });
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.equal(refused.stderr, '"org create" takes the role operator, and vera has the role viewer.\n');
});

test("an address where something else answers, or nothing, is said so", async (t) => {
  const env = { DATARUN_OPERATOR_TOKEN: token };
  const ask = (address: string) => run(["--remote", address, "org", "list", "--json"], env);
  const said = (printed: Printed) => (JSON.parse(printed.stdout) as { error: { code: string; message: string } }).error;
  const closed = await listen(t, () => {});
  await new Promise((resolve) => closed.server.close(resolve));
  assert.match(said(await ask(closed.url)).message, /does not answer \(ECONNREFUSED\)/);
  assert.match(said(await ask(running.url)).message, /\(status 404\) is not the admin API of datarun/);

  const seen: string[] = [];
  const target = await listen(t, (request) => void seen.push(request.url ?? ""));
  const redirecting = await listen(t, (_, response) => response.writeHead(307, { Location: target.url }).end());
  assert.match(said(await ask(redirecting.url)).message, /\(status 307\) is not the admin API/);
  assert.deepEqual(seen, [], "the token does not follow a redirect");
  const broken = await listen(t, (request) => request.socket.destroy());
  assert.deepEqual(said(await ask(broken.url)).code, "unavailable");
});

test("over https a token goes only to a server whose certificate is trusted, and is good for the address", async (t) => {
  const asked: string[] = [];
  const authority = makeAuthority();
  const folder = mkdtempSync(join(tmpdir(), "datarun-authority-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "ca.pem"), authority.cert);
  /** As a reverse proxy does, with the `Host` as it was sent. */
  const proxy = async (names: readonly string[]) => {
    const server = createTlsServer(issueCertificate({ names, authority }), (incoming, outgoing) => {
      asked.push(incoming.headers.host ?? "");
      const { port } = new URL(running.adminUrl);
      const { method, url, headers } = incoming;
      incoming.pipe(
        request({ port, method, path: url, headers }, (reply) => {
          outgoing.writeHead(reply.statusCode!, reply.headers);
          reply.pipe(outgoing);
        }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => server.close());
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const [good, wrong] = [await proxy(["127.0.0.1"]), await proxy(["other.example"])];
  const elsewhere = (address: string, env: Record<string, string>) =>
    new Promise<{ readonly out: string; readonly err: string }>((resolve) => {
      const args = [LAUNCHER, "--remote", address, "org", "list", "--json"];
      const child = spawn(process.execPath, args, {
        env: { PATH: process.env["PATH"], DATARUN_OPERATOR_TOKEN: token, ...env },
      });
      const printed = { out: "", err: "" };
      child.stdout.on("data", (chunk: Buffer) => (printed.out += chunk.toString()));
      child.stderr.on("data", (chunk: Buffer) => (printed.err += chunk.toString()));
      child.on("close", () => resolve(printed));
    });
  const trusting = { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") };
  assert.match((await elsewhere(good, {})).err, /does not answer \((UNABLE_TO_\w+|SELF_SIGNED_\w+)\)/);
  assert.match((await elsewhere(wrong, trusting)).err, /does not answer \(ERR_TLS_CERT_ALTNAME_INVALID\)/);
  assert.deepEqual(asked, []);
  assert.deepEqual(await elsewhere(good, trusting), { out: (await here(["org", "list", "--json"])).stdout, err: "" });
  assert.deepEqual(asked, [new URL(good).host]);
});

async function listen(t: { after(end: () => unknown): void }, handle: Parameters<typeof createServer>[1] & {}) {
  const server: Server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
