import assert from "node:assert/strict";
import { test } from "node:test";
import { heldWithoutLimit } from "../terms/byte-budget.ts";
import { FakeClock } from "../terms/fake-clock.ts";
import { openHost } from "./function-host.ts";
import type { Attempt, Run, RunnableSource } from "./ports.ts";
import { ReplyRoom } from "./reply-room.ts";

test("a call that is left when its function ends is told as its source's charge says", () => {
  const clock = new FakeClock();
  const source = (charge: "free" | "per_call") => ({ timeoutMs: 1000, leavesMachine: true, charge }) as RunnableSource;
  const sources = new Map([
    ["acme__register", source("free")],
    ["bell__bureau", source("per_call")],
  ]);
  const host = openHost(
    {
      run: {
        arrivedAt: clock.now(),
        caller: { organizationId: "org_a" },
        held: heldWithoutLimit(),
      } as unknown as Run,
      functionId: "dfunc_x",
      sources: {},
      deadlineAt: clock.now() + 1000,
    },
    {
      catalog: { find: (id) => sources.get(id) },
      clock,
      replyRoom: new ReplyRoom(clock),
      log: () => {},
      runSource: (_, call) => {
        call.attempts.push({ free: false, status: null, said: null } as Attempt);
        return new Promise(() => {});
      },
    },
  );
  for (const id of sources.keys()) void host.runSource(id, "{}");
  const told = host.end();
  assert.deepEqual(
    told.map((call) => [call.fault?.code, call.charged]),
    [
      ["source.abandoned", "no"],
      ["source.abandoned", "unknown"],
    ],
  );
});
