import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import fc from "fast-check";
import type { AdminStore } from "../../src/admin/ports.ts";
import { findVerbs } from "../../src/admin/find-verbs.ts";
import type { GivenToVerbs } from "../../src/admin/needs.ts";
import { runVerb, streamVerb, type StreamedVerb } from "../../src/admin/run-verb.ts";
import { openRootKeys } from "../../src/credentials/root-keys.kit.ts";
import { createSealer } from "../../src/credentials/sealer.ts";
import { createSchemas } from "../../src/terms/schema/author-schemas.ts";
import { toRunnable } from "../../src/sources/runnable.ts";
import { ENGINES } from "../../src/storage/both-engines.kit.ts";
import type { EngineUnderTest } from "../../src/storage/engines.kit.ts";
import type { JsonObject } from "../../src/terms/json/json.ts";
import { OperatorError } from "../../src/terms/operator-error.ts";
import { systemClock } from "../../src/terms/time/clock.ts";

const SOURCES = ["acme__people", "acme__firms"].map((id) =>
  toRunnable(
    {
      id,
      title: id,
      charge: "per_call",
      inputs: { type: "object", properties: {} },
      credentials: { type: "object", properties: { api_key: { type: "string" } }, required: ["api_key"] },
      run: () => null,
    },
    createSchemas(),
    "now",
  ),
);

