import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { startService } from "../rig/service.ts";
import { answers, asksVendor, findsNobody, neverAnswers, source, throws } from "../rig/sources.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const vendor = await startVendor({ after });
const sources = [
  answers("mix__record", { a: 1 }),
  answers("mix__another_record", { b: [{ c: null }] }),
  findsNobody("mix__nobody"),
  throws("mix__throws", new Error("boom")),
  source("mix__uncollectable", () => 1),
  neverAnswers("mix__never", { timeout_ms: 15 }),
  asksVendor("mix__vendor", vendor, "/json"),
  asksVendor("mix__vendor_slow", vendor, "/delay/5"),
  asksVendor("mix__vendor_404", vendor, "/status/404"),
  answers("mix__needs_input", {}, { inputs: { type: "object", required: ["name"], properties: { name: {} } } }),
];
const service = await startService({ after }, { sources, vendors: [vendor] });
/** What each of them must come to in any company. */
const SUCCEEDS = new Set(["mix__record", "mix__another_record", "mix__nobody", "mix__vendor", "mix__vendor_slow"]);

test("whichever sources are asked in whichever order, each gets its own entry and its own answer", async () => {
  const ids = [...sources.map(({ id }) => id), "mix__unknown", "__proto__", "constructor", "toString", "", "x y", "é"];
  const entry = fc.oneof(fc.constant(true), fc.constant({}), fc.constant({ note: "kept" }));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1 }),
      fc.array(entry, { minLength: 20, maxLength: 20 }),
      async (asked, entries) => {
        // As text, so that a source called __proto__ is one.
        const members = asked.map((id, index) => `${JSON.stringify(id)}:${JSON.stringify(entries[index])}`);
        const reply = await service.post("/data", `{"config":{"sources":{${members.join(",")}}}}`);
        assert.equal(reply.statusCode, 200);
        const { outputs, status, config } = reply.json();
        for (const part of [outputs, status, config.sources]) assert.deepEqual(Object.keys(part), asked);
        for (const id of asked)
          assert.equal(Object.getOwnPropertyDescriptor(status, id)!.value.success, SUCCEEDS.has(id), id);
      },
    ),
    { numRuns: 60 },
  );
});
