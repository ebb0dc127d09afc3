import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { Workflow } from "../terms/caller.ts";
import { Fault } from "../terms/fault.ts";
import { FakeClock, settle } from "../terms/time/clock.kit.ts";
import { makeAccessToken, tokenDigest } from "./access-token.ts";
import { createAuthenticator } from "./authenticate.ts";
import type { AccessStore, TokenRow } from "./ports.ts";

const GOOD = makeAccessToken();
const OTHER_ORGS = makeAccessToken();

class MemoryStore implements AccessStore {
  readonly tokens = new Map<string, TokenRow>();
  readonly workflows = new Map<string, Workflow>();
  readonly asked: string[] = [];
  readonly uses: string[] = [];
  mode: "up" | "fails" | "hangs" = "up";
  changes = 1;

  async findToken(digest: string): Promise<TokenRow | null> {
    this.asked.push("token");
    await this.#answer();
    return this.tokens.get(digest) ?? null;
  }
  async findWorkflow(id: string): Promise<Workflow | null> {
    this.asked.push(id);
    await this.#answer();
    return this.workflows.get(id) ?? null;
  }
  version(): number {
    return this.changes;
  }
  async markUsed(uses: readonly { readonly tokenId: string }[]): Promise<void> {
    this.uses.push(...uses.map((use) => use.tokenId));
  }
  addToken(token: string, row: Partial<TokenRow> = {}): void {
    const digest = tokenDigest(token);
    const full = {
      id: "tok_a",
      organizationId: "org_a",
      digest,
      expiresWallAt: null,
      revoked: false,
      organizationDisabled: false,
      ...row,
    };
    this.tokens.set(digest, full);
  }
  addWorkflow(id: string, row: Partial<Workflow> = {}): void {
    const flags = {
      autoCredentials: false,
      failureDetails: false,
      maskCredentials: false,
      simulated: false,
      versions: null,
    };
    this.workflows.set(id, { id, organizationId: "org_a", disabled: false, ...flags, ...row });
  }
  async #answer(): Promise<void> {
    if (this.mode === "fails") throw new Error("connection refused at 10.0.0.1");
    if (this.mode === "hangs") await new Promise(() => {});
  }
}

function rig() {
  const clock = new FakeClock();
  const store = new MemoryStore();
  store.addToken(GOOD);
  store.addToken(OTHER_ORGS, { id: "tok_b", organizationId: "org_b" });
  store.addWorkflow("wfl_a");
  store.addWorkflow("wfl_b", { organizationId: "org_b" });
  store.addWorkflow("wfl_off", { disabled: true });
  const authenticator = createAuthenticator({ store, clock });
  const authenticate = async (token: string | undefined, workflow: string | undefined) =>
    authenticator.resolveCaller(await authenticator.resolveToken(token), workflow);
  const access = { ...authenticator, authenticate };
  /** The fault, whether it is thrown or a promise rejects with it. */
  async function refusal(token: string | undefined, workflow: string | undefined): Promise<Fault> {
    try {
      await access.authenticate(token, workflow);
    } catch (thrown) {
      assert.ok(thrown instanceof Fault);
      return thrown;
    }
    return assert.fail("it was let in");
  }
  return { clock, store, access, refusal };
}

test("a good token and a workflow of its organization make a caller", async () => {
  const { access, store } = rig();
  assert.deepEqual(await access.authenticate(GOOD, "wfl_a"), {
    organizationId: "org_a",
    tokenId: "tok_a",
    workflow: store.workflows.get("wfl_a"),
  });
});

test("a known caller costs no look-up", async () => {
  const { access, store } = rig();
  await access.authenticate(GOOD, "wfl_a");
  store.asked.length = 0;
  await access.authenticate(GOOD, "wfl_a");
  assert.deepEqual(store.asked, []);
});

