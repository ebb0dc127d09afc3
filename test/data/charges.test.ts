import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { priceText } from "../../src/ledger/read/costs.ts";
import { openJournalReader } from "../../src/ledger/read/journal-reader.ts";
import type { SourceCall } from "../../src/sdk/source.ts";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { CHARGE_MODELS, chargeOfCall, type ChargeModel } from "../../src/terms/money/charge.ts";
import type { Charged } from "../../src/terms/fault.ts";
import { amountForMetric, type Micros } from "../../src/terms/money/money.ts";
import { startService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";
import { body, hang, inTurn, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const vendor = await startVendor({ after });

// ---- what the vendor writes into its own book ------------------------------------------------------------------------

/** `answered`: whole and readable. `unusable`: completed, and nobody can read it. `lost`: only it knows what it has done. */
type Entry = "answered" | "unusable" | "error" | "refused" | "lost";

const BOOK: Readonly<Record<string, Entry>> = {
  "/json": "answered",
  "/status/404": "answered",
  "/not-gzip": "unusable",
  "/br": "unusable",
  "/huge-length": "unusable",
  "/status/400": "error",
  "/status/500": "error",
  "/status/503": "error",
  "/status/401": "refused",
  "/status/429": "refused",
  "/redirect/302": "refused",
  "/close-before-headers": "lost",
  "/close-mid-body": "lost",
  "/banner": "lost",
  "/hang": "lost",
  "/drip/10": "lost",
};
const NEVER_ENDS = new Set(["/hang", "/drip/10"]);

/** How a call ended: with a record, without, or in whatever failure. */
type End = "record" | "nobody" | "failed";

function billed({ path, free, said }: Step, model: ChargeModel, end: End): Charged {
  const entry = BOOK[path]!;
  if (said !== null && entry === "answered") return said;
  if (free || model === "free" || entry === "refused") return "no";
  if (entry === "lost") return "unknown";
  if (entry === "error") return model === "per_call" ? "unknown" : "no";
  if (model !== "per_match") return "yes";
  return end === "failed" ? "unknown" : end === "record" ? "yes" : "no";
}

// ---- sources that ask it in every way --------------------------------------------------------------------------------

interface Step {
  readonly path: string;
  readonly free: boolean;
  readonly said: Charged | null;
}

interface Case {
  readonly model: ChargeModel;
  readonly steps: readonly Step[];
  readonly parallel: boolean;
  /** Goes on after a request that failed. */
  readonly catches: boolean;
  readonly end: End;
}

const anyCase: fc.Arbitrary<Case> = fc.record({
  model: fc.constantFrom(...CHARGE_MODELS),
  steps: fc.array(
    fc.record({
      path: fc.oneof({ weight: 2, arbitrary: fc.constant("/json") }, fc.constantFrom(...Object.keys(BOOK))),
      free: fc.boolean(),
      said: fc.option(fc.constantFrom<Charged>("yes", "no", "unknown"), { freq: 5 }),
    }),
    { maxLength: 5 },
  ),
  parallel: fc.boolean(),
  catches: fc.boolean(),
  end: fc.constantFrom<End>("record", "nobody", "failed"),
});

const seed = fc.readConfigureGlobal().seed ?? Date.now() % 1_000_000;
const CASES = fc.sample(anyCase, { numRuns: 80, seed });
const idOf = (at: number) => `acme__case_${at}`;
/** In euros. No sum of such prices is exact in floating point. */
const priceOf = (at: number) => (at + 1) / 100;
const microsOf = (at: number): Micros => BigInt(at + 1) * 10_000n;

async function play({ http }: SourceCall, { steps, parallel, catches, end }: Case) {
  const ask = async ({ path, free, said }: Step): Promise<void> => {
    const reply = await http.get(vendor.origin + path, { free, answers: [404] });
    if (said !== null) reply.chargedAs(said);
  };
  const asked = catches ? (step: Step) => ask(step).catch(() => {}) : ask;
  if (parallel) await Promise.all(steps.map(asked));
  else for (const step of steps) await asked(step);
  if (end === "failed") throw new TypeError("a bug");
  return end === "record" ? { found: true } : null;
}

const LOGIN = `
id: login__people
title: People
inputs: {type: object}
credentials: {type: object, properties: {key: {type: string}}}
origins: ['${vendor.origin}']
auth: {kind: token_exchange, request: {method: POST, url: '${vendor.origin}/login'}, token: body.token}
request: {url: '${vendor.origin}/people'}
match: {record: 'status == \`200\`', no_record: 'status == \`404\`'}
`;

/** Of a call that waits for what never comes; on a busy machine, what comes before it takes a part of this. */
const HANGS_MS = 3_000;

const ruled = (id: string, when: string) => `
id: ${id}
title: People
inputs: {type: object, properties: {extras: {type: array}}}
origins: ['${vendor.origin}']
timeout_ms: ${HANGS_MS}
request: {url: '${vendor.origin}/ruled'}
match: {record: 'status == \`200\`', no_record: 'status == \`404\`'}
charge: {model: per_call, when: '${when}'}
`;

const TABLE = `
id: by__table
title: Reports
inputs: {type: object, properties: {express: {type: boolean}}}
origins: ['${vendor.origin}']
timeout_ms: ${HANGS_MS}
request: {url: '${vendor.origin}/ruled'}
match: {record: 'status == \`200\`', no_record: 'status == \`404\`'}
charge:
  - {when: body.cached, amount: 0}
  - {when: inputs.express, amount: 9.5, currency: EUR}
  - {amount: 4, currency: EUR}
`;

const own = { origins: [vendor.origin], timeout_ms: 60_000 };
const service = await startService(
  { after },
  {
    sources: [
      ...CASES.map((one, at) =>
        source(idOf(at), (call) => play(call, one), {
          ...own,
          ...(one.steps.some(({ path }) => NEVER_ENDS.has(path)) ? { timeout_ms: HANGS_MS } : {}),
          charge: { model: one.model, amount: priceOf(at), currency: "EUR" },
        }),
      ),
      source("order__report", orderAndPoll, own),
      source("follow__redirect", ({ http }) => http.get(`${vendor.origin}/redirect/302`, { redirects: 1 }), own),
      compileDeclarative(LOGIN, "people.yaml"),
      compileDeclarative(ruled("by__inputs", "inputs.extras"), "inputs.yaml"),
      compileDeclarative(ruled("by__answer", "body.billed"), "answer.yaml"),
      compileDeclarative(TABLE, "table.yaml"),
    ],
    vendors: [vendor],
    settings: { "limits.vendor_connections": 1_000 },
  },
);
const detailed = {
  token: service.a.token,
  workflow: await service.operator.createWorkflow(service.a.id, { failureDetails: true }),
};
const reader = openJournalReader({ dir: join(service.dataDir, "ledger") });
after(() => reader.close());

/** What the requests of each call were charged, in order. */
async function chargesIn(transactionId: string): Promise<Map<string, Charged[]>> {
  const row = await reader.show(transactionId);
  return new Map(
    row!.calls.map(({ source: id, ordinal, charged }) => {
      const charges = row!.attempts.filter((attempt) => attempt.ordinal === ordinal).map((attempt) => attempt.charged);
      assert.equal(charged, chargeOfCall(charges), id);
      return [id, charges];
    }),
  );
}

/** The requests of a case that are sent one after the other: until one fails that it does not catch, or never ends. */
function sentInTurn({ steps, catches }: Case): readonly Step[] {
  const last = steps.findIndex(({ path }) => NEVER_ENDS.has(path) || (!catches && BOOK[path] !== "answered"));
  return last === -1 ? steps : steps.slice(0, last + 1);
}

test("whatever a call requests, in sequence or at once, its requests are charged as in the vendor's own book", async () => {
  for (let from = 0; from < CASES.length; from += 20) {
    const batch = CASES.slice(from, from + 20);
    const sources = Object.fromEntries(batch.map((_, at) => [idOf(from + at), true]));
    const { transaction_id, status } = (await service.run(sources, {}, { as: detailed })).json();
    const charges = await chargesIn(transaction_id);
    for (const [at, one] of batch.entries()) {
      const id = idOf(from + at);
      const told = charges.get(id)!;
      const { success, match, failure } = status[id];
      const end: End = success ? (match ? "record" : "nobody") : "failed";
      const says = `seed ${seed}: ${JSON.stringify(one)} ended as ${end}, told as ${told.join(", ")}`;
      if (!success) assert.equal(failure.charged, chargeOfCall(told), says);
      if (!one.parallel) {
        const sent = sentInTurn(one);
        assert.deepEqual(
          told,
          sent.map((step) => billed(step, one.model, end)),
          says,
        );
      } else if (one.catches || one.steps.every(({ path }) => BOOK[path] === "answered")) {
        assert.deepEqual(told.toSorted(), one.steps.map((step) => billed(step, one.model, end)).sort(), says);
      } else {
        // The call ended with its first failure: of what was under way then nothing may be claimed, and what the source would
        // have said of a reply may not have been said.
        const count = (of: readonly Charged[], charged: Charged) => of.filter((other) => other === charged).length;
        const atMost = (charged: Charged) =>
          one.steps.filter((step) =>
            [step, { ...step, said: null }].some((said) => billed(said, one.model, end) === charged),
          ).length;
        assert.ok(count(told, "yes") <= atMost("yes") && count(told, "no") <= atMost("no"), says);
      }
    }
  }
});

async function orderAndPoll({ http, fail }: SourceCall) {
  await http.post(`${vendor.origin}/orders`, { json: {} });
  for (let polls = 0; polls < 5; polls += 1) {
    const { state } = (await http.get(`${vendor.origin}/orders/1`, { free: true })).json();
    if (state === "failed") return fail("vendor_5xx", { charged: "no" });
    if (state === "ready") return { found: true };
  }
  return null;
}

test("of an order and its polls the order is charged, and the ledger has nothing to settle", async () => {
  vendor.on("/orders", json({ id: 1 }, { status: 202 }));
  vendor.on("/orders/1", inTurn(json({ state: "waits" }), json({ state: "waits" }), json({ state: "ready" })));
  const good = (await service.run({ order__report: true })).json().transaction_id;
  assert.deepEqual((await chargesIn(good)).get("order__report"), ["yes", "no", "no", "no"]);
  vendor.on("/orders/1", json({ state: "failed" }));
  const bad = (await service.run({ order__report: true }, {}, { as: detailed })).json();
  assert.equal(bad.status.order__report.failure.charged, "no");
  assert.deepEqual((await chargesIn(bad.transaction_id)).get("order__report"), ["no", "no"]);
});

test("a redirect costs nothing, and what it leads to does", async () => {
  const { transaction_id } = (await service.run({ follow__redirect: true })).json();
  assert.deepEqual((await chargesIn(transaction_id)).get("follow__redirect"), ["no", "yes"]);
});

test("logins, and the refusal that makes one necessary, cost nothing, however the renewal ends", async () => {
  vendor.on("/people", inTurn(json({}, { status: 401 }), json({ name: "Ada" }), json({}, { status: 401 })));
  const token = json({ token: "t1" });
  vendor.on("/login", inTurn(token, token, token, json({}, { status: 500 })));
  const run = async () => {
    const entry = { credentials: { key: "k" } };
    const { transaction_id } = (await service.run({ login__people: entry })).json();
    return (await chargesIn(transaction_id)).get("login__people");
  };
  assert.deepEqual(await run(), ["no", "no", "no", "yes"]);
  assert.deepEqual(await run(), ["no", "no", "no"]);
});

test("a file says by its inputs or by the answer when its vendor bills, and what it cannot say is as its model says", async () => {
  const told: Record<string, readonly Charged[]> = {};
  for (const [id, inputs, behaviour] of [
    ["by__inputs", { extras: ["a"] }, json({ name: "Ada" })],
    ["by__inputs", {}, json({ name: "Ada" })],
    ["by__inputs", { extras: [] }, json({}, { status: 503 })],
    ["by__inputs", { extras: [] }, hang],
    ["by__answer", {}, json({ name: "Ada", billed: true })],
    ["by__answer", {}, json({ name: "Ada" })],
    ["by__answer", {}, json({ billed: false }, { status: 404 })],
    ["by__answer", {}, body("<html>")],
    ["by__answer", {}, json({}, { status: 503 })],
    ["by__answer", {}, hang],
  ] as const) {
    vendor.on("/ruled", behaviour);
    const { transaction_id } = (await service.run({ [id]: true }, inputs)).json();
    told[id] = [...(told[id] ?? []), ...(await chargesIn(transaction_id)).get(id)!];
  }
  assert.deepEqual(told, {
    by__inputs: ["yes", "no", "no", "no"],
    by__answer: ["yes", "no", "no", "yes", "unknown", "unknown"],
  });
});

test("list, show, unknown, summary, metrics and the vendor's own count agree on all of these runs", async () => {
  const { runs } = await reader.list({}, { limit: 1_000 });
  const shown = new Map<string, Charged[]>();
  for (const { transaction_id: id } of runs) {
    for (const [name, charges] of await chargesIn(id)) shown.set(name, [...(shown.get(name) ?? []), ...charges]);
  }
  const summary = await reader.summary(new Date().toISOString().slice(0, 7));
  const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
  const metric = (name: string, charged: Charged) =>
    Number(
      new RegExp(`^datarun_source_charged_total\\{source="${name}",charged="${charged}"\\} (\\d+)$`, "m").exec(
        metrics,
      )?.[1] ?? 0,
    );
  const total = { yes: 0, no: 0, unknown: 0 };
  for (const [name, charges] of shown) {
    const line = summary.find((one) => one.source === name);
    for (const charged of ["yes", "no", "unknown"] as const) {
      const count = charges.filter((one) => one === charged).length;
      total[charged] += count;
      assert.equal(line?.[`charged_${charged}`] ?? 0, count, `${name} ${charged} in the summary`);
      assert.equal(metric(name, charged), count, `${name} ${charged} in the metrics`);
    }
  }
  const sum = (of: "requests" | "charged_yes" | "charged_unknown") => runs.reduce((all, run) => all + run[of], 0);
  assert.deepEqual([sum("charged_yes"), sum("charged_unknown")], [total.yes, total.unknown]);
  assert.equal((await reader.unknown()).length, total.unknown);
  assert.equal(sum("requests"), vendor.count());
  assert.equal(total.yes + total.no + total.unknown, vendor.count());
  for (const charged of ["yes", "no", "unknown"] as const) {
    const listed = (await reader.list({ charged }, { limit: 1_000 })).runs.map((run) => run.transaction_id);
    const expected = [];
    for (const { transaction_id: id } of runs)
      if ([...(await chargesIn(id)).values()].flat().includes(charged)) expected.push(id);
    assert.deepEqual(listed.sort(), expected.sort());
  }
});

test("what each case cost is its price times the charges in the vendor's book, in the ledger and in the metrics", async () => {
  const spend = await reader.spend("source", { from: Date.now() - 60 * 60_000, to: Date.now() + 60_000 });
  const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
  const shown = new Map<string, Charged[]>();
  for (const { transaction_id: id } of (await reader.list({}, { limit: 1_000 })).runs) {
    for (const [name, charges] of await chargesIn(id)) shown.set(name, [...(shown.get(name) ?? []), ...charges]);
  }
  for (const at of CASES.keys()) {
    const count = (charged: Charged) => BigInt(shown.get(idOf(at))?.filter((one) => one === charged).length ?? 0);
    const [yes, unknown] = [count("yes") * microsOf(at), count("unknown") * microsOf(at)];
    const line = spend.find(({ key }) => key === idOf(at));
    assert.deepEqual(
      [line?.least ?? 0n, line?.most ?? 0n, line?.unpriced ?? 0],
      [yes, yes + unknown, 0],
      `seed ${seed}: ${idOf(at)}`,
    );
    for (const [charged, sum] of [
      ["yes", yes],
      ["unknown", unknown],
    ] as const) {
      const sample = `datarun_source_spend_total{source="${idOf(at)}",currency="EUR",charged="${charged}"} ${amountForMetric(sum)}\n`;
      assert.equal(metrics.includes(sample), sum > 0n, sample);
    }
  }
});

test("a table of charges prices each request by the row that holds, and an unknown one by the highest that can", async () => {
  const costs: (string | null)[][] = [];
  for (const [inputs, behaviour] of [
    [{}, json({ name: "Ada" })],
    [{ express: true }, json({ name: "Ada" })],
    [{ express: true }, json({ name: "Ada", cached: true })],
    [{}, hang],
    [{ express: true }, hang],
  ] as const) {
    vendor.on("/ruled", behaviour);
    const { transaction_id } = (await service.run({ by__table: true }, inputs)).json();
    const { attempts } = (await reader.show(transaction_id))!;
    costs.push(attempts.flatMap(({ charged, price }) => [charged, priceText(price)]));
  }
  assert.deepEqual(costs, [
    ["yes", "4.00"],
    ["yes", "9.50"],
    ["no", "9.50"],
    ["unknown", "4.00"],
    ["unknown", "9.50"],
  ]);
});
