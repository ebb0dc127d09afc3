import assert from "node:assert/strict";
import { test } from "node:test";
import { adminPort } from "../rig/admin.ts";
import { logIn, pageOf } from "../rig/browser-session.ts";
import { readEvents } from "../rig/event-reader.ts";
import { startService } from "../rig/service.ts";
import { answers, findsNobody } from "../rig/sources.ts";
import { until } from "../rig/until.ts";

const AT = { from: "2020-01-01", to: "2100-01-01" };

test("runs are downloaded as CSV or JSON lines, by the filters of a list, and by a viewer", async (t) => {
  const service = await startService(t, {
    sources: [answers("acme__people", { name: "Ada" }), findsNobody("bell__phone")],
  });
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const [viewer] = [await service.operator.appoint("viewer")];
  for (const source of ["acme__people", "bell__phone", "acme__people"]) await service.run({ [source]: true });
  await until(async () => (await result("ledger list", {}, viewer)).runs.length === 3);

  const csv = await call("ledger export", { ...AT }, { as: viewer });
  assert.equal(csv.headers["content-type"], "text/csv; charset=utf-8");
  assert.equal(csv.headers["content-disposition"], 'attachment; filename="ledger.csv"');
  // One line for each call, and the healthy one in each run.
  const lines = csv.text.trimEnd().split("\r\n");
  assert.match(lines[0]!, /^transaction_id,state,/);
  assert.equal(lines.length, 1 + 3 * 2);
  const whole = await call("ledger export", { format: "jsonl", source: "acme__people" }, { as: viewer });
  assert.equal(whole.headers["content-type"], "application/jsonl; charset=utf-8");
  const runs = whole.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly calls: { source: string }[] });
  assert.deepEqual(
    runs.map(({ calls }) => calls.some(({ source }) => source === "acme__people")),
    [true, true],
  );
  const none = await call("ledger export", { format: "jsonl", to: "2020-01-01" }, { as: viewer });
  assert.equal(none.text, "");
  const parquet = await call("ledger export", { format: "parquet" }, { as: viewer });
  assert.equal(parquet.headers["content-type"], "application/vnd.apache.parquet");
  assert.equal(parquet.headers["content-disposition"], 'attachment; filename="ledger.parquet"');
  assert.match(parquet.text, /^PAR1[^]+PAR1$/);

  // What is wrong is said before a text begins.
  const wrong = await call("ledger export", { from: "2026-02-30" }, { as: viewer });
  assert.deepEqual([wrong.statusCode, wrong.json().error.code], [422, "invalid"]);
  assert.equal((await call("ledger export", { file: "/tmp/x" }, { as: viewer })).statusCode, 422);
});

test("an export of many runs has each of them once, while runs go on", async (t) => {
  const service = await startService(t, { sources: [answers("acme__people", { name: "Ada" })] });
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const viewer = await service.operator.appoint("viewer");
  const RUNS = 230;
  for (let at = 0; at < RUNS; at += 1) await service.run({ acme__people: true });
  await until(async () => (await result("ledger list", { limit: 1_000 }, viewer)).runs.length === RUNS);
  const [exported, meanwhile] = await Promise.all([
    call("ledger export", { format: "jsonl", to: new Date().toISOString() }, { as: viewer }),
    service.run({ acme__people: true }),
  ]);
  assert.equal(meanwhile.statusCode, 200);
  const ids = exported.text
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { run: { transaction_id: string } }).run.transaction_id);
  assert.equal(ids.length, RUNS);
  assert.equal(new Set(ids).size, RUNS);
});

