import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openStore } from "../../src/storage/store.ts";
import { newId } from "../../src/terms/ids.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { newStoreDatabase } from "../postgres/shared-postgres.ts";
import { startCommand, type CommandService, type DataReply } from "../rig/command.ts";
import { until } from "../rig/until.ts";
import { type Environment, verb } from "../start/operator-verb.ts";
import { project } from "../start/project-folder.ts";

/** What the vendor has done with the requests of each path: `billed` is what it will put on its invoice. */
interface Book {
  requests: number;
  billed: number;
}

/** A vendor that keeps a book, as its invoice would show it. It bills what it loses on the way back, too. */
async function vendorWithBook(t: TestContext) {
  const book: Book = { requests: 0, billed: 0 };
  const vendor: Server = createServer((request, response) => {
    book.requests += 1;
    const refuses = request.url === "/refused" || (request.url === "/any" && Math.random() < 0.3);
    if (!refuses) book.billed += 1;
    if (request.url === "/held") return;
    if (!refuses && request.url === "/any" && Math.random() < 0.1) return void request.socket.destroy();
    const reply = () => response.writeHead(refuses ? 429 : 200, { "content-type": "application/json" }).end("{}");
    setTimeout(reply, Math.random() * 20);
  });
  vendor.listen(0, "127.0.0.1");
  await once(vendor, "listening");
  t.after(() => vendor.close().closeAllConnections());
  return { origin: `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`, book };
}

async function deploymentOn(t: TestContext, databaseUrl: string | undefined) {
  const { origin, book } = await vendorWithBook(t);
  const folder = project(t, {
    "sources/acme__people.mjs": `export default {
      id: "acme__people", title: "People", inputs: { type: "object", properties: { path: { type: "string" } } },
      origins: ["${origin}"], charge: "per_call",
      run: ({ http, inputs }) => http.get("${origin}/" + inputs.path).then((reply) => reply.json()),
    };`,
  });
  const dataDirs = [0, 1, 2, 3].map(() => {
    const made = mkdtempSync(join(tmpdir(), "datarun-budget-"));
    t.after(() => rmSync(made, { recursive: true, force: true }));
    return made;
  });
  const env = {
    DATARUN_PROJECT: folder,
    DATARUN_DATA_DIR: dataDirs[0]!,
    ...(databaseUrl !== undefined && {
      DATABASE_URL: databaseUrl,
      DATARUN_ROOT_KEY: randomBytes(32).toString("base64"),
    }),
  };
  const org = verb(env, "org", "create", "A")["organization_tuid"]!;
  const workflow = verb(env, "workflow", "create", "--org", org)["workflow"]!;
  const token = verb(env, "token", "create", "--org", org)["access_token"]!;
  const headers = {
    "content-type": "application/json",
    "x-service-access-token": token,
    "x-service-workflow": workflow,
  };
  return {
    env,
    book,
    dataDirs,
    /** Set so long ago that settling a charge by hand counts. */
    async setBudget(calls: bigint): Promise<string> {
      const store = await openStore({ dataDir: dataDirs[0]!, databaseUrl, clock: systemClock });
      await store.ready();
      const id = newId("budget", Date.now());
      const act = { who: "operator", via: "cli", what: "budget set", wallAt: Date.now() } as const;
      const scope = { organizationId: org, workflowId: null, source: null, credentialId: null };
      const setWallAt = Date.now() - 3_600_000;
      await store.admin.setBudget(act, {
        id,
        ...scope,
        per: "month",
        timeZone: "UTC",
        currency: null,
        limit: calls,
        warnPercent: 80,
        setWallAt,
      });
      await store.close();
      return id;
    },
    start: (at: number) => startCommand(t, [], { ...env, DATARUN_DATA_DIR: dataDirs[at]! }),
    async ask(service: CommandService, path: string): Promise<{ success: boolean; message: string; id: string }> {
      const body = JSON.stringify({ config: { sources: { acme__people: true } }, inputs: { path } });
      const reply = await fetch(`${service.url}/data`, { method: "POST", headers, body });
      const { status, transaction_id: id } = (await reply.json()) as DataReply & { transaction_id: string };
      return { ...status["acme__people"]!, id };
    },
  };
}

