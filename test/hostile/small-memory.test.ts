import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ATTACKS } from "./attacks.ts";
import { openTarget } from "./target.ts";
import { withstand } from "./withstand.ts";

const SMALL_HEAP = "--max-old-space-size=256";

test("with a heap of 256 MB the service outlives all attacks at once, with nobody reading its log", async (t) => {
  const target = await openTarget(t, { env: { NODE_OPTIONS: SMALL_HEAP } });
  target.service.readLog(false);
  await withstand(t, target, ATTACKS);

  target.service.signal("SIGTERM");
  const ended = await Promise.race([target.service.ended, delay(30_000, null)]);
  assert.equal(ended?.code, 0, "an orderly end, although nobody reads the log");
});