test("a token is judged before its workflow is known", async () => {
  const { access, store } = rig();
  const grant = await access.resolveToken(GOOD);
  assert.deepEqual(store.asked, ["token"]);
  const caller = await access.resolveCaller(grant, "wfl_a");
  assert.equal(caller.workflow.id, "wfl_a");
});

const BAD_TOKENS: readonly [string, (store: MemoryStore, clock: FakeClock) => string | undefined, string][] = [
  ["none", () => undefined, "missing"],
  ["an empty one", () => "", "missing"],
  ["another prefix", () => `ghp_${GOOD.slice(4)}`, "shape"],
  ["10 KB", () => GOOD + "x".repeat(10_000), "shape"],
  ["more than text can be", () => "drt_".padEnd(257, "a"), "shape"],
  ["letters that are not ASCII", () => `${GOOD.slice(0, -1)}é`, "shape"],
  ["CR and LF", () => `${GOOD}\r\n`, "shape"],
  ["a typo", () => GOOD.slice(0, 10) + (GOOD[10] === "a" ? "b" : "a") + GOOD.slice(11), "shape"],
  ["__proto__", () => "__proto__", "shape"],
  ["an unknown one", () => makeAccessToken(), "token_unknown"],
  ["a revoked one", (store) => (store.addToken(GOOD, { revoked: true }), GOOD), "token_revoked"],
  [
    "one of a disabled organization",
    (store) => (store.addToken(GOOD, { organizationDisabled: true }), GOOD),
    "organization_disabled",
  ],
  ["an expired one", (store, clock) => (store.addToken(GOOD, { expiresWallAt: clock.wall() }), GOOD), "token_expired"],
  [
    "one whose row has another digest",
    (store) => (store.tokens.set(tokenDigest(GOOD), { ...store.tokens.get(tokenDigest(OTHER_ORGS))! }), GOOD),
    "token_unknown",
  ],
];

for (const [what, make, reason] of BAD_TOKENS) {
  test(`a token that is ${what} is refused with the one answer, and its reason is for the log`, async () => {
    const { clock, store, refusal } = rig();
    const token = make(store, clock);
    for (const repeat of ["asked", "remembered"]) {
      const fault = await refusal(token, "wfl_a");
      assert.equal(fault.code, "request.unauthenticated");
      assert.equal(fault.says, "The access token or workflow is missing or was rejected.");
      assert.equal(fault.detail["reason"], reason, repeat);
    }
  });
}

const BAD_WORKFLOWS: readonly [string, string | undefined, string][] = [
  ["missing", undefined, "missing"],
  ["empty", "", "missing"],
  ["unknown", "wfl_x", "workflow"],
  ["another organization's", "wfl_b", "workflow"],
  ["disabled", "wfl_off", "workflow"],
  ["__proto__", "__proto__", "workflow"],
  ["long", "w".repeat(129), "workflow"],
  ["with a blank, as the key of another's", "x org_b wfl_b", "workflow"],
  ["with NUL", "wfl_\0", "workflow"],
  ["a lone surrogate", "wfl_\ud800", "workflow"],
];

for (const [what, workflow, reason] of BAD_WORKFLOWS) {
  test(`a workflow that is ${what} is refused with the same answer as a bad token`, async () => {
    const { refusal } = rig();
    const byToken = await refusal(makeAccessToken(), "wfl_a");
    for (const repeat of ["asked", "remembered"]) {
      const fault = await refusal(GOOD, workflow);
      assert.equal(fault.code, byToken.code);
      assert.equal(fault.says, byToken.says);
      assert.equal(fault.detail["reason"], reason, repeat);
      assert.equal(fault.detail["tokenId"], "tok_a");
    }
  });
}

test("a workflow that no database should see is not asked for", async () => {
  const { store, refusal } = rig();
  for (const workflow of ["wfl_\0", "wfl_\ud800", "wfl_\n", "wfl é", "w".repeat(129)]) await refusal(GOOD, workflow);
  assert.deepEqual(store.asked, ["token"]);
});

