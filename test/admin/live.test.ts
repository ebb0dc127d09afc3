import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { LIVE_CLIENTS_MAX } from "../../src/admin/http/live-stream.ts";
import { adminPort } from "../rig/admin.ts";
import { logIn, pageOf } from "../rig/browser-session.ts";
import { type EventReader, readEvents } from "../rig/event-reader.ts";
import type { Appointed } from "../rig/organization.ts";
import { startService, type TestService } from "../rig/service.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { asksVendor, sendsCredential } from "../rig/sources.ts";
import { after as later, bare, json as answer, rawThenEnd } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const DOCUMENT = JSON.parse(readFileSync(new URL("../../openapi-admin.json", import.meta.url), "utf8")) as object;
const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema(DOCUMENT, "admin");
const isEvent = ajv.compile({ $ref: "admin#/components/schemas/LiveEvent" });
const isError = ajv.compile({ $ref: "admin#/components/schemas/Error" });

const PATH = "/api/live";

function watch(t: TestContext, service: TestService, as: Pick<Appointed, "token">): Promise<EventReader> {
  return readEvents(t, service.adminUrl, { path: PATH, headers: { Authorization: `Bearer ${as.token}` } });
}

/** Waits for an event that is as it should be. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read what they assert
async function seen(reader: EventReader, isThere: (data: any) => boolean): Promise<any> {
  for (;;) {
    const event = await reader.next();
    assert.ok(event !== null, "the stream has ended");
    assert.equal(event.event, "live");
    assert.ok(isEvent(event.data), ajv.errorsText(isEvent.errors));
    if (isThere(event.data)) return event.data;
  }
}

test("runs are reported live: their number, calls by how they ended, charges to settle, and what needs a person", async (t) => {
  const vendor = await startVendor(t, {
    paths: { "/found": answer({ name: "Ada" }), "/refuses": bare(401), "/lost": later(200, rawThenEnd("")) },
  });
  const found = asksVendor("acme__found", vendor, "/found");
  const refuses = sendsCredential("acme__refuses", vendor, "/refuses");
  const lost = asksVendor("acme__lost", vendor, "/lost");
  const service = await startService(t, { sources: [found, refuses, lost], vendors: [vendor] });
  const { result } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("viewer", "ada");
  const owner = await service.operator.appoint("owner");
  const reader = await watch(t, service, ada);
  assert.equal(reader.statusCode, 200);
  assert.equal(reader.headers["content-type"], "text/event-stream; charset=utf-8");
  assert.equal(reader.headers["datarun-api"], "1");
  const first = await seen(reader, () => true);
  assert.deepEqual([first.ready, first.runs.minute.runs, first.sources, first.attention], [true, 0, [], []]);
  assert.deepEqual(first.unknown_charges, { charges: 0, is_more: false, since: null });

  const fields = { api_key: "a-key-that-its-vendor-refuses" };
  const credential = await service.operator.storeCredential(service.a, {
    source: "acme__refuses",
    fields,
    isDefault: true,
  });
  await service.operator.changeWorkflow(service.a.workflow, { autoCredentials: true });
  await result("budget set", { org: service.a.id, per: "day", calls: 3, warn: 50 }, owner);
  await service.run({ acme__found: true, acme__refuses: true });
  await service.run({ acme__lost: true });

  const told = await seen(reader, ({ attention }) => attention.length >= 3);
  assert.equal(told.runs.minute.runs, 2);
  assert.equal(told.runs.hour.failed, 2);
  const of = (id: string) => told.sources.find(({ source }: { source: string }) => source === id).minute;
  assert.deepEqual([of("acme__found").match, of("acme__refuses").failed, of("acme__lost").failed], [1, 1, 1]);
  assert.ok(of("acme__lost").p99_ms >= 150 && told.runs.minute.p99_ms >= 150);
  assert.equal(told.unknown_charges.charges, 1);
  const what = Object.fromEntries(told.attention.map((one: { what: string }) => [one.what, one]));
  assert.match(what.charges_unknown.says, /^1 charge is unknown since \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/);
  assert.deepEqual([what.charges_unknown.page, what.charges_unknown.filter], ["runs", { charged: "unknown" }]);
  assert.equal(
    what.credential_refused.says,
    `The credential ${credential} of acme__refuses was refused by the vendor once in the last hour.`,
  );
  assert.match(what.budget_nearly_used.says, /^\d+ % of the budget of .* is used today: \d requests? of 3 requests\.$/);
  assert.equal(told.budgets.length, 1);
  assert.deepEqual(
    (await result("attention show", {}, ada)).attention.map((one: { what: string }) => one.what).toSorted(),
    Object.keys(what).toSorted(),
  );
  service.secrets.assertAbsent("an event", JSON.stringify(told));
});

test("of the time before it started a process says nothing, and what it rejects is no failure of a vendor", async (t) => {
  const vendor = await startVendor(t, { paths: { "/refuses": bare(401) } });
  const service = await startService(t, {
    sources: [sendsCredential("acme__refuses", vendor, "/refuses"), sendsCredential("bell__phone", vendor, "/json")],
    vendors: [vendor],
  });
  const ada = await service.operator.appoint("viewer", "ada");
  const fields = { api_key: "a-key-that-its-vendor-refuses" };
  await service.operator.storeCredential(service.a, { source: "acme__refuses", fields, isDefault: true });
  const before = Date.now();
  await service.run({ acme__refuses: true, bell__phone: true });
  await service.run({ bell__phone: true, carl__unknown: true });
  const reader = await watch(t, service, ada);
  const { started_at, runs, sources } = await seen(reader, (event) => event.runs.hour.runs === 2);
  assert.ok(Date.parse(started_at) <= before && Date.parse(started_at) > before - 120_000);
  // The minute in which it started may be over.
  for (const values of Object.values(runs.last_hour).filter(Array.isArray))
    assert.ok(values.slice(0, 57).every((value) => value === null));
  assert.deepEqual([runs.hour.failed, runs.hour.rejected], [1, 1]);
  const of = (id: string) => {
    const { hour, last_hour } = sources.find(({ source }: { source: string }) => source === id);
    assert.equal(last_hour.calls[0], null);
    return [hour.calls, hour.failed, hour.rejected, hour.no_credential, hour.p50_ms === null];
  };
  assert.deepEqual(of("acme__refuses"), [1, 1, 0, 0, false]);
  assert.deepEqual(of("bell__phone"), [2, 0, 0, 2, true]);
  assert.deepEqual(of("(unknown)"), [1, 0, 1, 0, true]);
});

test("an operator who is revoked, logs out or expires gets no more events within a second, and all others do", async (t) => {
  let laterMs = 0;
  const clock = { ...systemClock, wall: () => systemClock.wall() + laterMs };
  const service = await startService(t, { clock });
  const port = adminPort(t, service.adminUrl, service.secrets);
  const people = await Promise.all(["ada", "bob", "eve"].map((name) => service.operator.appoint("viewer", name)));
  const [ada, bob, eve] = people as [Appointed, Appointed, Appointed];
  const brief = await service.operator.appoint("viewer", "brief", Date.now() + 600_000);
  const page = { ...pageOf(service), Cookie: await logIn(port, service, bob) };
  const { Origin: _, ...asBrowsersGet } = page;
  const inSession = await readEvents(t, service.adminUrl, { path: PATH, headers: asBrowsersGet });
  const [revoked, expires, stays] = await Promise.all([ada, brief, eve].map((one) => watch(t, service, one)));
  for (const reader of [inSession, revoked!, expires!, stays!]) await seen(reader, () => true);

  const endsInTime = async (reader: EventReader, endedAt: number) => {
    for (let late = 0; ;) {
      const event = await reader.next();
      if (event?.event === "live") {
        // One event a second. On a busy machine, some that were made before are read only now.
        if (Date.parse(event.data.at) >= endedAt) late += 1;
        assert.ok(late <= 1, "a client whose login has ended receives events");
        continue;
      }
      assert.equal(event?.event, "error");
      assert.equal(isError(event?.data), true);
      assert.equal(event!.data.error.code, "unauthenticated");
      assert.equal(await reader.next(), null);
      return;
    }
  };
  await service.operator.dismiss(ada.id);
  await port.call("session end", undefined, { headers: page });
  const endedAt = clock.wall();
  await Promise.all([endsInTime(revoked!, endedAt), endsInTime(inSession, endedAt)]);
  laterMs = 600_000;
  await endsInTime(expires!, clock.wall());
  await seen(stays!, () => true);
});

test("it is refused as every request of the admin API is", async (t) => {
  const service = await startService(t);
  const port = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("viewer", "ada");
  const cookie = await logIn(port, service, ada);
  const own = { Authorization: `Bearer ${ada.token}` };
  const refused: readonly [number, string, Record<string, string>, string?][] = [
    [401, "unauthenticated", {}],
    [401, "unauthenticated", { Authorization: `Bearer dop_${"0".repeat(49)}` }],
    [401, "unauthenticated", { Cookie: `datarun=${"A".repeat(43)}`, "Datarun-Console": "1" }],
    [403, "forbidden", { ...own, Host: "evil.example" }],
    [403, "forbidden", { ...own, Origin: "https://evil.example" }],
    [403, "forbidden", { Cookie: cookie }],
    [403, "forbidden", { Cookie: cookie, "Datarun-Console": "1", "Sec-Fetch-Site": "cross-site" }],
    [405, "method_not_allowed", own, "POST"],
  ];
  for (const [statusCode, code, headers, method = "GET"] of refused) {
    const reply = await readEvents(t, service.adminUrl, { path: PATH, headers, method });
    assert.equal(reply.statusCode, statusCode, JSON.stringify(headers));
    assert.equal(JSON.parse(await reply.text()).error.code, code);
    if (statusCode === 405) assert.equal(reply.headers["allow"], "GET");
  }
});

test("more clients of an operator than its share are refused clearly, leave slots for others, and those that leave free a slot", async (t) => {
  const service = await startService(t);
  const [ada, bob] = [await service.operator.appoint("viewer", "ada"), await service.operator.appoint("viewer", "bob")];
  const readers = await Promise.all(Array.from({ length: LIVE_CLIENTS_MAX / 2 }, () => watch(t, service, ada)));
  assert.ok(readers.every(({ statusCode }) => statusCode === 200));
  const further = await watch(t, service, ada);
  assert.equal(further.statusCode, 503);
  assert.match(JSON.parse(await further.text()).error.message, /Too many clients receive live events already/);
  const other = await watch(t, service, bob);
  assert.equal(other.statusCode, 200);
  // An operator may have as many as it leaves free, and the other one has taken one of them.
  for (const reader of readers.slice(0, 2)) reader.hangUp();
  for (;;) {
    const again = await watch(t, service, ada);
    if (again.statusCode === 200) return;
    again.hangUp();
  }
});

test("when the service stops, its clients get an event that says so", async (t) => {
  const service = await startService(t);
  const ada = await service.operator.appoint("viewer", "ada");
  const reader = await watch(t, service, ada);
  await seen(reader, () => true);
  const closing = service.close();
  let event = await reader.next();
  while (event?.event === "live") event = await reader.next();
  assert.deepEqual([event?.event, event?.data.error.code], ["error", "unavailable"]);
  assert.equal(await reader.next(), null);
  await closing;
});