test("kill -9 loses nothing of a budget and frees nothing that may have been billed; settling it by hand does", async (t) => {
  const { env, book, setBudget, start, ask } = await deploymentOn(t, undefined);
  const budget = await setBudget(5n);
  const service = await start(0);
  assert.ok((await ask(service, "ok")).success);
  assert.match((await ask(service, "refused")).message, /limiting the rate/);
  assert.ok((await ask(service, "ok")).success);
  ask(service, "held").catch(() => {});
  await until(() => book.requests === 4);
  service.signal("SIGKILL");
  await service.ended;

  const again = await start(0);
  const said = [];
  for (let count = 0; count < 4; count += 1) said.push((await ask(again, "ok")).success);
  assert.deepEqual(said, [true, true, false, false], "two were charged, one is unknown, and one was refused");
  assert.equal(book.billed, 5);
  const use = () => verb(env, "budget", "show", budget);
  await until(() => use()["used"] === "5 requests");
  assert.equal(use()["unknown"], 1);

  const { requests } = verb<{ requests: { transaction_id: string }[] }>(env, "ledger", "unknown");
  const settled = verb(
    env,
    "ledger",
    "reconcile",
    requests[0]!.transaction_id,
    "--call",
    "0",
    "--charged",
    "no",
    "--note",
    "x",
  );
  // What was sent in the first minutes of a month may have been counted in the one before.
  const inTime = new Date().getUTCDate() > 1 || new Date().getUTCHours() > 0;
  if (!inTime) return t.diagnostic("the month has just begun, so nothing is freed");
  assert.equal(settled["changed_budgets"], budget);
  await until(async () => (await ask(again, "ok")).success);
  assert.match((await ask(again, "ok")).message, new RegExp(`^Adapter error: budget ${budget} `));
});

test("a charge that is settled by hand before the next start asks for its budget is freed once", async (t) => {
  const { env, book, setBudget, start, ask } = await deploymentOn(t, undefined);
  const budget = await setBudget(5n);
  const service = await start(0);
  for (const path of ["ok", "ok"]) assert.ok((await ask(service, path)).success);
  ask(service, "held").catch(() => {});
  await until(() => book.requests === 3);
  service.signal("SIGKILL");
  await service.ended;
  const idle = await start(0);
  const { requests } = verb<{ requests: { transaction_id: string }[] }>(env, "ledger", "unknown");
  const of = requests[0]!.transaction_id;
  const settled = verb(env, "ledger", "reconcile", of, "--call", "0", "--charged", "no", "--note", "x");
  if (settled["changed_budgets"] !== budget) return t.diagnostic("the month has just begun, so nothing is freed");
  idle.signal("SIGTERM");
  await idle.ended;

  const again = await start(0);
  const said = [];
  for (let count = 0; count < 5; count += 1) said.push((await ask(again, "ok")).success);
  assert.deepEqual(said, [true, true, true, false, false]);
  await until(() => verb(env, "budget", "show", budget)["used"] === "5 requests");
});

/** The requests that were charged or may have been. */
function onLedger(env: Environment): number {
  const day = (later: number) => new Date(Date.now() + later * 86_400_000).toISOString().slice(0, 10);
  const sum = ["ledger", "spend", "--by", "org", "--from", day(-1), "--to", day(1)];
  const { spend } = verb<{ spend: { charged: number; unknown: number }[] }>(env, ...sum);
  return spend[0]!.charged + spend[0]!.unknown;
}

const LIMIT = 300;