test("readers of files keep no other operator from anything, and get no more than a second's when they are revoked or log out", async (t) => {
  const sources = Array.from({ length: 90 }, (_, at) => answers(`acme__list_${at}`, { name: "Ada" }));
  const service = await startService(t, { sources });
  const port = adminPort(t, service.adminUrl, service.secrets);
  const [ada, bob] = [await service.operator.appoint("viewer", "ada"), await service.operator.appoint("viewer", "bob")];
  const owner = await service.operator.appoint("owner");
  const RUNS = 240;
  const all = Object.fromEntries(sources.map(({ id }) => [id, true]));
  for (let at = 0; at < RUNS; at += 8) await Promise.all(Array.from({ length: 8 }, () => service.run(all)));
  await until(async () => (await port.result("ledger list", { limit: 1_000 }, bob)).runs.length === RUNS);
  const page = { ...pageOf(service), Cookie: await logIn(port, service, ada) };
  const asked = { path: "/api/ledger/export", method: "POST", body: { format: "jsonl" } };
  // More than fits into what lies between the two ends: who does not read holds it up.
  const readOf = (headers: Record<string, string>) =>
    readEvents(t, service.adminUrl, { ...asked, headers: { "Content-Type": "application/json", ...headers } });
  const ofBob = await Promise.all(Array.from({ length: 16 }, () => readOf({ Authorization: `Bearer ${bob.token}` })));
  assert.equal(ofBob.filter(({ statusCode }) => statusCode === 200).length, 2);
  const refused = ofBob.find(({ statusCode }) => statusCode !== 200)!;
  assert.deepEqual(
    [
      refused.statusCode,
      JSON.parse(await refused.text()).error.code,
      (await port.call("org list", {}, { as: owner })).statusCode,
    ],
    [503, "unavailable", 200],
  );
  const files = [await readOf(page), ...ofBob.filter(({ statusCode }) => statusCode === 200)];
  assert.equal(files[0]!.statusCode, 200);
  await port.result("operator revoke", { operator: bob.id }, owner);
  await port.call("session end", undefined, { headers: page });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  for (const file of files) await assert.rejects(file.text(), { code: "ECONNRESET" });
});

test("an invoice is compared from its text", async (t) => {
  const service = await startService(t, { sources: [answers("acme__people", { name: "Ada" })] });
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const viewer = await service.operator.appoint("viewer");
  const invoice = "\ufeffReference;Net\r\ntrx_nobody;0,35\r\n";
  const map = ["transaction=Reference", "amount=Net"];
  const compared = await result(
    "ledger compare",
    { invoice, map, currency: "EUR", decimal_comma: true, ...AT },
    viewer,
  );
  assert.deepEqual(compared.differences, [
    {
      difference: "theirs only",
      transaction: "trx_nobody",
      lines: "2",
      currency: "EUR",
      ours: "0.00",
      ours_at_most: "0.00",
      theirs: "0.35",
    },
  ]);
  const tooLarge = await call(
    "ledger compare",
    { invoice: "A;B\n".repeat(300_000), map: ["order=A"], ...AT },
    { as: viewer },
  );
  assert.match(tooLarge.text, /is larger than 1048576 bytes/);
});

test("the audit trail is downloaded whole, by the filters of its list, and no name in it is a formula", async (t) => {
  const service = await startService(t);
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const [owner, viewer] = [await service.operator.appoint("owner"), await service.operator.appoint("viewer")];
  const names = ["=1+1", 'a "quoted", name', "ünï"];
  for (const name of names) await result("org create", { name }, owner);
  // More than are read at once.
  for (let at = 0; at < 520; at += 1) await service.operator.changeOrganization(service.a.id, { name: `A${at}` });

  const whole = await call("audit export", { format: "jsonl" }, { as: viewer });
  assert.equal(whole.headers["content-type"], "application/jsonl; charset=utf-8");
  const entries = whole.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: string; what: string; detail: { name: string } });
  assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length);
  const listed = await result("audit list", { limit: 1_000 }, viewer);
  assert.deepEqual(
    entries.map(({ id }) => id),
    listed.entries.map(({ id }: { id: string }) => id),
  );

  const csv = await call("audit export", { what: "org create", who: "owner" }, { as: viewer });
  assert.equal(csv.headers["content-disposition"], 'attachment; filename="audit.csv"');
  const [head, ...lines] = csv.text.trimEnd().split("\r\n");
  assert.equal(head, "id,at,who,via,what,organization_tuid,subject,detail");
  assert.equal(lines.length, names.length);
  assert.match(lines[1]!, /,"\{""name"":""a \\""quoted\\"", name""\}"$/);
  assert.equal((await call("audit export", { who: "nobody" }, { as: viewer })).text, `${head}\r\n`);
  assert.equal((await call("audit export", { from: "2026-02-30" }, { as: viewer })).statusCode, 422);
});
