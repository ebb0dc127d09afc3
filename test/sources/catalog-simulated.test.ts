import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { createSimulatedClient } from "../../src/outbound/simulated-client.ts";
import { VendorReply } from "../../src/outbound/exchange/vendor-reply.ts";
import { faultOfStatus } from "../../src/outbound/exchange/vendor-fault.ts";
import { makeOneCall } from "../../src/run/one-call.ts";
import type { RunnableSource } from "../../src/run/ports.ts";
import { makeUpCredentials } from "../../src/simulation/made-up-credentials.ts";
import { createSimulatedVendors } from "../../src/simulation/simulated-vendors.ts";
import { createSkippedWait } from "../../src/simulation/skipped-wait.ts";
import { startVendorSimulator } from "../../src/simulation/vendor-simulator.ts";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { toRunnable } from "../../src/sources/runnable.ts";
import { createSchemas } from "../../src/terms/schema/author-schemas.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { Fault } from "../../src/terms/fault.ts";

const folder = fileURLToPath(new URL("../../catalog/sources", import.meta.url));
const schemas = createSchemas();
const sources: readonly RunnableSource[] = globSync("**/*.yaml", { cwd: folder }).map((file) =>
  toRunnable(compileDeclarative(readFileSync(join(folder, file), "utf8"), file), schemas, "now"),
);
const reading = {
  makeReply: (status: number, headers: Readonly<Record<string, string>>, bytes: Buffer) =>
    new VendorReply(status, headers, bytes, { depthMax: 64, keysPerObjectMax: 10_000 }, null),
  faultOfStatus,
};

test("a simulated call of every catalog source comes out as its case says", async () => {
  const door = createSimulatedClient({ clock: systemClock, vendors: createSimulatedVendors(systemClock, () => false) });
  const parts = { client: door, clock: systemClock, log: () => {}, wait: createSkippedWait(systemClock) };
  let asked = 0;
  for (const source of sources) {
    const cases = source.declaration.cases ?? [];
    const first = cases.filter((each) => cases.find(({ inputs }) => isDeepStrictEqual(inputs, each.inputs)) === each);
    for (const each of first) {
      const credentials = each.credentials ?? makeUpCredentials(source.declaration.credentials);
      const asks = { source, inputs: each.inputs, entry: { credentials } };
      const { result, call } = await makeOneCall(
        { ...asks, organizationId: "org_1", context: "dev", region: "" },
        parts,
      );
      const came =
        result instanceof Fault
          ? { failure: result.row.kind }
          : { match: result.match, output: JSON.parse(String(result.json)) as unknown };
      const what = `${source.id}: ${each.name}`;
      const { expect } = each;
      if ("failure" in expect) {
        assert.deepEqual(came, { failure: expect.failure }, what);
      } else {
        assert.equal("match" in came && came.match, expect.match, `${what}: ${JSON.stringify(came)}`);
        if (expect.output !== undefined) assert.deepEqual(came, { match: expect.match, output: expect.output }, what);
      }
      assert.equal(call.attempts.length, 0, "nothing was sent");
      asked += 1;
    }
  }
  assert.ok(asked > 50);
});

test("the simulator simulates every vendor of the catalog at once", async (t) => {
  const simulator = await startVendorSimulator({ sources, clock: systemClock, ...reading });
  t.after(() => simulator.close());
  const origins = new Set(sources.flatMap(({ declaration }) => declaration.origins ?? []));
  const played = simulator.hosts.filter((host) => origins.has(`https://${host}`));
  assert.ok(played.length >= 14, simulator.hosts.join(", "));
  const reply = await fetch(`${simulator.url}/data.brreg.no/enhetsregisteret/api/enheter/999999999`);
  assert.equal(((await reply.json()) as { navn: string }).navn, "EKSEMPEL AS");
  const gone = await fetch(`${simulator.url}/rdap.org/domain/example.com`);
  assert.equal(new URL(gone.url).pathname, "/rdap.verisign.com/com/v1/domain/example.com");
  assert.equal(((await gone.json()) as { ldhName: string }).ldhName, "EXAMPLE.COM");
});