test("two replicas never exceed a budget together, however often one is killed under load", async (t) => {
  const databaseUrl = await newStoreDatabase(t);
  const { env, book, setBudget, start, ask } = await deploymentOn(t, databaseUrl);
  const budget = await setBudget(BigInt(LIMIT));
  const replicas = await Promise.all([start(0), start(1)]);
  let over = false;
  // A test that fails must not go on asking.
  t.after(() => (over = true));
  const load = async (at: number): Promise<void> => {
    while (!over) await ask(replicas[at]!, "any").catch(() => new Promise((resolve) => setTimeout(resolve, 20)));
  };
  const clients = [0, 1].flatMap((at) => Array.from({ length: 4 }, () => load(at)));
  for (const at of [0, 1, 0]) {
    const before = book.billed;
    await until(() => book.billed > Math.min(before + 40, LIMIT - 60));
    const victim = replicas[at]!;
    victim.signal("SIGKILL");
    await victim.ended;
    replicas[at] = await start(at);
  }
  const shown = () => verb(env, "budget", "show", budget);
  const isFull = () => shown()["left"] === "0 requests";
  await until(isFull);
  over = true;
  await Promise.all(clients);
  for (const service of replicas) while (!/budget/.test((await ask(service, "ok")).message));

  assert.ok(book.billed <= LIMIT, `${book.billed} of ${LIMIT}`);
  // Of each start that was killed, up to four requests were on their way: they are unknown, and may not be billed.
  assert.ok(book.billed >= LIMIT - 12, `${book.billed} of ${LIMIT}`);
  // Nothing is kept for requests that the ledger does not know, and nothing is missing.
  const counted = () => `${onLedger(env)} requests`;
  // What differs is said with all that the budget shows.
  const isSame = (): boolean => counted() === shown()["used"];
  await until(isSame).catch(() => assert.equal(counted(), shown()["used"], JSON.stringify([shown(), book])));
  t.diagnostic(`${book.billed} billed, ${book.requests} sent`);
});

test("starts that are killed and never come back hold little of a budget, and it is free again by a drain or a recount", async (t) => {
  const databaseUrl = await newStoreDatabase(t);
  const { env, book, dataDirs, setBudget, start, ask } = await deploymentOn(t, databaseUrl);
  const limit = 2_000;
  const budget = await setBudget(BigInt(limit));
  const shown = () => {
    const { used, leased, silent, left } = verb(env, "budget", "show", budget);
    return [used, leased, silent, left].map((text) => Number(text!.replace(/ requests?$/, "")));
  };
  for (const at of [0, 1, 2]) {
    const service = await start(at);
    let over = false;
    const load = async (): Promise<void> => {
      while (!over) await ask(service, "ok").catch(() => (over = true));
    };
    const before = book.requests;
    const clients = Array.from({ length: 8 }, load);
    await until(() => book.requests > before + 150);
    service.signal("SIGKILL");
    await service.ended;
    await Promise.all(clients);
  }
  const sent = () => book.requests;
  const [, , , left] = shown();
  // With what was on its way.
  assert.ok(left! >= limit - sent() - 3 * (limit / 100 + 8), `${left} left after ${sent()} requests`);

  const drain = (at: number) => verb({ ...env, DATARUN_DATA_DIR: dataDirs[at]! }, "ledger", "drain");
  // Notes are believed, and so is a ledger that has everything, once the process has said nothing for long.
  drain(0);
  const store = await openStore({ dataDir: dataDirs[0]!, databaseUrl, clock: systemClock });
  t.after(() => store.close());
  await store.ready();
  await store.ledgerTables.query("UPDATE budget_leases SET heard_at = heard_at - 61000");
  assert.ok(shown()[2]! > 0, "what is silent is shown apart");
  rmSync(join(dataDirs[1]!, "budgets"), { recursive: true });
  drain(1);
  rmSync(join(dataDirs[2]!, "budgets"), { recursive: true });
  // The third directory is gone for good: its runs are on the ledger as far as they were carried there.
  const { used_before: before } = verb(env, "budget", "recount", budget);
  assert.match(before!, /requests$/);
  const counted = onLedger(env);
  assert.deepEqual(shown(), [counted, 0, 0, limit - counted]);
});
