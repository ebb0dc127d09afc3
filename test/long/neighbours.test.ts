import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { deploy, type Access } from "../rig/deployed.ts";
import { vendorProject } from "../lifecycle/vendor-project.ts";
import { openLoop, percentile, type Sample } from "./open-loop.ts";
import { createClient, type Client } from "../rig/client.ts";
import { after as later, hang, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { openNeighbour } from "./noise.ts";

/**
 * The noisiest neighbour on each thing that organizations share, and what another organization, which asks at a steady
 * rate, notices of it: failures, and the time that 99 of 100 runs keep to. Calm and noisy times alternate, so that other
 * work on the machine is in both; `busy` is beside two endless loops outside the service, which says how much of the rest
 * is nothing but busy processors. Figures are printed; the machine's own noise is why the bound on time has slack, and
 * the bound on failures has none.
 */
const PER_SECOND = 25;
const ROUNDS = 3;
const CALM_MS = 7_000;
const NOISY_MS = 15_000;
const SLACK_MS = 50;

interface Neighbouring {
  readonly what: string;
  /** What the neighbour asks, over and over, this many at once. */
  readonly noise: Asked;
  readonly atOnce: number;
  readonly wanted: Asked;
}

interface Asked {
  readonly path: "/data" | "/func";
  readonly body: object;
}

const QUICK = data({ acme__quick: true });

const NEIGHBOURS: readonly Neighbouring[] = [
  { what: "places for runs", noise: data({ acme__hangs: true }), atOnce: 200, wanted: QUICK },
  { what: "connections to the same vendor", noise: data({ acme__slow: true }), atOnce: 200, wanted: QUICK },
  {
    what: "the concurrency that a source declares",
    noise: data({ acme__narrow: true }),
    atOnce: 64,
    wanted: data({ acme__narrow: true }),
  },
  { what: "memory, by large replies", noise: data({ acme__large: true }), atOnce: 16, wanted: QUICK },
  { what: "places for functions", noise: func("dfunc_waits"), atOnce: 128, wanted: func("dfunc_quick") },
  { what: "processes of functions, by spinning", noise: func("dfunc_spins"), atOnce: 8, wanted: func("dfunc_quick") },
  { what: "memory of functions", noise: func("dfunc_hog"), atOnce: 4, wanted: func("dfunc_quick") },
  { what: "memory that functions fill and leave", noise: func("dfunc_fills"), atOnce: 16, wanted: func("dfunc_quick") },
  { what: "processors, by computing", noise: func("dfunc_computes"), atOnce: 32, wanted: func("dfunc_quick") },
  { what: "random bytes for functions", noise: func("dfunc_random"), atOnce: 16, wanted: func("dfunc_quick") },
];

for (const { what, noise, atOnce, wanted } of NEIGHBOURS) {
  test(`the noisiest neighbour on ${what} costs another organization nothing that shows`, async (t) => {
    const { a, b, url, neighbour, client } = await open(t);
    const ask = () => askOnce(client, b, wanted);
    for (let count = 0; count < 20; count += 1) await ask();
    const [calm, busy, noisy]: [Sample[], Sample[], Sample[]] = [[], [], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      calm.push(...(await openLoop(PER_SECOND, CALM_MS, ask)));

      const loops = [1, 2].map(() => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
      busy.push(...(await openLoop(PER_SECOND, CALM_MS, ask)));
      for (const loop of loops) loop.kill("SIGKILL");

      neighbour.begin({ url, path: noise.path, headers: headersOf(a), body: JSON.stringify(noise.body), atOnce });
      await sleep(2_000);
      noisy.push(...(await openLoop(PER_SECOND, NOISY_MS, ask)));
      await neighbour.end();
    }

    const figures = { calm: figuresOf(calm), busy: figuresOf(busy), noisy: figuresOf(noisy) };
    t.diagnostic(JSON.stringify(figures));
    assert.equal(figures.calm.failed, 0, JSON.stringify(figures));
    assert.ok(figures.noisy.failed <= noisy.length / 1_000, JSON.stringify(figures));
    assert.ok(figures.noisy.p99 <= 2 * figures.calm.p99 + SLACK_MS, JSON.stringify(figures));
  });
}

async function open(t: TestContext) {
  const vendor = await startVendor(t, {
    paths: {
      "/quick": later(20, json({ ok: true })),
      "/slow": later(8_000, json({ ok: true })),
      "/hangs": hang,
      "/narrow": later(30, json({ ok: true })),
    },
  });
  const neighbour = await openNeighbour(t);
  const paths = { quick: "/quick", slow: "/slow", hangs: "/hangs" };
  const project = vendorProject(t, vendor, paths, {
    "sources/narrow.mjs": `export default { id: "acme__narrow", title: "T", origins: ["${vendor.origin}"], inputs: {}, limits: { concurrency: 8 },
      run: ({ http }) => http.get("${vendor.origin}/narrow") };`,
    "sources/large.mjs": `export default { id: "acme__large", title: "T", origins: ["${neighbour.origin}"], inputs: {},
      run: ({ http }) => http.get("${neighbour.origin}/large") };`,
    "functions/quick.mjs": `export default { id: "dfunc_quick", title: "T", async run({ run }) { await run("acme__quick", {}); return { output: { ok: true } }; } };`,
    "functions/waits.mjs": `export default { id: "dfunc_waits", title: "T", timeout_ms: 10000, run: () => new Promise(() => {}) };`,
    "functions/spins.mjs": `export default { id: "dfunc_spins", title: "T", timeout_ms: 1000, run() { for (;;); } };`,
    "functions/hog.mjs": `export default { id: "dfunc_hog", title: "T", run() { const kept = []; for (;;) kept.push(new Uint8Array(4000000).fill(1)); } };`,
    "functions/fills.mjs": `export default { id: "dfunc_fills", title: "T", run() { const kept = []; for (let n = 0; n < 13; n += 1) kept.push(new Uint8Array(4000000).fill(1)); return { output: { kept: kept.length } }; } };`,
    "functions/computes.mjs": `export default { id: "dfunc_computes", title: "T", timeout_ms: 20000, run() { let sum = 0; for (let n = 0; n < 2e8; n += 1) sum = (sum * 31 + n) | 0; return { output: { sum } }; } };`,
    "functions/random.mjs": `export default { id: "dfunc_random", title: "T", timeout_ms: 4000, run() { const bytes = new Uint8Array(65536); for (;;) crypto.getRandomValues(bytes); } };`,
  });
  const deployment = await deploy(t, { project });
  const b = await deployment.operate((operator) => operator.createOrganization("Bell"));
  const service = await deployment.start();
  const client = createClient(service.url, 256);
  t.after(() => client.close());
  return { a: deployment.access, b, url: service.url, neighbour, client };
}

/** Success is an answer in which everything that was asked has succeeded. */
async function askOnce(client: Client, as: Access, { path, body }: Asked): Promise<{ readonly statusCode: number }> {
  try {
    const reply = await client.send({ method: "POST", path, headers: headersOf(as), body: JSON.stringify(body) });
    if (reply.statusCode !== 200) return reply;
    const entries = Object.values(reply.json().status as Record<string, { readonly success: boolean }>);
    return { statusCode: entries.every(({ success }) => success) ? 200 : 599 };
  } catch {
    return { statusCode: 0 };
  }
}

function headersOf({ token, workflow }: Access): Record<string, string> {
  return {
    "Content-Type": "application/json",
    "X-Service-Access-Token": token,
    "X-Service-Workflow": workflow,
  };
}

function figuresOf(samples: readonly Sample[]) {
  const answered = samples.filter(({ statusCode }) => statusCode === 200);
  return {
    asked: samples.length,
    failed: samples.length - answered.length,
    p50: percentile(answered, 0.5),
    p99: percentile(answered, 0.99),
  };
}

function data(sources: object): Asked {
  return { path: "/data", body: { config: { sources } } };
}

function func(id: string): Asked {
  return { path: "/func", body: { config: { data_func: id } } };
}