test("unknown, revoked and expired tokens are looked up at the very same moments", async () => {
  const patterns = await Promise.all(
    ["unknown", "revoked", "expired"].map(async (kind) => {
      const { clock, store, refusal } = rig();
      if (kind === "unknown") store.tokens.clear();
      if (kind === "revoked") store.addToken(GOOD, { revoked: true });
      if (kind === "expired") store.addToken(GOOD, { expiresWallAt: 1 });
      const lookups: number[] = [];
      for (let use = 0; use < 30; use += 1) {
        await refusal(GOOD, "wfl_a");
        lookups.push(store.asked.length);
        await clock.advance(700);
      }
      return lookups;
    }),
  );
  assert.deepEqual(patterns[1], patterns[0]);
  assert.deepEqual(patterns[2], patterns[0]);
});

test("unknown, disabled and foreign workflows are looked up at the very same moments, also when their owner uses them", async () => {
  const patterns = await Promise.all(
    ["wfl_x", "wfl_off", "wfl_b"].map(async (workflow) => {
      const { clock, store, access, refusal } = rig();
      await access.authenticate(OTHER_ORGS, "wfl_b");
      const lookups: number[] = [];
      for (let use = 0; use < 30; use += 1) {
        const before = store.asked.filter((asked) => asked === workflow).length;
        await refusal(GOOD, workflow);
        lookups.push(store.asked.filter((asked) => asked === workflow).length - before);
        await clock.advance(700);
      }
      return lookups;
    }),
  );
  assert.deepEqual(patterns[1], patterns[0]);
  assert.deepEqual(patterns[2], patterns[0]);
});

test("no organization ever gets another's workflow", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ own: fc.boolean(), ms: fc.nat(6_000) }), { maxLength: 20 }), async (uses) => {
      const { clock, access, refusal } = rig();
      for (const { own, ms } of uses) {
        if (own) assert.equal((await access.authenticate(OTHER_ORGS, "wfl_b")).organizationId, "org_b");
        else assert.equal((await refusal(GOOD, "wfl_b")).code, "request.unauthenticated");
        await clock.advance(ms);
      }
    }),
    { numRuns: 30 },
  );
});

test("a revocation counts from the next request once the store's version has changed", async () => {
  const { access, store, refusal } = rig();
  await access.authenticate(GOOD, "wfl_a");
  store.addToken(GOOD, { revoked: true });
  store.changes += 1;
  assert.equal((await refusal(GOOD, "wfl_a")).detail["reason"], "token_revoked");
});

test("a revocation that was not announced counts within ten seconds of traffic", async () => {
  const { access, store, clock, refusal } = rig();
  await access.authenticate(GOOD, "wfl_a");
  store.addToken(GOOD, { revoked: true });
  await clock.advance(10_000);
  assert.equal((await refusal(GOOD, "wfl_a")).detail["reason"], "token_revoked");
});

test("a disabled workflow is refused, and let in again once it is enabled", async () => {
  const { access, store, refusal } = rig();
  await access.authenticate(GOOD, "wfl_a");
  store.addWorkflow("wfl_a", { disabled: true });
  store.changes += 1;
  await refusal(GOOD, "wfl_a");
  store.addWorkflow("wfl_a");
  store.changes += 1;
  assert.equal((await access.authenticate(GOOD, "wfl_a")).workflow.disabled, false);
});

test("an expiry counts at its moment by the wall clock, whatever is remembered", async () => {
  const { access, store, clock, refusal } = rig();
  store.addToken(GOOD, { expiresWallAt: clock.wall() + 3_000 });
  await access.authenticate(GOOD, "wfl_a");
  await clock.advance(2_999);
  assert.ok(await access.authenticate(GOOD, "wfl_a"));
  await clock.advance(1);
  assert.equal((await refusal(GOOD, "wfl_a")).detail["reason"], "token_expired");
});

