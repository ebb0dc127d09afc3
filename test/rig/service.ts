import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSettings } from "../../src/settings/read-settings.ts";
import type { SettingKey } from "../../src/settings/settings.ts";
import { openKeyedStore } from "../../src/composition/open-store.ts";
import { createLog } from "../../src/operate/log.ts";
import type { LoadedSources } from "../../src/project/load-sources.ts";
import type { SourceDeclaration } from "../../src/sdk/source.ts";
import { start } from "../../src/composition/start.ts";
import { systemClock, type Clock } from "../../src/terms/time/clock.ts";
import { assertAccounts } from "./accounts.ts";
import { createClient, type Reply } from "./client.ts";
import { assertContract, assertHeaders } from "./contract.ts";
import { startMockService } from "./mock-service.ts";
import { readLedger, type LedgerRows } from "./ledger-rows.ts";
import { createOperator, type Operator, type Organization, type WorkflowFlags } from "./organization.ts";
import { exchange, type Exchange, type RawOptions, type Step } from "./raw-socket.ts";
import { assertDataRun, HEALTHY } from "./run-rules.ts";
import { assertDocumented } from "./documented-log.ts";
import { Secrets } from "./secrets.ts";
import { dumpDatabase, readSharedLedger } from "./shared-database.ts";
import { copyEmbeddedTemplate } from "./embedded-template.ts";
import { newStoreDatabase } from "../postgres/shared-postgres.ts";
import { answers, loadDeclared } from "./sources.ts";
import type { TestLife, Vendor } from "../vendor/scripted-vendor.ts";

export interface ServiceOptions {
  /** Besides `ok__echo`, which is always there. */
  readonly sources?: readonly SourceDeclaration[];
  /** Further ones, with the files that they were loaded from. */
  readonly loaded?: LoadedSources["all"];
  /** A folder whose functions are served. */
  readonly project?: string;
  readonly settings?: Readonly<Partial<Record<SettingKey, string | number>>>;
  /** For settings that are read from there alone. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Instead of the system's. */
  readonly clock?: Clock;
  /** Of both organizations' workflows. */
  readonly workflow?: WorkflowFlags;
  /** Whose count of requests must be the ledger's when all is over. */
  readonly vendors?: readonly Vendor[];
}

export interface PostOptions {
  /** Whose token and workflow go along in the service's own headers: organization A's unless said; `null` for nobody's. */
  readonly as?: Pick<Organization, "token" | "workflow"> | null;
  /** In place of those that are sent otherwise; `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly signal?: AbortSignal;
}

export interface TestService {
  /** Whether it is `datarun mock`, which has neither a ledger nor an operator, nor a second organization. */
  readonly isMock: boolean;
  /** What the `config` of every answer has besides. */
  readonly marks: object;
  readonly url: string;
  readonly adminUrl: string;
  readonly dataDir: string;
  /** A and B, who have nothing to do with each other. */
  readonly a: Organization;
  readonly b: Organization;
  readonly operator: Operator;
  /** Texts that must turn up nowhere, in no encoding. Tokens and credentials are in already. */
  readonly secrets: Secrets;
  /** An object goes as JSON, a text or bytes as they are. Every reply is held to the contract before it is given back. */
  post(path: "/data" | "/func", body: unknown, options?: PostOptions): Promise<Reply>;
  /** `POST /data` with these sources and, besides, the healthy one that nothing may hurt. */
  run(sources: object, inputs?: object, options?: PostOptions & { readonly config?: object }): Promise<Reply>;
  send(method: string, path: string, options?: PostOptions & { readonly body?: string | undefined }): Promise<Reply>;
  /** Speaks bytes. What comes back must have the headers of every response. */
  raw(steps: readonly Step[], options?: RawOptions): Promise<Exchange>;
  /** Head of a request by organization A, to be followed by the rest of its head and its body. */
  rawHead(path: string, method?: string): string;
  ledgerRows(): LedgerRows[];
  ledgerRows(transactionId: string): LedgerRows;
  logLines(): Promise<Readonly<Record<string, unknown>>[]>;
  /** The log line of each run. */
  runLines(): Promise<Readonly<Record<string, unknown>>[]>;
  /** One more run was started whose answer the test does not read. */
  expectRunWithoutAnswer(): void;
  /** Reads the project again. */
  reload(): Promise<unknown>;
  /** Ends the service before the test does. */
  close(): Promise<void>;
  /** Whether its end has begun. */
  readonly hasEnded: boolean;
}

