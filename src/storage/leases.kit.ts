import type { SharedLimit } from "../run/middleware/ports.ts";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { grantUnits } from "../limits/sources/grant-units.ts";
import type { LeaseAsk } from "../limits/sources/ports.ts";
import type { EngineUnderTest } from "./engines.kit.ts";

const RATE: SharedLimit = { name: "rate", max: 100, everyMs: 1e12, useMsMax: 0 };
const UNITS: SharedLimit = { name: "units", max: 10, everyMs: null, useMsMax: 1_000 };

function anAsk(limit: SharedLimit, parts: Partial<LeaseAsk> = {}): LeaseAsk {
  const none = { held: [], need: 0, spare: 0, ahead: 0, isDurable: false };
  return { limit, lease: "s1/1", process: "p1", sequence: 1, ...none, ...parts };
}

/** Fields of a rule's result that the store does not keep. */
const ENDED = { others: 0, part: 0, hasRivals: false };

export function leasesContract(engine: EngineUnderTest): void {
  describe(`leases on ${engine.name}`, () => {
    test("processes that ask at the same moment are never granted more than the limit together", async (t) => {
      const openAgain = await engine.newStore(t);
      const stores = [await openAgain(), await openAgain(), await openAgain()];
      let granted = 0;
      for (let sequence = 1; sequence <= 8; sequence += 1) {
        const asked = stores.flatMap((store, at) =>
          [1, 2].map((lease) => {
            const ask = (id: number) => anAsk(RATE, { lease: `s${at}-${sequence}/${id}`, process: `p${at}`, need: 2 });
            return store.leases.exchange([anAsk(UNITS), ask(lease), ask(lease + 2)], grantUnits);
          }),
        );
        const answers = await Promise.all(asked);
        granted += answers.flatMap((each) => each.slice(1)).reduce((sum, { grants }) => sum + grants[0]!.amount, 0);
      }
      assert.equal(granted, RATE.max, "96 leases wanted two each");
    });

    test("a delayed ask changes nothing after a later one, and a lost answer is asked for again", async (t) => {
      const store = await (await engine.newStore(t))();
      const amounts = async (ask: Partial<LeaseAsk>) => {
        const [answer] = await store.leases.exchange([anAsk(UNITS, ask)], grantUnits);
        return [answer!.grants[0]!.amount, answer!.grants[0]!.others];
      };
      assert.deepEqual(await amounts({ sequence: 2, need: 6 }), [6, 0]);
      await amounts({ sequence: 1, need: 1 });
      assert.deepEqual(await amounts({ lease: "s2/1", process: "p2", need: 9 }), [4, 6]);
      assert.deepEqual(await amounts({ sequence: 3, held: [{ window: -1, amount: 2, used: 2 }] }), [2, 4]);
    });

    test("an ask that is repeated gets what it was given, whatever has become free since", async (t) => {
      const store = await (await engine.newStore(t))();
      for (const limit of [UNITS, RATE]) {
        const other = { lease: "s2/1", process: "p2" };
        const amounts = async (ask: Partial<LeaseAsk>) =>
          (await store.leases.exchange([anAsk(limit, ask)], grantUnits))[0]!.grants.map(({ amount }) => amount);
        await amounts({ ...other, need: limit.max - 2, ahead: limit === RATE ? limit.max - 2 : 0 });
        const ask = { need: 5, ahead: limit === RATE ? 5 : 0 };
        const given = await amounts(ask);
        await amounts({ ...other, sequence: 2 });
        assert.deepEqual(await amounts(ask), given);
      }
    });

    test("units in use at once are free again when their process has started again, and those of a window are not", async (t) => {
      const store = await (await engine.newStore(t))();
      const both = (parts: Partial<LeaseAsk>) =>
        store.leases.exchange([anAsk(UNITS, parts), anAsk(RATE, parts)], grantUnits);
      await both({ need: 5 });
      await both({ lease: "s2/1", need: 2 });

      // The first start sent the same request, and its message is late.
      await store.leases.freeUnits("p1", "s1");
      await store.leases.freeUnits("p1", "s2");
      const answers = await both({ lease: "s3/1", process: "p2" });

      assert.deepEqual(
        answers.map(({ grants }) => grants[0]!.others),
        [2, 7],
      );
    });

    test("a window is the one of the store's clock, and the next one can be asked for", async (t) => {
      const store = await (await engine.newStore(t))();
      const [answer] = await store.leases.exchange([anAsk(RATE, { need: 1, ahead: 2 })], grantUnits);
      const [now, next] = answer!.grants;
      assert.ok(Math.abs(answer!.now - Date.now()) < 60_000);
      assert.ok(now!.window <= answer!.now && answer!.now < now!.endsAt);
      assert.deepEqual([now!.window % RATE.everyMs!, next!.window, next!.amount], [0, now!.endsAt, 2]);
    });

    test("rows that are over are deleted, but not so many at once that limits stay locked for long", async (t) => {
      const { open, rowsOf } = await engine.newPlace(t);
      const store = await open();
      const made = Array.from({ length: 3_500 }, (_, at) => anAsk({ ...RATE, name: `made up ${at}` }));
      const over = ({ lease, sequence }: LeaseAsk, _rows: unknown, now: number) => [
        { lease, sequence, window: 0, amount: 1, wants: 0, grewAt: 0, endsAt: now - 2 * RATE.everyMs!, ...ENDED },
      ];
      await store.leases.exchange(made, over); // This already deletes a thousand rows.
      const again = await open();
      const left: number[] = [];
      for (let sequence = 1; sequence <= 3; sequence += 1) {
        await again.leases.exchange([anAsk(UNITS, { sequence })], grantUnits);
        left.push((await rowsOf("leases")).length);
      }
      assert.deepEqual(left, [1_501, 501, 1]);
    });
  });
}