test("a jump of the wall clock neither freshens nor ages what is remembered", async () => {
  const { access, store, clock } = rig();
  await access.authenticate(GOOD, "wfl_a");
  store.asked.length = 0;
  clock.jumpWall(-86_400_000);
  await access.authenticate(GOOD, "wfl_a");
  clock.jumpWall(2 * 86_400_000);
  await access.authenticate(GOOD, "wfl_a");
  assert.deepEqual(store.asked, []);
});

for (const mode of ["fails", "hangs"] as const) {
  test(`while the store ${mode}, known callers are served for five minutes and unseen ones get 500, not 401`, async () => {
    const { access, store, clock, refusal } = rig();
    await access.authenticate(GOOD, "wfl_a");
    store.mode = mode;
    const unseen = refusal(OTHER_ORGS, "wfl_b");
    await clock.advance(500);
    assert.equal((await unseen).code, "request.store_unavailable");
    for (let seconds = 0; seconds < 270; seconds += 30) {
      const caller = access.authenticate(GOOD, "wfl_a");
      await clock.advance(1_500);
      assert.equal((await caller).tokenId, "tok_a");
      await clock.advance(28_500);
    }
    await clock.advance(60_000);
    const late = refusal(GOOD, "wfl_a");
    await clock.advance(500);
    assert.equal((await late).code, "request.store_unavailable");
  });
}

test("a store that is down says nothing of itself to the client", async () => {
  const { store, refusal } = rig();
  store.mode = "fails";
  const fault = await refusal(GOOD, "wfl_a");
  assert.doesNotMatch(fault.says, /10\.0\.0\.1|refused/);
  assert.match(String(fault.cause), /connection refused/, "but to the log");
});

test("requests that arrive together cost one look-up of the token and one of the workflow", async () => {
  const { access, store } = rig();
  await Promise.all(Array.from({ length: 50 }, async () => access.authenticate(GOOD, "wfl_a")));
  assert.deepEqual(store.asked, ["token", "wfl_a"]);
});

test("a flood of wrong tokens evicts no good one and remembers a bounded number", async () => {
  const { access, store, refusal } = rig();
  await access.authenticate(GOOD, "wfl_a");
  for (let wrong = 0; wrong < 12_000; wrong += 1) await refusal(makeAccessToken(), "wfl_a");
  store.asked.length = 0;
  await access.authenticate(GOOD, "wfl_a");
  assert.deepEqual(store.asked, []);
  assert.ok(access.stats().tokens.absent <= 10_000);
  assert.equal(access.stats().tokens.found, 1);
});

test("mistyped tokens cost no look-up at all", async () => {
  const { store, refusal } = rig();
  for (let wrong = 0; wrong < 100; wrong += 1)
    await refusal(`${GOOD.slice(0, 47)}${String(wrong).padStart(6, "0")}`, "wfl_a");
  assert.deepEqual(store.asked, []);
});

test("only a token that authenticated a caller counts as used, and closing writes it to the store", async () => {
  const { access, store, refusal } = rig();
  await access.authenticate(GOOD, "wfl_a");
  await access.authenticate(GOOD, "wfl_a");
  await refusal(OTHER_ORGS, "wfl_a");
  await settle();
  assert.deepEqual(store.uses, []);
  await access.close();
  assert.deepEqual(store.uses, ["tok_a"]);
});

test("token and workflow have 500 ms of waiting between them, not each", async () => {
  const { clock, store, access } = rig();
  const find = store.findToken.bind(store);
  store.findToken = async (digest) => {
    await new Promise<void>((resolve) => clock.after(400, resolve));
    return await find(digest);
  };
  store.findWorkflow = () => new Promise(() => {});
  const refused: Fault[] = [];
  Promise.resolve(access.authenticate(GOOD, "wfl_a")).catch((fault: Fault) => refused.push(fault));
  await clock.advance(499);
  assert.deepEqual(refused, []);
  await clock.advance(1);
  assert.deepEqual(
    refused.map(({ code }) => code),
    ["request.store_unavailable"],
  );
});