/** The whole suite runs on the embedded store, and once more on PostgreSQL. */
const ON_POSTGRES = process.env["TEST_STORE"] === "postgres";

/**
 * The real service on free ports, with a store, a journal and a log of its own. When the test is over, its books are
 * compared: every answer is on the ledger, vendors were called as often as the ledger says, and no secret is anywhere.
 */
export async function startService(t: TestLife, options: ServiceOptions = {}): Promise<TestService> {
  if (process.env["TEST_STORE"] === "mock") return startMockService(t, options);
  const dataDir = await mkdtemp(join(tmpdir(), "datarun-test-"));
  const logFile = join(dataDir, "service.log");
  const leftovers: (() => unknown)[] = [() => rm(dataDir, { recursive: true, force: true })];
  const databaseUrl = ON_POSTGRES ? await newStoreDatabase({ after: (drop) => leftovers.push(drop) }) : undefined;
  if (databaseUrl === undefined) copyEmbeddedTemplate(dataDir);
  const rootKey = databaseUrl === undefined ? undefined : randomBytes(32).toString("base64");
  const settings = readSettings({
    environment: { DATARUN_ROOT_KEY: rootKey, ...options.environment },
    options: {
      port: "0",
      "admin-port": "0",
      "data-dir": dataDir,
      "log-level": "debug",
      // The connections that tests keep would make each stop wait.
      "limits-drain-ms": "0",
      "limits-shutdown-grace-ms": "2000",
      ...(databaseUrl === undefined ? {} : { "database-url": databaseUrl }),
      ...(options.project === undefined ? {} : { project: options.project }),
      ...Object.fromEntries(
        Object.entries(options.settings ?? {}).map(([key, value]) => [key.replaceAll(/[._]/g, "-"), String(value)]),
      ),
    },
  });
  const log = createLog("debug", logFile);
  const declared = loadDeclared([answers(HEALTHY, { ok: true }), ...(options.sources ?? [])]);
  const running = await start({
    settings,
    printDemo: () => {},
    log,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    sources: { ...declared, all: new Map([...declared.all, ...(options.loaded ?? [])]) },
  });

  const secrets = new Secrets();
  const opened = await openKeyedStore({ dataDir, databaseUrl, rootKey, clock: systemClock });
  await opened.proven;
  const operator = createOperator(opened, systemClock, secrets);
  const a = await operator.createOrganization("A", options.workflow);
  const b = await operator.createOrganization("B", options.workflow);
  const client = createClient(running.url);
  const transactionIds = new Set<string>();
  let runsWithoutAnswer = 0;
  let closed = false;

  async function close(): Promise<void> {
    if (closed) return;
    closed = true;
    await running.close();
    client.close();
    await opened.store.close();
  }
  // Clean-up runs in the order it was asked for: what a test asked for before, such as the end of a vendor, is over now.
  t.after(async () => {
    try {
      await close();
      const seen = { transactionIds, runsWithoutAnswer, vendors: options.vendors ?? [] };
      assertAccounts(seen, readLedger(dataDir));
      secrets.assertAbsentFromFolder(dataDir);
      if (databaseUrl !== undefined) {
        assertAccounts(seen, await readSharedLedger(databaseUrl));
        secrets.assertAbsent("the shared database", await dumpDatabase(databaseUrl));
      }
      const lines = await readLog(logFile);
      for (const line of lines) assertDocumented(line);
      const stray = lines.filter(({ event }) => event === "stray_error");
      assert.deepEqual(stray, [], "an error that belonged to no run");
    } finally {
      await close();
      for (const remove of leftovers) await remove();
    }
  });

  function noteReply(method: string, path: string, sent: unknown, reply: Reply): Reply {
    assertContract(method, path, reply);
    const own = reply.statusCode === 200 ? credentialsIn(sent) : [];
    secrets.assertAbsent("a reply", reply.text, own);
    const { transaction_id } = reply.statusCode === 200 && method === "POST" ? reply.json() : {};
    // In passthrough mode every field is the function's own, a transaction_id as well.
    if (typeof transaction_id === "string" && !isPassthrough(sent)) transactionIds.add(transaction_id);
    else if (reply.statusCode === 200 && method === "POST") runsWithoutAnswer += 1;
    const sources = sourcesIn(sent);
    if (path === "/data" && reply.statusCode === 200 && sources !== undefined) assertDataRun(sources, reply);
    return reply;
  }

  const service: TestService = {
    isMock: false,
    marks: {},
    url: running.url,
    adminUrl: running.adminUrl,
    dataDir,
    a,
    b,
    operator,
    secrets,

    async post(path, body, { as = a, headers = {}, signal } = {}) {
      const isText = typeof body === "string" || Buffer.isBuffer(body);
      const access = as === null ? {} : { "X-Service-Access-Token": as.token, "X-Service-Workflow": as.workflow };
      if (!isText) secrets.addAll(credentialsIn(body));
      const reply = await client.send({
        method: "POST",
        path,
        headers: { "Content-Type": "application/json", ...access, ...headers },
        body: isText ? body : JSON.stringify(body),
        signal,
      });
      return noteReply("POST", path, isText ? undefined : body, reply);
    },

    run(sources, inputs = {}, { config = {}, ...how } = {}) {
      return service.post("/data", { config: { ...config, sources: { ...sources, [HEALTHY]: true } }, inputs }, how);
    },

    async send(method, path, { as = null, headers = {}, body, signal } = {}) {
      const access = as === null ? {} : { "X-Service-Access-Token": as.token, "X-Service-Workflow": as.workflow };
      const reply = await client.send({ method, path, headers: { ...access, ...headers }, body, signal });
      return noteReply(method, path.split("?")[0]!, undefined, reply);
    },

    async raw(steps, how) {
      const exchanged = await exchange(running.url, steps, how);
      for (const reply of exchanged.replies) {
        assertHeaders(reply);
        const { transaction_id } = reply.statusCode === 200 && reply.text !== "" ? JSON.parse(reply.text) : {};
        if (typeof transaction_id === "string") transactionIds.add(transaction_id);
        if (reply.statusCode >= 400) secrets.assertAbsent("a reply", reply.text);
      }
      return exchanged;
    },

    rawHead(path, method = "POST") {
      return `${method} ${path} HTTP/1.1\r\nHost: test\r\nX-Service-Access-Token: ${a.token}\r\nX-Service-Workflow: ${a.workflow}\r\n`;
    },

    ledgerRows: ((transactionId?: string) => {
      const rows = readLedger(dataDir);
      return transactionId === undefined ? rows : rows.find(({ run }) => run["transaction_id"] === transactionId);
    }) as TestService["ledgerRows"],

    async logLines() {
      await log.written(LOG_WAIT_MS);
      return readLog(logFile);
    },

    async runLines() {
      return (await service.logLines()).filter(({ event }) => event === "run");
    },

    expectRunWithoutAnswer() {
      runsWithoutAnswer += 1;
    },

    reload: () => running.reload(),
    close,

    get hasEnded() {
      return closed;
    },
  };
  return service;
}

/** As long as a test may take: the disk of a busy machine can be slow. */
const LOG_WAIT_MS = 60_000;

/** Fails on a line that is not one JSON object. */
async function readLog(file: string): Promise<Readonly<Record<string, unknown>>[]> {
  const lines = (await readFile(file, "utf8")).split("\n");
  assert.equal(lines.pop(), "");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

function isPassthrough(body: unknown): boolean {
  const config = (body as { config?: { datafunc_response_passthrough?: unknown } } | undefined)?.config;
  return config?.datafunc_response_passthrough === true;
}

function sourcesIn(body: unknown): Record<string, unknown> | undefined {
  return (body as { config?: { sources?: Record<string, unknown> } } | undefined)?.config?.sources;
}

/** The texts of inline credentials: the only secrets that an answer may hold, because its own caller sent them. */
function credentialsIn(body: unknown): string[] {
  return Object.values(sourcesIn(body) ?? {}).flatMap((entry) =>
    textsIn((entry as { credentials?: unknown } | null)?.credentials),
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
