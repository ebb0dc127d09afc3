import assert from "node:assert/strict";
import { test } from "node:test";
import { written } from "../../test/rig/acme-source.ts";
import { systemClock } from "../terms/time/clock.ts";
import { makeOneCall } from "./one-call.ts";

test("the source of a call gets the transaction id under which its caller records the call", async () => {
  const { call } = await makeOneCall(
    {
      source: written({ charge: "free", run: async ({ transaction_id }) => ({ transaction_id }) }),
      organizationId: "org_1",
      transactionId: "trx_recorded",
      context: "dev",
      region: "test",
      entry: {},
      inputs: {},
    },
    { client: { httpFor: () => assert.fail("no request") }, clock: systemClock, log: () => {} },
  );
  assert.equal(call.run.intent.transactionId, "trx_recorded");
});
