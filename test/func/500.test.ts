import assert from "node:assert/strict";
import { test } from "node:test";
import { startService } from "../rig/service.ts";

test("what is 500 for /data is none for /func: its sources are optional", async (t) => {
  const service = await startService(t);
  for (const config of [{}, { sources: {} }]) {
    const reply = await service.post("/func", { config });
    assert.equal(reply.statusCode, 200);
  }
});

test("when runs cannot be recorded, a function is refused before it runs", async (t) => {
  const service = await startService(t, { settings: { "limits.journal_bytes": 65_536 } });
  for (let runs = 0; ; runs += 1) {
    const reply = await service.post("/func", { config: { data_func: "dfunc_none" } });
    if (reply.statusCode === 200) assert.ok(runs < 2000, "a journal of 64 KiB is never full");
    else {
      assert.equal(reply.statusCode, 500);
      return assert.equal(reply.json().error.code, "unavailable");
    }
  }
});
