import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { adminPort } from "../rig/admin.ts";
import { type EventReader, readEvents, type ReadEvent } from "../rig/event-reader.ts";
import type { Appointed } from "../rig/organization.ts";
import { startService, type TestService } from "../rig/service.ts";
import { answers, source } from "../rig/sources.ts";
import { until } from "../rig/until.ts";

const DOCUMENT = JSON.parse(readFileSync(new URL("../../openapi-admin.json", import.meta.url), "utf8")) as object;
const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema(DOCUMENT, "admin");
const schema = (name: string) => ajv.compile({ $ref: `admin#/components/schemas/${name}` });
const DATA = {
  note: schema("VerbNote"),
  progress: schema("VerbProgress"),
  call: schema("EndedCall"),
  error: schema("Error"),
} as const;

function ask(
  t: TestContext,
  service: TestService,
  verb: string,
  input: object,
  as: Appointed,
  accept = "text/event-stream",
): Promise<EventReader> {
  const headers = { Authorization: `Bearer ${as.token}`, "Content-Type": "application/json", Accept: accept };
  return readEvents(t, service.adminUrl, {
    path: `/api/${verb.replaceAll(" ", "/")}`,
    method: "POST",
    headers,
    body: input,
  });
}

/** Until the end of the stream. Each is held to the contract. */
async function all(reader: EventReader): Promise<readonly ReadEvent[]> {
  const events: ReadEvent[] = [];
  for (let event = await reader.next(); event !== null; event = await reader.next()) {
    const check = DATA[event.event as keyof typeof DATA];
    assert.ok(check?.(event.data) ?? event.event === "result", `${event.event}: ${JSON.stringify(event.data)}`);
    events.push(event);
  }
  return events;
}

const names = (events: readonly ReadEvent[]) => events.map(({ event }) => event);

test("a client that accepts events gets progress and remarks as they occur, and the result at the end", async (t) => {
  const service = await startService(t);
  const { result } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("viewer", "ada");
  for (let run = 0; run < 3; run += 1) await service.run({});
  const reader = await ask(t, service, "ledger verify", {}, ada, "application/json, text/event-stream;q=0.9");
  assert.deepEqual([reader.statusCode, reader.headers["content-type"]], [200, "text/event-stream; charset=utf-8"]);
  const events = await all(reader);
  assert.deepEqual([...new Set(names(events))], ["progress", "result"]);
  assert.equal(names(events).at(-1), "result");
  const placesOf = ({ ledgers }: { ledgers: { place: string }[] }) => ledgers.map(({ place }) => place);
  assert.deepEqual(placesOf(events.at(-1)!.data), placesOf(await result("ledger verify", {}, ada)));

  const noted = await all(await ask(t, service, "audit list", { limit: 1 }, ada));
  assert.deepEqual(names(noted), ["note", "result"]);
  assert.match(noted[0]!.data.says, /^There are more\. To see them, give --after adt_/);
});

/** What an event tells of a call. */
function told(event: ReadEvent | null | undefined) {
  assert.equal(event?.event, "call");
  const { source: id, success, match } = event!.data;
  return [id, success, match];
}

test("a client that starts a run gets each call as it ends, long before the answer if one is slow", async (t) => {
  const slow = Promise.withResolvers<null>();
  const service = await startService(t, {
    sources: [answers("acme__people", { name: "Ada" }), source("bell__slow", () => slow.promise)],
  });
  const ada = await service.operator.appoint("operator", "ada");
  const { workflow } = service.a;
  const input = { workflow, source: ["bell__slow", "acme__people"] };
  const reader = await ask(t, service, "workflow run", input, ada);
  service.expectRunWithoutAnswer();
  const first = await reader.next();
  assert.deepEqual(told(first), ["acme__people", true, true]);
  slow.resolve(null);
  const [second, answer, ...others] = await all(reader);
  assert.deepEqual(told(second), ["bell__slow", true, false]);
  assert.deepEqual([answer!.event, others], ["result", []]);
  assert.deepEqual(Object.keys(answer!.data.status), ["bell__slow", "acme__people"]);
});

test("a verb that fails ends its events with its own error, and what can be refused before is answered as always", async (t) => {
  const service = await startService(t);
  const ada = await service.operator.appoint("viewer", "ada");
  const failed = await all(await ask(t, service, "ledger show", { transaction: "trx_0" }, ada));
  assert.deepEqual([names(failed), failed[0]!.data.error.code], [["error"], "not_found"]);
  for (const [verb, input, statusCode] of [
    ["ledger show", { transaction: 1 }, 422],
    ["token create", { org: service.a.id }, 403],
    ["no verb", {}, 404],
  ] as const) {
    const refused = await ask(t, service, verb, input, ada);
    assert.equal(refused.statusCode, statusCode);
    assert.equal(refused.headers["content-type"], "application/json; charset=utf-8");
    const { error } = JSON.parse(await refused.text());
    if (statusCode === 422) assert.equal(error.details[0].path, "/transaction");
  }
});

test("without that, nothing is different", async (t) => {
  const service = await startService(t);
  const ada = await service.operator.appoint("viewer", "ada");
  for (const accept of ["*/*", "application/json", "text/html", ""]) {
    const reply = await ask(t, service, "org list", {}, ada, accept);
    assert.equal(reply.headers["content-type"], "application/json; charset=utf-8", accept);
  }
});

test("a verb whose client goes away is done all the same, and recorded", async (t) => {
  const service = await startService(t);
  const owner = await service.operator.appoint("owner", "ada");
  const reader = await ask(t, service, "ledger prune", { before: "2020-01-01" }, owner);
  reader.hangUp();
  await until(async () =>
    (await service.operator.auditEntries()).some(({ what, who }) => what === "ledger prune" && who === "ada"),
  );
});
