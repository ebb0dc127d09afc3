import assert from "node:assert/strict";
import { test } from "node:test";
import { leasesInMemory } from "../limits/sources/source-leases.kit.ts";
import { makeCall, makeRun } from "../run/call.kit.ts";
import type { VendorClient, RunnableSource } from "../run/ports.ts";
import { systemClock } from "../terms/time/clock.ts";
import { Fault } from "../terms/fault.ts";
import { composeCalls } from "./call-middleware.ts";

/** A source that calls its vendor. */
const SOURCE = {
  id: "acme__people",
  declaration: { run: ({ http }: { http: { get(url: string): Promise<object> } }) => http.get("https://acme.example") },
  timeoutMs: 1_000,
  filter: (inputs: object) => inputs,
  inputProblem: () => null,
  credentialUse: "none",
  leavesMachine: true,
} as unknown as RunnableSource;

function doorThat(fails: boolean): VendorClient {
  const get = async () => {
    if (fails) throw new Fault("source.vendor_5xx", { status: 500 });
    return { found: true };
  };
  return { httpFor: () => ({ get }) as never };
}

test("failures of simulated vendors block no real call, and failures of a real vendor block no simulated one", async () => {
  for (const failing of [true, false]) {
    const around = composeCalls({
      finder: { find: async () => null },
      client: doorThat(!failing),
      simulatedClient: doorThat(failing),
      clock: systemClock,
      leaseOf: leasesInMemory(systemClock).leaseOf,
      budgets: { find: async () => null },
      log: () => {},
    });
    const run = (simulated: boolean) => around.runSource(SOURCE, makeCall({ run: makeRun({ simulated }) }));
    for (let count = 0; count < 20; count += 1) await assert.rejects(run(failing));
    assert.equal((await run(!failing)).match, true);
    assert.equal(around.openBreakers().length, failing ? 0 : 1);
  }
});
