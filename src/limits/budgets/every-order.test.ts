import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { Reservation } from "../../run/middleware/ports.ts";
import { settle } from "../../terms/time/clock.kit.ts";
import type { Price } from "../../terms/money/price.ts";
import { EURO, send, SPENDER, stand, usedOf } from "./memory-budgets.kit.ts";

interface Sent {
  readonly reserved: Reservation;
  readonly price: Price;
  isSent: boolean;
}

test("a limit is never exceeded and can be used up, for any prices and any order of what becomes of requests", async () => {
  const limit = 150n;
  const step = fc.record({
    kind: fc.constantFrom("reserve", "reserve", "reserve", "send", "yes", "no", "cancel", "pass"),
    source: fc.nat(2),
    count: fc.integer({ min: 1, max: 20 }),
    price: fc.constantFrom(1n, 1n, 1n, 2n),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const { clock, open } = await stand({ limit, currency: "EUR" });
      const budgets = open();
      const under: Sent[] = [];
      let spent = 0n;
      const taken = () => under.reduce((sum, { price }) => sum + price.amount, spent);
      let number = 0;
      const sendOne = (one: Sent) => {
        one.isSent = true;
        send(one.reserved, `trx_2/${(number += 1)}/1`, one.price);
      };
      const tryOne = async (source: number, price: Price) => {
        const found = (await budgets.find({ ...SPENDER, source: `source_${source}` }))!;
        try {
          under.push({ reserved: await found.reserve(price, clock.now() + 1_000), price, isSent: false });
          return true;
        } catch {
          return false;
        }
      };
      for (const { kind, source, count, price } of steps) {
        if (kind === "pass") await clock.advance(count * 10);
        else if (kind === "reserve")
          for (let made = 0; made < count; made += 1) await Promise.race([tryOne(source, EURO(price)), settle()]);
        else if (kind === "send")
          under
            .filter(({ isSent }) => !isSent)
            .slice(0, count)
            .forEach(sendOne);
        else {
          const some = under.filter(({ isSent }) => isSent || kind === "cancel").slice(0, count);
          for (const one of some) {
            under.splice(under.indexOf(one), 1);
            if (kind === "cancel") one.reserved.cancel();
            else one.reserved.settle(kind as "yes" | "no", one.price);
            if (kind === "yes") spent += one.price.amount;
          }
        }
        assert.ok(taken() <= limit, `${taken()} of ${limit}`);
        assert.equal(usedOf(budgets), taken());
      }
      await clock.advance(1_100);
      let more = limit - taken();
      while (more > 0n && (await tryOne(Number(more % 3n), EURO(1n)))) {
        more -= 1n;
        if (more % 50n === 0n) await clock.advance(20);
      }
      assert.equal(more, 0n);
      assert.equal(await tryOne(0, EURO(1n)), false);
      assert.equal(usedOf(budgets), limit);
    }),
    { numRuns: 30 },
  );
});
