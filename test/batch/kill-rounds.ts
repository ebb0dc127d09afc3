import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { project } from "../start/project-folder.ts";
import { deploy, type Process } from "../rig/deployed.ts";
import { after as later, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { batchShell, type StartedBatch } from "./batch-command.ts";

export interface KillCount {
  readonly rows: number;
  readonly answered: number;
  readonly lost: number;
  readonly vendorCalls: number;
  readonly killed: Readonly<Record<Victim, number>>;
}

type Victim = "client" | "service" | "both";
const VICTIMS: readonly Victim[] = ["client", "service", "both"];

/** A time of the source that is short, because a look-up on the ledger waits until a run is certainly over. */
const TIMEOUT_MS = 400;

function slowSource(origin: string): string {
  return `export default { id: "acme__quick", title: "T", origins: ["${origin}"], timeout_ms: ${TIMEOUT_MS},
    inputs: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    charge: { model: "per_call", amount: 0.07, currency: "EUR" },
    run: ({ http, inputs }) => http.get("${origin}/quick", { query: inputs }) };`;
}

/** A start, a wait and look-ups may come before the next answer, on a machine that does much else. */
const WITHIN_MS = 300_000;

async function answered(client: StartedBatch, isReached: () => boolean): Promise<void> {
  for (const end = performance.now() + WITHIN_MS; !isReached();) {
    assert.ok(performance.now() < end, `nothing was answered:\n${client.stderr()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

/**
 * Kills the client of a batch, its service, or both, again and again, until all rows are done. Then holds what the
 * vendor has seen against the records: no row was asked twice, and every row that the vendor has seen is answered or
 * reported.
 */
export async function killRounds(t: TestContext, rounds: number, rowsARound: number): Promise<KillCount> {
  const rows = rounds * rowsARound;
  const vendor = await startVendor(t, { paths: { "/quick": later(15, json({ quick: true })) } });
  const folder = project(t, { "sources/quick.mjs": slowSource(vendor.origin) });
  const deployment = await deploy(t, { project: folder });
  const port = await freePort();
  const startService = (): Promise<Process> => deployment.start({ args: ["--port", port] });
  const shell = batchShell(t, deployment, folder, `http://127.0.0.1:${port}`);
  shell.write("in.csv", `id\n${Array.from({ length: rows }, (_, at) => `r${at + 1}`).join("\n")}\n`);
  const args = ["in.csv", "--sources", "acme__quick", "--out", "out.jsonl", "--json"];
  const doneLines = (): number => {
    const state = shell.path("out.jsonl.state");
    return existsSync(state) ? readFileSync(state, "latin1").split("\ndone ").length - 1 : 0;
  };
  const killed: Record<Victim, number> = { client: 0, service: 0, both: 0 };

  let service = await startService();
  for (let round = 0; round < rounds; round += 1) {
    const victim = VICTIMS[round % VICTIMS.length]!;
    const before = doneLines();
    const client = shell.start(args);
    let isOver = false;
    void client.ended.then(() => (isOver = true));
    // Some kills meet a client that starts, or looks up what the last kill has left.
    if (Math.random() > 0.25) await answered(client, () => doneLines() > before || isOver);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 500));
    if (victim !== "service") client.signal("SIGKILL");
    if (victim !== "client") {
      service.signal("SIGKILL");
      await service.ended;
      service = await startService();
    }
    killed[victim] += 1;
    if (victim === "service") {
      // It goes on with the new service, and looks up what it has lost with the old one.
      if (round % 2 === 0) client.signal("SIGINT");
      else await answered(client, () => doneLines() > before + 8 || isOver);
      client.signal("SIGKILL");
    }
    await client.ended;
  }
  const last = await shell.run(args);
  assert.ok(last.code === 0 || last.code === 3, last.stderr);
  const result = JSON.parse(last.stdout) as Record<string, number>;
  service.signal("SIGTERM");
  await service.ended;

  assert.equal(result["stopped"], null, last.stderr);
  assert.deepEqual([result["left"], result["unknown"], result["open"], result["rejected"]], [0, 0, 0, 0], last.stdout);
  const records = shell.records("out.jsonl");
  const recorded = new Set(records.map(({ row }) => row));
  assert.equal(recorded.size, records.length, "a row has two records");
  assert.equal(recorded.size, result["answered"]);
  const lost = new Set<number>();
  if (existsSync(shell.path("out.jsonl.failed")))
    for (const { row } of shell.records("out.jsonl.failed")) lost.add(row);
  assert.equal(lost.size, result["lost"]);
  assert.equal(recorded.size + lost.size, rows);
  const seen = vendor.requests.map(({ target }) => Number(/id=r(\d+)/.exec(target)![1]));
  assert.equal(new Set(seen).size, seen.length, "the vendor was asked twice for a row");
  const isSeen = new Set(seen);
  for (const { row, sources } of records)
    if (sources!["acme__quick"]!.success) assert.ok(isSeen.has(row), `${row} was never asked`);
  for (const row of seen) assert.ok(recorded.has(row) || lost.has(row), `row ${row} was paid for and is not reported`);
  return { rows, answered: recorded.size, lost: lost.size, vendorCalls: seen.length, killed };
}
