import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunnableSource } from "../../run/ports.ts";
import { FakeClock, settle } from "../../terms/time/clock.kit.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { askFreeVendors, LIVE_PAUSE_MS } from "./live-report.ts";

const source = (id: string, origin: string, changes: object = {}) =>
  ({
    id,
    charge: "free",
    leavesMachine: true,
    declaration: { origins: [origin] },
    ...changes,
  }) as unknown as RunnableSource;

function started(sources: readonly RunnableSource[], answer: (id: string) => JsonObject = () => ({ passed: true })) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const written: JsonObject[] = [];
  const done = askFreeVendors(
    sources,
    async ({ id }) => {
      asked.push(id);
      return { source: id, requests: 1, ...answer(id) };
    },
    { clock, version: "v1", hasOwner: false, write: (report) => written.push(report) },
  );
  return { clock, asked, written, done };
}

test("one vendor is called at a time, and the same one again only after a pause", async () => {
  const { clock, asked, done } = started([
    source("a__1", "https://a"),
    source("a__2", "https://a"),
    source("b__1", "https://b"),
  ]);
  await settle();
  assert.deepEqual(asked, ["a__1"]);
  await clock.advance(LIVE_PAUSE_MS - 1);
  assert.deepEqual(asked, ["a__1"]);
  await clock.advance(1);
  assert.deepEqual(asked, ["a__1", "a__2", "b__1"]);
  await done;
});

test("sources that bill, that stay on this machine or that are examples are not called, and the report says so", async () => {
  const { asked, done } = started(
    [
      source("a__billed", "https://a", { charge: "per_match" }),
      source("b__here", "https://b", { leavesMachine: false }),
      source("c__example", "https://c", { declaration: { "x-example": true } }),
      source("d__keyless", "https://d"),
      source("e__keyless", "https://e", { credentialUse: "required" }),
    ],
    () => ({ passed: false, outcome: "credential", requests: 0 }),
  );
  assert.deepEqual(await done, {
    date: "2025-10-09",
    version: "v1",
    sources: [],
    skipped: [
      { source: "a__billed", why: "its vendor bills (per_match)" },
      { source: "b__here", why: "it answers on this machine" },
      { source: "c__example", why: "it is an example without a vendor" },
      { source: "d__keyless", why: "no credential of the organization is usable" },
      { source: "e__keyless", why: "it needs a credential: give --org with an organization that has one" },
    ],
  });
  assert.deepEqual(asked, ["d__keyless"]);
});

test("every reply is written to the report before the next vendor is called, however the command ends", async () => {
  const refused = new OperatorError("usage", "it needs a credential");
  const { written, done } = started(
    [
      source("a__1", "https://a"),
      source("b__1", "https://b"),
      source("c__1", "https://c"),
      source("d__1", "https://d"),
    ],
    (id) => {
      if (id === "b__1") throw refused;
      if (id === "d__1") throw new Error("the power is gone");
      return { passed: id === "a__1" };
    },
  );
  await assert.rejects(done, /the power is gone/);
  assert.deepEqual(
    written.map(({ sources, skipped }) => [sources, skipped].map((list) => (list as unknown[]).length)),
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [2, 1],
      [2, 1],
    ],
  );
  const { sources } = written.at(-1) as unknown as { sources: JsonObject[] };
  assert.deepEqual(
    sources.map((one) => one["x-live-tested"]),
    ["2025-10-09, version v1", "never"],
  );
});
