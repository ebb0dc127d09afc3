import assert from "node:assert/strict";
import { test } from "node:test";
import verb from "../../src/admin/verbs/source/health.ts";
import { decodeCounts, encodeCounts, type ShapeCounts } from "../../src/health/shape-counts.ts";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { adminPort } from "../rig/admin.ts";
import { startService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";
import { until } from "../rig/until.ts";
import { json } from "../vendor/behaviours.ts";
import { startVendor, type TestLife, type Vendor } from "../vendor/scripted-vendor.ts";
import { movableClock } from "../rig/movable-clock.ts";

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

function yaml(origin: string): string {
  return `
id: acme__people
title: People
inputs: {type: object, properties: {name: {type: string}}}
origins: ['${origin}']
steps:
  - name: search
    request: {url: '${origin}/search', query: {name: '{{ inputs.name }}'}}
    match: {no_record: 'body.total == \`0\`'}
  - name: detail
    request: {url: '${origin}/detail'}
match: {record: body.id, no_record: 'status == \`404\`'}
map: {id: body.id}
`;
}

function reply(vendor: Vendor, path: string, make: () => unknown): void {
  vendor.on(path, (socket, request) => json(make())(socket, request));
}

async function watched(t: TestLife) {
  const vendor = await startVendor(t);
  const { clock, moveAhead, runBackground } = movableClock();
  const service = await startService(t, {
    clock,
    vendors: [vendor],
    sources: [
      compileDeclarative(yaml(vendor.origin), "acme.yaml"),
      source("bell__phone", async ({ http }) => ({ id: (await http.get(`${vendor.origin}/phone`)).json().id }), {
        origins: [vendor.origin],
        inputs: { type: "object", properties: { name: {} } },
      }),
    ],
  });
  const viewer = await service.operator.appoint("viewer");
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  let people = 0;
  return {
    vendor,
    service,
    moveAhead,
    runBackground,
    /** Runs both sources so many times, each for another person, and a second apart. */
    async run(times: number, apartMs = 1_001): Promise<void> {
      for (let time = 0; time < times; time += 1) {
        moveAhead(apartMs);
        const name = `planted person ${(people += 1)}`;
        const reply = await service.run({ acme__people: true, bell__phone: true }, { name });
        const { status } = reply.json();
        assert.ok(status.acme__people.success && status.bell__phone.success, JSON.stringify(status));
      }
    },
    /** The health of a source, once so many replies were sampled. */
    async health(id: string, samples: number, input: object = {}, calls = 0) {
      // oxlint-disable-next-line typescript/no-explicit-any -- the test reads what it asserts
      let found: any;
      await until(async () => {
        runBackground();
        const reply = await call("source health", { source: id, ...input }, { as: viewer });
        found = reply.json();
        // A shared ledger gets the calls a little later.
        return reply.statusCode === 200 && found.samples === samples && found.figures[0].now >= calls;
      });
      return found;
    },
    attention: () => result("attention show", {}, viewer),
    metrics: async () => (await fetch(`${service.adminUrl}/metrics`)).text(),
  };
}

test("a path that a vendor removes, adds or retypes is reported with its step, and neither values nor names that may be data are stored", async (t) => {
  const { vendor, service, run, health, moveAhead, runBackground, attention, metrics } = await watched(t);
  const { secrets } = service;
  let person = 0;
  const email = () => `planted${(person += 1)}@example.com`;
  reply(vendor, "/search", () => ({ total: 1, hits: [{ ref: "planted reference", score: 1 }] }));
  reply(vendor, "/detail", () => ({ id: 1, kept: "planted value", by_email: { [email()]: { age: 7 } }, level: 3 }));
  reply(vendor, "/phone", () => ({ id: 1, carrier: null }));
  await run(14);
  await health("acme__people", 14);
  moveAhead(2 * DAY_MS);
  await run(12);
  const same = await health("acme__people", 12);
  assert.deepEqual([same.samples_before, same.drift], [14, []]);

  reply(vendor, "/search", () => ({ total: 1, hits: [{ ref: 12 }] }));
  reply(vendor, "/detail", () => ({ id: 1, by_email: { [email()]: { age: 7 } }, level: 3, rank: "planted value" }));
  moveAhead(2 * DAY_MS);
  await run(20);
  const changed = await health("acme__people", 20);
  assert.deepEqual(
    changed.drift.map(({ kind, path, types, types_before }: Record<string, string>) => [
      kind,
      path,
      types,
      types_before,
    ]),
    [
      ["missing", "detail:kept", [], ["string"]],
      ["new", "detail:rank", ["string"], []],
      ["changed", "search:hits[].ref", ["number"], ["string"]],
      ["missing", "search:hits[].score", [], ["number"]],
    ],
  );
  // The names of members were kept from the fifth person on.
  assert.equal(changed.drift[0].says, "detail:kept is in none of 20 replies; before it was in 22 of 26 replies.");
  assert.deepEqual((await health("bell__phone", 20)).drift, []);

  await until(async () => {
    runBackground();
    return /^datarun_source_drift\{/m.test(await metrics());
  });
  assert.deepEqual(
    (await metrics()).match(/^datarun_source_drift\{.*$/gm),
    ["missing 2", "new 1", "changed 1"].map((kind) =>
      kind.replace(/(\w+) (\d)/, 'datarun_source_drift{source="acme__people",kind="$1"} $2'),
    ),
  );
  const { attention: items } = await attention();
  const item = items.find(({ what }: { what: string }) => what === "source_drift");
  assert.match(item.says, /^acme__people has changed .*: 4 paths of its replies \(detail:kept, .* and others\)\.$/);
  assert.equal(item.command, "datarun source health acme__people");

  const stored = await service.operator.replyShapes("acme__people");
  const paths = await Promise.all(stored.map(async ({ counts }) => [...(await decodeCounts(counts)).keys()]));
  const ofDetail = new Set(paths.flat().filter((path) => path.startsWith("detail:")));
  assert.deepEqual([...ofDetail].map((path) => path.slice("detail:".length)).toSorted(), [
    "",
    ..."* *.* *.*.* by_email by_email.* by_email.*.* by_email.*.age id kept level rank".split(" "),
  ]);
  // When the test is over, they are looked for in every file of the data directory, and in the shared database.
  for (let at = 1; at <= person; at += 1) secrets.add(`planted${at}@example.com`);
  for (const text of ["planted value", "planted reference", "planted person"]) secrets.add(text);
});

test("a path that becomes rarer without vanishing is reported, in the command, the metric and what needs attention", async (t) => {
  const { service, health, runBackground, attention, metrics } = await watched(t);
  const wallAt = Date.now();
  const types = { null: 0, boolean: 0, number: 0, string: 0, list: 0, object: 0 };
  const save = async (span: "hour" | "day", at: number, samples: number, withCode: number) => {
    const counts: ShapeCounts = new Map([
      ["", { total: samples, types: { ...types, object: samples }, maps: 0 }],
      ["postcode", { total: withCode, types: { ...types, string: withCode }, maps: 0 }],
    ]);
    const shape = { source: "bell__phone", version: "digest", span, at, writer: "st_1", samples };
    await service.operator.saveReplyShapes([{ ...shape, counts: await encodeCounts(counts) }]);
  };
  for (let day = 2; day < 16; day += 1)
    await save("day", wallAt - (wallAt % DAY_MS) - day * DAY_MS, 100, 97 + (day % 3));
  await save("hour", wallAt - (wallAt % HOUR_MS), 60, 33);
  const { drift } = await health("bell__phone", 60);
  assert.deepEqual(drift, [
    {
      path: "postcode",
      kind: "shifted",
      says: "postcode is in 33 of 60 replies; before it was in 1372 of 1400 replies.",
      replies: 33,
      of: 60,
      types: ["string"],
      replies_before: 1_372,
      of_before: 1_400,
      types_before: ["string"],
    },
  ]);
  await until(async () => {
    runBackground();
    return (await metrics()).includes('\ndatarun_source_drift{source="bell__phone",kind="shifted"} 1\n');
  });
  const { attention: items } = await attention();
  const says = "bell__phone has changed against the 28 days before: 1 path of its replies (postcode).";
  assert.ok(items.some((item: { what: string; says: string }) => item.what === "source_drift" && item.says === says));
});

test("at most one call per second and source is sampled, and replies without a record are not", async (t) => {
  const { vendor, run, health } = await watched(t);
  reply(vendor, "/search", () => ({ total: 1 }));
  reply(vendor, "/detail", () => ({ id: 1 }));
  reply(vendor, "/phone", () => ({ id: 1 }));
  await run(3, 0);
  await run(1);
  assert.equal((await health("acme__people", 2)).samples, 2);
  reply(vendor, "/search", () => ({ total: 0 }));
  await run(2);
  assert.equal((await health("bell__phone", 4)).samples, 4);
  assert.equal((await health("acme__people", 2)).samples, 2);
});

test("objectives are judged by the ledger's figures, and a source that was never called is not healthy", async (t) => {
  const { vendor, service, run, health } = await watched(t);
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  reply(vendor, "/search", () => ({ total: 1 }));
  reply(vendor, "/detail", () => ({ id: 1 }));
  reply(vendor, "/phone", () => ({ id: 1 }));
  await run(3);
  reply(vendor, "/search", () => ({ total: 0 }));
  await run(1);
  const found = await health("acme__people", 3, { slo: "p99=100s, success=99, match=80%" }, 4);
  const { slo, figures } = found;
  assert.equal(verb.hasFailed?.(found), true);
  assert.equal(verb.hasFailed?.(await health("acme__people", 3, { slo: "success=99" }, 4)), false);
  assert.deepEqual(
    slo.map(({ objective, met }: Record<string, unknown>) => [objective, met]),
    [
      ["p99 <= 100000 ms", true],
      ["success >= 99 %", true],
      ["match >= 80 %", false],
    ],
  );
  assert.equal(slo[2].value, 75);
  assert.deepEqual(
    figures.slice(0, 3).map(({ figure, now, before }: Record<string, unknown>) => [figure, now, before]),
    [
      ["calls", 4, 0],
      ["match_rate", 75, null],
      ["failure_rate", 0, null],
    ],
  );
  const viewer = await service.operator.appoint("viewer", "another");
  for (const [input, status] of [
    [{ source: "acme__people", slo: "p95=80" }, 422],
    [{ source: "acme__people", slo: "success=101" }, 422],
    [{ source: "acme__nobody" }, 404],
  ] as const)
    assert.equal((await call("source health", input, { as: viewer })).statusCode, status, JSON.stringify(input));
});
