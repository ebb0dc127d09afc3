import assert from "node:assert/strict";
import { test } from "node:test";
import { leasesInMemory } from "../../limits/sources/source-leases.kit.ts";
import type { RateLimit, SourceLimits } from "../../sdk/source.ts";
import { FakeClock, settle } from "../../terms/time/clock.kit.ts";
import { Fault } from "../../terms/fault.ts";
import { Secret } from "../../terms/secret.ts";
import { makeCall, makeRun } from "../call.kit.ts";
import type { CallResult, RunnableSource } from "../ports.ts";
import { withSourceLimits } from "./source-limits.ts";

const FOUND: CallResult = { match: true, json: "{}" };
const PER_CREDENTIAL: RateLimit = { per: "credential", max: 1, every_ms: 60_000 };

function limited(limits: SourceLimits, begunMax?: number) {
  const clock = new FakeClock();
  const source = { id: "acme__people", timeoutMs: 10_000, declaration: { limits } } as RunnableSource;
  /** As it comes from the store: without the limits that it declares itself. */
  const earlier = { ...source, declaration: { limits: { concurrency: 50 } }, limitedAs: source } as RunnableSource;
  const ends: (() => void)[] = [];
  const { leaseOf } = leasesInMemory(clock);
  const leased = { count: 0 };
  const run = withSourceLimits(
    (...asked) => {
      leased.count += 1;
      return leaseOf(...asked);
    },
    clock,
    begunMax,
  )(() => new Promise((resolve) => ends.push(() => resolve(FOUND))));
  return {
    clock,
    ends,
    /** The limits that were started. */
    leased,
    /** The code of the fault with which the call ends, or `null`. */
    call: (
      organizationId: string,
      scope: string,
      credentialId: string | null = null,
      version: "loaded" | "earlier" = "loaded",
    ): Promise<string | null> => {
      const call = makeCall({ run: makeRun({ organizationId }), deadlineAt: clock.now() + 10_000 });
      call.takeCredential({ scope, credentialId, rule: "default", fields: new Secret({}), prices: null });
      return run(version === "loaded" ? source : earlier, call)
        .finally(() => call.end())
        .then(
          () => null,
          (thrown: unknown) => (thrown instanceof Fault ? thrown.code : String(thrown)),
        );
    },
  };
}

test("an organization that invents credentials without end resets no other organization's rate", async () => {
  const { call, ends } = limited({ rate: [PER_CREDENTIAL] }, 2_000);
  const first = call("org_b", "b");
  for (let made = 0; made < 2_000; made += 1) void call("org_a", `made up ${made}`);

  await settle();
  assert.equal(await call("org_b", "b"), "source.rate_limited_here");
  for (const end of ends) end();
  assert.equal(await first, null);
});

test("an organization that makes up credentials begins to count so many of them in a period, and no more", async () => {
  const { clock, call, ends, leased } = limited({ rate: [PER_CREDENTIAL] }, 10);
  for (let made = 0; made < 10; made += 1) void call("org_a", `made up ${made}`);
  for (let more = 0; more < 5; more += 1)
    assert.equal(await call("org_a", `one more ${more}`), "source.rate_limited_here");
  assert.equal(leased.count, 10);

  const others = [call("org_b", "b"), call("org_a", "stored", "cred_1")];
  await clock.advance(60_000);
  const later = [call("org_a", "one more 0"), call("org_a", "made up 9")];
  await settle();
  for (const end of ends) end();
  assert.deepEqual(await Promise.all([...others, ...later]), [null, null, null, null]);
});

test("a limit that this process has evicted is not started a second time", async () => {
  // One more than are kept here.
  const all = 10_001;
  const { call, ends } = limited({ rate: [{ ...PER_CREDENTIAL, max: 2 }] }, all);
  for (let made = 0; made < all; made += 1) void call("org_a", `inline ${made}`);
  const again = call("org_a", "inline 0");
  await settle();
  for (const end of ends) end();
  assert.equal(await again, null);
  assert.equal(await call("org_a", "one more"), "source.rate_limited_here");
});

test("a call that waits for a permit in vain returns its credential's permit", async () => {
  const { clock, call, ends } = limited({ concurrency: 1, rate: [PER_CREDENTIAL] });
  const first = call("org_a", "one");
  const second = call("org_a", "two");
  await clock.advance(1_000);
  assert.equal(await second, "source.queue_full");
  ends[0]!();
  assert.equal(await first, null);

  const again = call("org_a", "two");
  await settle();
  ends[1]!();

  assert.equal(await again, null);
});

test("if one of several rates refuses, none of them is used", async () => {
  const { clock, call, ends } = limited({ rate: [PER_CREDENTIAL, { per: "credential", max: 1, every_ms: 600_000 }] });
  const first = call("org_a", "one");
  await clock.advance(60_000);
  assert.equal(await call("org_a", "one"), "source.rate_limited_here");
  await clock.advance(600_000);
  const later = call("org_a", "one");
  await settle();
  for (const end of ends) end();

  assert.deepEqual([await first, await later], [null, null]);
});

test("an earlier version of a source uses up the limits of the loaded version", async () => {
  const { call, ends } = limited({ rate: [PER_CREDENTIAL] });
  const first = call("org_a", "a", "cred_1", "earlier");
  await settle();
  assert.equal(await call("org_a", "a", "cred_1"), "source.rate_limited_here");
  const second = call("org_b", "b", "cred_2");
  await settle();
  assert.equal(await call("org_b", "b", "cred_2", "earlier"), "source.rate_limited_here");
  for (const end of ends) end();
  assert.deepEqual([await first, await second], [null, null]);
});
