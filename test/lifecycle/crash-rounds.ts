import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { readAmount } from "../../src/terms/money/money.ts";
import { after as later, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { deploy, type Deployment, type Process } from "../rig/deployed.ts";
import { assertVersionsResolve } from "../rig/recorded-versions.ts";
import { LIST_PRICE, vendorProject } from "./vendor-project.ts";

export interface CrashCount {
  readonly requests: number;
  readonly answered: number;
  readonly vendorCalls: number;
  readonly attempts: number;
  readonly unknownRuns: number;
}

interface Spent {
  readonly source: string;
  readonly amount: string;
  readonly amount_at_most: string;
  readonly unknown: number;
  readonly unpriced: number;
}

function microsOf(text: string): bigint {
  return readAmount(text)!;
}

function dayFrom(days: number): string {
  return new Date(Date.now() + days * 24 * 60 * 60 * 1_000).toISOString().slice(0, 10);
}

/** The runs of all requests whose charge is unknown, page by page. */
async function allUnknown(deployment: Deployment): Promise<string[]> {
  const runs: string[] = [];
  let place: string[] = [];
  do {
    const page = await deployment.verb("ledger", "unknown", ...place);
    runs.push(...page.requests.map((request: { transaction_id: string }) => request.transaction_id));
    place = page.next === undefined ? [] : ["--after", page.next];
  } while (place.length > 0);
  return runs;
}

/** What a version says of the whole ledger. */
export function assertVerified(root: string, env: Readonly<Record<string, string>>): void {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "bin/datarun.mjs"), "ledger", "verify", "--json"],
    { env: { PATH: process.env["PATH"], ...env }, encoding: "utf8" },
  );
  assert.equal(status, 0, `${stdout}${stderr}`);
  const { ledgers } = JSON.parse(stdout) as { readonly ledgers: readonly { readonly ok: number }[] };
  assert.ok(ledgers[0]!.ok > 0);
}

const SOURCES = { acme__quick: true, acme__slow: true };
const RUNS_AT_ONCE = 12;

/**
 * Kills the whole service under load, again and again on one data directory, and then holds its ledger against what the
 * client and the vendor saw: nothing missing, nothing invented.
 * @param versions the folders of the versions that are started in turn; left out: this one
 */
export async function crashRounds(
  t: TestContext,
  rounds: number,
  versions: readonly (string | undefined)[] = [undefined],
): Promise<CrashCount> {
  const vendor = await startVendor(t, {
    paths: { "/quick": later(5, json({ quick: true })), "/slow": later(40, json({ slow: true })) },
  });
  const deployment = await deploy(t, { project: vendorProject(t, vendor, { quick: "/quick", slow: "/slow" }) });
  const answered: string[] = [];
  let requests = 0;

  async function ask(service: Process, over: () => boolean): Promise<void> {
    while (!over()) {
      requests += 1;
      const reply = await service.run(SOURCES).catch(() => null);
      if (reply === null) return;
      assert.equal(reply.statusCode, 200);
      answered.push(reply.json().transaction_id);
    }
  }

  for (let round = 0; round < rounds; round += 1) {
    const root = versions[round % versions.length];
    const service = await deployment.start(root === undefined ? {} : { root });
    let over = false;
    const clients = Array.from({ length: RUNS_AT_ONCE }, () => ask(service, () => over));
    // However slow the machine is, something runs when the kill comes.
    const enough = answered.length + RUNS_AT_ONCE;
    while (answered.length < enough) await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
    service.signal("SIGKILL");
    over = true;
    await Promise.all(clients);
    assert.equal((await service.ended).signal, "SIGKILL", "it was alive until it was killed");
  }
  // Its start recovers what the last kill has left; what was in sockets has reached the vendor by then.
  const last = await deployment.start();
  const listed = await allUnknown(deployment);
  const days = ["--from", dayFrom(-1), "--to", dayFrom(2)];
  const { spend } = (await deployment.verb("ledger", "spend", "--by", "source", ...days)) as { spend: Spent[] };
  last.signal("SIGTERM");
  assert.equal((await last.ended).code, 0);

  const ledger = deployment.ledger();
  const byId = new Map(ledger.map((rows) => [rows.run["transaction_id"], rows]));
  assert.equal(byId.size, ledger.length);
  assert.ok(ledger.length <= requests, `${ledger.length} runs on the ledger, ${requests} requests`);
  for (const id of answered) assert.equal(byId.get(id)?.run["state"], "ended", `${id} was answered`);
  const unknown = ledger.filter(({ run }) => run["state"] === "unknown");
  for (const { run, calls, attempts } of ledger) {
    if (run["state"] === "ended") assert.deepEqual([calls.length, attempts.length], [2, 2], "an ended run is whole");
  }
  // The previous release records no versions.
  if (versions.every((root) => root === undefined)) await assertVersionsResolve(deployment, ledger);
  const attempts = ledger.reduce((sum, rows) => sum + rows.attempts.length, 0);
  assert.ok(vendor.count() <= attempts, `the vendor was called ${vendor.count()} times, the ledger has ${attempts}`);
  // Intents whose kill came before their first byte. All requests of a turn of the event loop are recorded together,
  // before the first of them is sent, so in each round these are at most the calls of all clients.
  const unseen = attempts - vendor.count();
  const together = RUNS_AT_ONCE * Object.keys(SOURCES).length;
  assert.ok(unseen <= rounds * together, `${unseen} calls that the vendor never saw`);
  // What the vendor would bill is within the ledger's range, which is as wide as the unknown charges.
  for (const name of ["quick", "slow"]) {
    const line = spend.find(({ source }) => source === `acme__${name}`)!;
    const [bill, least, most] = [
      BigInt(vendor.count(`/${name}`)) * microsOf(LIST_PRICE),
      microsOf(line.amount),
      microsOf(line.amount_at_most),
    ];
    assert.ok(least <= bill && bill <= most, `${name}: ${bill} is not from ${least} to ${most}`);
    assert.equal(most - least, BigInt(line.unknown) * microsOf(LIST_PRICE));
    assert.equal(line.unpriced, 0);
  }
  const unknownIds = new Set(unknown.map(({ run }) => run["transaction_id"]));
  assert.deepEqual(new Set(listed), unknownIds);
  for (const root of versions) if (root !== undefined) assertVerified(root, { DATARUN_DATA_DIR: deployment.dataDir });
  return { requests, answered: answered.length, vendorCalls: vendor.count(), attempts, unknownRuns: unknown.length };
}
