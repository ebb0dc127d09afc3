import assert from "node:assert/strict";
import { test } from "node:test";
import { newStoreDatabase } from "../../../../../test/postgres/shared-postgres.ts";
import { ACT, aCredential, anOrganization } from "../../../../storage/engines.kit.ts";
import { openStore } from "../../../../storage/store.ts";
import { systemClock } from "../../../../terms/time/clock.ts";
import { OperatorError } from "../../../../terms/operator-error.ts";
import { runVerb } from "../../../run-verb.ts";
import remove from "./remove.ts";
import set from "./set.ts";

/** Tries both orders many times, because the database decides which of two changes comes first. */
const ROUNDS = 20;

for (const [name, given, verb] of [
  ["set again in another currency", { amount: "0.40", currency: "USD" }, set],
  ["removed", {}, remove],
] as const)
  test(`a step that is added while its price is ${name} fits its price, or is refused`, async (t) => {
    const databaseUrl = await newStoreDatabase(t);
    const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
    t.after(() => store.close());
    await store.ready();
    const org = await anOrganization(store);
    const does = (what: typeof set, input: object) =>
      runVerb("test", what, input, {
        clock: systemClock,
        actor: ACT,
        note: () => {},
        store: async () => store.admin,
        sources: async () => ({
          find: () => undefined,
          ids: () => [],
          placeOf: () => undefined,
          isBroken: () => false,
        }),
      });
    for (let round = 0; round < ROUNDS; round += 1) {
      const credential = aCredential(org);
      await store.admin.createCredential(ACT, credential);
      const of = { cred_id: credential.id, from: "2026-01-01" };
      await does(set, { ...of, amount: "0.35", currency: "EUR" });
      const step = () => does(set, { ...of, amount: "0.28", currency: "EUR", above: 1_000 });
      const other = () => does(verb, { ...of, ...given });
      const ended = await Promise.allSettled(round % 2 === 0 ? [step(), other()] : [other(), step()]);
      for (const one of ended)
        if (one.status === "rejected") assert.ok(one.reason instanceof OperatorError, String(one.reason));
      const prices = await store.admin.prices(credential.id);
      const basic = prices.find(({ above }) => above === 0);
      for (const { currency } of prices) assert.equal(currency, basic?.currency);
    }
  });