async function openState(engine: EngineUnderTest, t: TestContext) {
  const store = await (await engine.newStore(t))();
  const directory = mkdtempSync(join(tmpdir(), "datarun-state-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const keyStore = { ...store.credentials, ...store.keys };
  const rootKeys = await openRootKeys({ variable: undefined, directory, store: store.keys });
  let interference: { reads: number; readonly of: string; readonly when: string; act(): Promise<unknown> } | null =
    null;
  const reading = async (name: "operators" | "lastChange", when: string): Promise<void> => {
    if (interference?.of !== name || interference.when !== when || (interference.reads -= 1) > 0) return;
    const { act } = interference;
    interference = null;
    await act();
  };
  const admin: AdminStore = {
    ...store.admin,
    async operators() {
      const found = await store.admin.operators();
      await reading("operators", "before");
      return found;
    },
    async lastChange() {
      await reading("lastChange", "before");
      const found = await store.admin.lastChange();
      await reading("lastChange", "after");
      return found;
    },
  };
  const given: GivenToVerbs = {
    clock: systemClock,
    actor: { who: "ada", via: "api" },
    note: () => {},
    store: async () => admin,
    sources: async () => ({
      ids: () => SOURCES.map(({ id }) => id),
      find: (id) => SOURCES.find((source) => source.id === id),
      placeOf: () => undefined,
      isBroken: () => false,
    }),
    functions: () => Promise.reject(new Error("no functions")),
    storedVersions: () => Promise.reject(new Error("no versions")),
    sealer: async () => createSealer({ store: keyStore, rootKeys, clock: systemClock }),
    ledger: () => Promise.reject(new OperatorError("not_found", "There is no ledger yet.")),
  };
  const verbs = findVerbs();
  const run = async (name: string, input: object) => runVerb(name, await verbs.load(name), input, given);
  return {
    store,
    run,
    /** Acts once, at this read of the store by the next `apply`. */
    interfere(of: "operators" | "lastChange", reads: number, act: () => Promise<unknown>, when = "before"): void {
      interference = { of, reads, act, when };
    },
    plan: async (state: string) => (await run("state plan", { state, prune: true }))["changes"] as unknown as object[],
    apply: (state: string) => run("state apply", { state, prune: true, secrets: { "env:KEY": "a secret" } }),
    async exported(): Promise<string> {
      const verb = (await verbs.load("state export")) as StreamedVerb;
      const { pieces } = await streamVerb("state export", verb, {}, given);
      let text = "";
      for await (const piece of pieces) text += String(piece);
      return text;
    },
  };
}

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const name = fc.constantFrom("One", "Two");

/** Each key at most once. */
const keyed = <Entry extends object>(keys: readonly string[], entry: (key: string) => fc.Arbitrary<Entry>) =>
  fc
    .tuple(...keys.map((key) => maybe(entry(key).map((rest) => ({ key, ...rest })))))
    .map((entries) => entries.filter((each) => each !== undefined));

const workflows = keyed(["w", "x"], () =>
  fc.record({
    name: maybe(name),
    disabled: maybe(fc.boolean()),
    auto_credentials: maybe(fc.boolean()),
    failure_details: maybe(fc.boolean()),
    mask_credentials: maybe(fc.boolean()),
    simulated: maybe(fc.boolean()),
  }),
);

const priceOn = (from: string) =>
  fc
    .record({
      from: fc.constant(from),
      currency: fc.constantFrom("EUR", "USD"),
      per: maybe(fc.constantFrom("call", "match")),
      time_zone: maybe(fc.constantFrom("UTC", "Europe/Berlin", "America/New_York")),
      amounts: fc
        .subarray([0, 100, 2_000])
        .chain((steps) =>
          fc.tuple(
            ...[0, ...steps.filter((step) => step > 0)].map((above) =>
              fc.tuple(fc.constant(above), fc.constantFrom("0.1", "2.5")),
            ),
          ),
        ),
    })
    .map(({ amounts, ...price }) =>
      amounts.map(([above, amount]) => ({ ...price, amount, ...(above > 0 && { above }) })),
    );

const prices = fc
  .tuple(maybe(priceOn("2026-01-01")), maybe(priceOn("2026-03-29")))
  .map((days) => days.flatMap((day) => day ?? []));

const credentials = keyed(["c", "d"], (key) =>
  fc.record({
    name: maybe(name),
    source: fc.constantFrom("acme__people", "acme__firms"),
    fields: fc.constant({ api_key: "${env:KEY}" }),
    // Never in the same context as the other one.
    contexts: fc.constant(key === "c" ? ["prod"] : ["dev", "test"]),
    regions: maybe(fc.subarray(["eu", "us"])),
    default: maybe(fc.boolean()),
    disabled: maybe(fc.boolean()),
    note: maybe(name),
    revision: maybe(fc.constantFrom(1, 2)),
    prices: maybe(prices),
  }),
);

const tokens = keyed(["t", "u"], () => fc.record({ name: maybe(name), expires_in: maybe(fc.constant("90d")) }));

const organizations = keyed(["a", "b"], () =>
  fc.record({ name, disabled: maybe(fc.boolean()), workflows, credentials, tokens }).chain((organization) => {
    const refer = (list: readonly { readonly key: string }[]) =>
      list.length === 0 ? fc.constant(undefined) : maybe(fc.constantFrom(...list.map(({ key }) => key)));
    const budgets = keyed(["m", "n"], () =>
      fc.record({
        workflow: refer(organization.workflows),
        credential: refer(organization.credentials),
        per: fc.constantFrom("day", "month"),
        time_zone: maybe(fc.constantFrom("UTC", "Asia/Tokyo")),
        calls: fc.constantFrom(5, 1_000),
        warn: maybe(fc.constantFrom(50, 80)),
      }),
    ).map((list) => {
      const scopes = list.map(({ workflow, credential, per, time_zone = "UTC" }) =>
        [workflow, credential, per, time_zone].join(),
      );
      return list.filter((_, at) => scopes.indexOf(scopes[at]!) === at);
    });
    return budgets.map((list) => ({ ...organization, budgets: list }));
  }),
);

const operators = keyed(["o", "p"], () =>
  fc.record({ name: fc.constantFrom("grace", "alan"), role: fc.constantFrom("viewer", "operator", "owner") }),
).map((list) => list.filter(({ name: own }, at) => list.findIndex((other) => other.name === own) === at));

/** JSON is YAML. */
const state = fc.record({ organizations, operators }).map((file) => JSON.stringify({ version: 1, ...file }, null, 1));

const problemOf = ({ problem }: JsonObject): string => (typeof problem === "string" ? problem : "none");

for (const engine of ENGINES) {
  test(`${engine.name}: any state is reached from any other, applying it again changes nothing, and its export is that state`, async (t) => {
    const { apply, plan, exported } = await openState(engine, t);
    await fc.assert(
      fc.asyncProperty(state, async (file) => {
        // The store has the state of the run before.
        const { problem } = await apply(file);
        assert.equal(problem, null);
        assert.deepEqual(await plan(file), []);
        const again = await apply(file);
        assert.deepEqual([again["changes"], again["problem"]], [[], null]);
        const text = await exported();
        assert.deepEqual(await plan(text), [], text);
        assert.doesNotMatch(text, /a secret|drt_|dop_/);
      }),
      { numRuns: 12 },
    );
  });

  test(`${engine.name}: the object and its key are recorded together, and several that apply a file create it once`, async (t) => {
    const { apply, store, run } = await openState(engine, t);
    const file = JSON.stringify({ version: 1, organizations: [{ key: "a", name: "Acme" }] });
    // Those that have compared the file before another one created the object are refused.
    const all = await Promise.all([1, 2, 3, 4].map(() => apply(file)));
    assert.ok(all.some(({ problem }) => problem === null));
    assert.equal((await store.admin.organizations()).length, 1);
    const [entry] = await store.admin.auditEntries({ what: "org create" });
    assert.equal(entry?.detail["state_file"], all[0]!["file_digest"]);
    assert.equal(entry?.detail["state_key"], "a");
    const { changes } = await run("state plan", { state: file });
    assert.deepEqual(changes, []);
  });

  test(`${engine.name}: of two different files that are applied at once, one is applied and the other changes nothing`, async (t) => {
    const { apply, plan } = await openState(engine, t);
    const fileOf = (text: string, calls: number) =>
      JSON.stringify({
        version: 1,
        organizations: ["a", "b"].map((key) => ({
          key,
          name: text,
          workflows: [{ key: "w", name: text }],
          tokens: [{ key: "t" }],
          budgets: [{ key: "m", workflow: "w", per: "day", calls }],
        })),
      });
    await apply(fileOf("Before", 1));
    const files = [fileOf("One", 2), fileOf("Two", 3)];
    const all = await Promise.all(files.map((file) => apply(file)));
    const applied = all.findIndex(({ problem }) => problem === null);
    const refused = all[1 - applied]!;
    assert.notEqual(applied, -1);
    assert.match(problemOf(refused), /changed/);
    assert.deepEqual(refused["changes"], []);
    assert.deepEqual(await plan(files[applied]!), []);
  });

  test(`${engine.name}: an object that somebody changes while a file is applied is not overwritten, and other people's work is no obstacle`, async (t) => {
    const { apply, run, store, interfere } = await openState(engine, t);
    const fileOf = (text: string) =>
      JSON.stringify({ version: 1, organizations: ["a", "b"].map((key) => ({ key, name: `${text} ${key}` })) });
    await apply(fileOf("Before"));
    const organizations = async () => (await store.admin.organizations()).map(({ name: one }) => one).toSorted();
    const { id } = (await store.admin.organizations()).find(({ name: one }) => one === "Before b")!;
    const byHand = () => run("org rename", { org: id, name: "By hand" });

    interfere("operators", 1, byHand);
    const refused = await apply(fileOf("After"));
    assert.match(problemOf(refused), /^organization a: Somebody else has changed/);
    assert.deepEqual([refused["changes"], await organizations()], [[], ["Before a", "By hand"]]);

    await apply(fileOf("Before"));
    interfere("operators", 1, () => run("org create", { name: "Other" }));
    assert.equal((await apply(fileOf("After")))["problem"], null);
    assert.deepEqual(await organizations(), ["After a", "After b", "Other"]);

    // Before the second change; the last look at the store is before each.
    interfere("lastChange", 3, byHand);
    const stopped = await apply(fileOf("Later"));
    assert.match(problemOf(stopped), /^organization b: Somebody else has changed/);
    assert.deepEqual(await organizations(), ["By hand", "Later a", "Other"]);

    // Services register the versions that they load.
    const texts = async () => ({ content: "", source: {} });
    const version = { kind: "source", id: "acme__people", digest: "digest", origin: "project", texts } as const;
    const deployed = { wallAt: 1, build: null, deployedBy: null };
    interfere("lastChange", 2, () => store.admin.registerVersions([version], deployed), "after");
    assert.equal((await apply(fileOf("Last")))["problem"], null);

    // After that look, before the transaction.
    await apply(fileOf("Before"));
    interfere("lastChange", 2, byHand, "after");
    assert.match(problemOf(await apply(fileOf("After"))), /^organization a: The store was changed meanwhile/);
    assert.deepEqual(await organizations(), ["Before a", "By hand", "Other"]);
  });
}
