import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AuditEntry, ResettledRequest } from "../admin/ports.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { endLeases, keepLeases } from "../limits/budgets/keep-leases.ts";
import type { BudgetAsk } from "../limits/budgets/ports.ts";
import { type Budget, periodContaining } from "../terms/money/budget.ts";
import { newId } from "../terms/ids.ts";
import { DAY_MS, MINUTE_MS } from "../terms/time/durations.ts";
import { ACT, anOrganization, type EngineUnderTest } from "./engines.kit.ts";
import type { Store } from "./store.ts";

const MONTH = { per: "month", timeZone: "UTC" } as const;

function aBudget(organizationId: string, parts: Partial<Budget> = {}): Budget {
  return {
    id: newId("budget", ACT.wallAt),
    organizationId,
    workflowId: null,
    source: null,
    credentialId: null,
    per: "month",
    timeZone: "UTC",
    currency: null,
    limit: 100n,
    warnPercent: 80,
    setWallAt: ACT.wallAt,
    ...parts,
  };
}

async function withBudget(store: Store, parts: Partial<Budget> = {}): Promise<Budget> {
  const set = await store.admin.setBudget(ACT, aBudget(await anOrganization(store), parts));
  return set!.budget;
}

/** A time zone other than UTC in which no day, and so no month, begins or ends within an hour. */
function calmZone(): string {
  const hour = new Date().getUTCHours();
  return hour === 14 || hour === 15 ? "America/New_York" : "Asia/Tokyo";
}

function anAsk(budgetId: string, parts: Partial<BudgetAsk> & { readonly need?: bigint } = {}): BudgetAsk {
  const { need = 0n, ...ask } = parts;
  const wanted = { need, least: 1n, spare: 0n };
  const own = {
    lease: "s1",
    process: "p1",
    sequence: 1,
    periodFrom: null,
    keep: 0n,
    used: 0n,
    ends: false,
    hasEnded: false,
    isDurable: true,
  };
  return { budgetId, wanted, ...own, ...ask };
}

export function budgetsContract(engine: EngineUnderTest): void {
  describe(`budgets on ${engine.name}`, () => {
    test("processes that ask at the same moment are never granted more than the limit together", async (t) => {
      const openAgain = await engine.newStore(t);
      const stores = [await openAgain(), await openAgain(), await openAgain()];
      const { id } = await withBudget(stores[0]!);
      const other = await withBudget(stores[0]!);
      let granted = 0n;
      for (let sequence = 1; sequence <= 8; sequence += 1) {
        const asked = stores.flatMap((store, at) =>
          [1, 2].map((one) => {
            const parts = { lease: `s${at}-${sequence}-${one}`, process: `p${at}`, need: 3n };
            return store.budgets.exchange([anAsk(other.id, parts), anAsk(id, parts)], keepLeases);
          }),
        );
        granted += (await Promise.all(asked)).reduce((sum, answers) => sum + answers[1]!.amount, 0n);
      }
      assert.equal(granted, 100n, "48 leases wanted three each");
      const use = await stores[0]!.admin.budget(id);
      assert.deepEqual([use!.leased, use!.used], [100n, 0n]);
    });

    test("a delayed ask changes nothing after a later one, and the limit is the one that is set", async (t) => {
      const store = await (await engine.newStore(t))();
      const budget = await withBudget(store);
      const amount = async (ask: Parameters<typeof anAsk>[1]) => {
        const [answer] = await store.budgets.exchange([anAsk(budget.id, ask)], keepLeases);
        return answer!.amount;
      };
      const periodFrom = periodContaining(MONTH, Date.now()).from;
      assert.equal(await amount({ sequence: 2, need: 60n }), 60n);
      await amount({ sequence: 1, need: 1n });
      assert.equal(await amount({ lease: "s2", need: 50n }), 40n);
      assert.equal(await amount({ sequence: 3, periodFrom, keep: 60n, used: 20n }), 60n);
      await store.admin.setBudget(ACT, { ...budget, id: "bud_new", limit: 30n });
      assert.equal(await amount({ sequence: 4, periodFrom, keep: 60n, used: 20n }), 20n);
      // Units held in a past period do not count.
      assert.equal(await amount({ lease: "s3", periodFrom: 0, keep: 60n, used: 60n }), 0n);
      // A process that does not know its current units loses none.
      await store.admin.setBudget(ACT, { ...budget, limit: 100n });
      assert.equal(await amount({ sequence: 5, need: 1n }), 21n);
    });

    test("an ask that is repeated gets what it was given, whatever has become free since", async (t) => {
      const store = await (await engine.newStore(t))();
      const { id } = await withBudget(store);
      const amount = async (ask: Parameters<typeof anAsk>[1]) =>
        (await store.budgets.exchange([anAsk(id, ask)], keepLeases))[0]!.amount;
      await amount({ lease: "s2", process: "p2", need: 95n });
      assert.equal(await amount({ need: 50n }), 5n);
      await amount({ lease: "s2", process: "p2", sequence: 2, periodFrom: periodContaining(MONTH, Date.now()).from });
      assert.equal(await amount({ need: 50n }), 5n);
    });

    test("what a killed process has left is freed as far as it was not used, once or twice", async (t) => {
      const store = await (await engine.newStore(t))();
      const { id: budgetId } = await withBudget(store);
      const { id: other } = await withBudget(store);
      for (const [lease, process] of [
        ["s1", "p1"],
        ["s1'", "p1"],
        ["s2", "p2"],
      ] as const)
        await store.budgets.exchange(
          [anAsk(budgetId, { lease, process, need: 10n }), anAsk(other, { lease, process, need: 10n })],
          keepLeases,
        );
      const periodFrom = periodContaining(MONTH, Date.now()).from;
      const left = [{ start: "s1", sequence: 1, counts: [{ budgetId, periodFrom, lease: "s1", used: 4n }] }];
      for (let times = 0; times < 2; times += 1) {
        await store.budgets.recover({ process: "p1", start: "s3", left }, endLeases);
        const [use, rest] = [await store.admin.budget(budgetId), await store.admin.budget(other)];
        assert.deepEqual([use!.used, use!.leased, rest!.used, rest!.leased], [4n, 10n, 0n, 10n]);
      }
    });

    test("a usage log that is older than the store's rows is not used, and a process that continues reports the rest", async (t) => {
      const store = await (await engine.newStore(t))();
      const periodFrom = periodContaining(MONTH, Date.now()).from;
      const cases = [
        { sequence: 3, used: 4n, counted: 4n },
        { sequence: 2, used: 4n, counted: 10n },
        { sequence: 2, used: 12n, counted: 10n },
      ];
      for (const { sequence, used, counted } of cases) {
        const { id } = await withBudget(store);
        const asked = async (parts: Parameters<typeof anAsk>[1]) =>
          (await store.budgets.exchange([anAsk(id, parts)], keepLeases))[0]!;
        await asked({ sequence: 3, need: 10n });
        const left = [{ start: "s1", sequence, counts: [{ budgetId: id, periodFrom, lease: "s1", used }] }];
        await store.budgets.recover({ process: "p1", start: "s2", left }, endLeases);
        assert.equal((await store.admin.budget(id))!.used, counted);
        const use = { periodFrom, keep: 11n, used: 11n };
        // An earlier ask may have reported more than was used in the end.
        for (const ends of [false, true]) assert.equal((await asked({ sequence: 3, ...use, ends })).counted, counted);
        const all = counted > 11n ? counted : 11n;
        for (const again of [4, 5])
          assert.equal((await asked({ sequence: again, ...use, ends: true, hasEnded: true })).counted, all);
        assert.equal((await asked({ lease: "s3", process: "p3" })).othersUsed, 11n);
        assert.equal((await store.admin.budget(id))!.used, 11n);
      }
    });

    test("however often processes start, the rows of a budget are few, and count the same", async (t) => {
      const place = await engine.newPlace(t);
      const store = await place.open();
      const { id } = await withBudget(store, { limit: 1_000n });
      const use = async () => {
        const { used, leased, silent } = (await store.admin.budget(id))!;
        return [used, leased + silent, (await place.rowsOf("budget_leases")).length];
      };
      const ask = async (lease: string, parts: Parameters<typeof anAsk>[1]) =>
        (await store.budgets.exchange([anAsk(id, { lease, process: lease, ...parts })], keepLeases))[0]!;
      const { period } = await ask("gone", { need: 10n });
      const periodFrom = period.from;
      // Some starts are stopped. Others are killed, and each of them is recovered by the next start of its process.
      for (const start of ["a1", "a2", "a3"]) {
        await ask(start, { need: 5n });
        await ask(start, { sequence: 2, periodFrom, keep: 2n, used: 2n, ends: true });
        const late = await ask(start, { sequence: 1, periodFrom, keep: 5n, used: 1n });
        assert.deepEqual([late.counted, late.amount], [2n, 0n]);
      }
      for (const start of ["b1", "b2", "b3"]) {
        const left =
          start === "b2"
            ? [{ start: "b1", sequence: 1, counts: [{ budgetId: id, periodFrom, lease: "b1", used: 3n }] }]
            : [];
        for (let times = 0; times < 2; times += 1)
          await store.budgets.recover({ process: "b", start, left }, endLeases);
        await ask(start, { process: "b", need: 4n });
      }
      assert.deepEqual(await use(), [3n * 2n + 3n + 4n, 10n + 4n, 8]);
      await ask("d1", { need: 6n });
      // The process has not received the answer, and reports its units of the previous period.
      assert.equal((await ask("d1", { sequence: 2, periodFrom: 0, keep: 3n, used: 3n, ends: true })).amount, 0n);
      assert.deepEqual(await use(), [13n, 14n, 9]);
      const passed = (ms: number) => store.ledgerTables.query(`UPDATE budget_leases SET heard_at = heard_at - ${ms}`);
      await passed(61 * MINUTE_MS);
      await ask("c1", { need: 1n });
      assert.deepEqual(await use(), [13n, 15n, 4], "those that have ended are not needed any more");
      await passed(DAY_MS);
      assert.equal(
        (await ask("b3", { process: "b", sequence: 2, periodFrom, keep: 4n, used: 4n })).othersUsed,
        13n + 10n + 1n,
      );
      assert.deepEqual(await use(), [28n, 0n, 2], "what was silent for a day counts as used");
    });

    test("a period that has started before, and of which no rows are stored, starts with the ledger's sum", async (t) => {
      const store = await (await engine.newStore(t))();
      const [{ id }, other] = [await withBudget(store), await withBudget(store)];
      let sums = 0;
      const spentIn = async (budget: Budget) => {
        sums += 1;
        return budget.id === id ? 97n : 0n;
      };
      const ask = async (lease: string, need: bigint) => {
        const asks = [anAsk(id, { lease, process: lease, need }), anAsk(other.id, { lease, process: lease, need })];
        return (await store.budgets.exchange(asks, keepLeases, spentIn)).map((answer) => answer.amount);
      };
      assert.deepEqual([await ask("s1", 2n), sums], [[2n, 2n], 0], "a new one begins with nothing");
      // As when the clock has leapt and was set right.
      await store.ledgerTables.query("DELETE FROM budget_leases");
      assert.deepEqual(await ask("s2", 2n), [2n, 2n]);
      assert.deepEqual([await ask("s3", 2n), sums], [[1n, 2n], 2]);
      const use = (await store.admin.budget(id))!;
      assert.deepEqual([use.used, use.leased], [97n, 3n]);
    });

    test("units of processes without contact for a minute are listed separately", async (t) => {
      const store = await (await engine.newStore(t))();
      const { id } = await withBudget(store);
      const use = async () => {
        const { used, leased, silent } = (await store.admin.budget(id))!;
        return [used, leased, silent];
      };
      await store.budgets.exchange([anAsk(id, { need: 10n })], keepLeases);
      await store.ledgerTables.query(`UPDATE budget_leases SET heard_at = heard_at - ${MINUTE_MS + 1}`);
      await store.budgets.exchange([anAsk(id, { lease: "s2", process: "p2", need: 5n })], keepLeases);
      assert.deepEqual(await use(), [0n, 5n, 10n]);
      const [held, none] = [await store.admin.openBudgetLeases("p1"), await store.admin.openBudgetLeases("p3")];
      assert.deepEqual(
        held.map(({ budget, lease, amount, isSilent }) => [budget.id, lease, amount, isSilent]),
        [[id, "s1", 10n, true]],
      );
      assert.deepEqual(none, []);
    });

    test("a recount sets a budget to what the ledger has, and leaves what living processes hold", async (t) => {
      const store = await (await engine.newStore(t))();
      const { id, organizationId } = await withBudget(store, { currency: "EUR" });
      const ask = async (lease: string, parts: Parameters<typeof anAsk>[1]) =>
        (await store.budgets.exchange([anAsk(id, { lease, process: lease, ...parts })], keepLeases))[0]!;
      const { period } = await ask("dead.1", { need: 30n });
      const periodFrom = period.from;
      await ask("gone.1", { need: 20n });
      await ask("gone.1", { sequence: 2, periodFrom, keep: 20n, used: 20n, ends: true });
      await store.ledgerTables.query(`UPDATE budget_leases SET heard_at = heard_at - ${MINUTE_MS + 1}`);
      await ask("alive.1", { need: 12n });
      await ask("alive.1", { sequence: 2, periodFrom, keep: 12n, used: 9n });
      await ask("idle.1", { need: 3n });
      await ask("idle.1", { sequence: 2, periodFrom, keep: 3n, used: 3n });
      await store.ledgerTables.query(
        `UPDATE budget_leases SET heard_at = heard_at - ${MINUTE_MS + 1} WHERE lease = 'idle.1'`,
      );
      const line = (start: string | null, amount: bigint, currency = "EUR") => ({
        start,
        currency,
        requests: 1,
        amount,
      });
      const sums = {
        now: [
          line("dead", 4n),
          line("gone", 20n),
          line("alive", 5n),
          line("idle", 3n),
          line(null, 1n),
          line("dead", 50n, "USD"),
        ],
        recorded: [line("dead", 4n), line("gone", 20n), line("alive", 7n), line("idle", 3n), line(null, 1n)],
      };
      let asked = 0;
      const sumsOf = async () => {
        asked += 1;
        // A lease that ends meanwhile is counted in its final state.
        if (asked === 1) await ask("other.1", { need: 1n, ends: true });
        return sums;
      };
      const counted = (await store.admin.recountBudget(ACT, id, sumsOf))!;
      assert.equal(asked, 2);
      const told = ({ used, leased, silent }: typeof counted.after) => [used, leased, silent];
      assert.deepEqual([told(counted.before), counted.twice], [[32n, 3n, 30n], 0]);
      // Of the living lease's use, 2 are settled by hand as not charged, and 2 more are in progress.
      assert.deepEqual(told(counted.after), [4n + 20n + 5n + 3n + 1n - 7n + 9n, 3n, 0n]);
      assert.deepEqual(told((await store.admin.recountBudget(ACT, id, sumsOf))!.after), told(counted.after));
      // A lease that was only silent reports use that the ledger does not have yet.
      assert.equal((await ask("dead.1", { sequence: 3, periodFrom, keep: 30n, used: 6n })).counted, 4n);
      await ask("dead.1", { sequence: 4, periodFrom, keep: 6n, used: 6n, ends: true, hasEnded: true });
      assert.equal((await store.admin.budget(id))!.used, 37n);
      const idle = await ask("idle.1", { sequence: 3, periodFrom, keep: 3n, used: 3n, need: 1n });
      assert.deepEqual([idle.counted, idle.amount], [null, 4n], "one that holds nothing goes on");
      await ask("alive.1'", { need: 1n });
      assert.equal((await store.admin.recountBudget(ACT, id, sumsOf))!.twice, 1);
      assert.equal(await store.admin.recountBudget(ACT, "bud_none", sumsOf), null);
      const acts = await store.admin.auditEntries({ subjectId: id });
      assert.equal(acts.filter(({ organizationId: of }) => of === organizationId).length, 4);
    });

    test("setting a budget again changes its limit, and keeps its id and what was used", async (t) => {
      const store = await (await engine.newStore(t))();
      const budget = await withBudget(store, { source: "acme__people", currency: "EUR", limit: 500_000_000n });
      await store.budgets.exchange([anAsk(budget.id, { need: 350_000n })], keepLeases);
      const version = store.budgets.version();
      const set = await store.admin.setBudget(ACT, { ...budget, id: "bud_new", limit: 600_000_000n, warnPercent: 50 });
      assert.deepEqual(set, {
        budget: { ...budget, limit: 600_000_000n, warnPercent: 50, changedWallAt: ACT.wallAt },
        replaced: budget,
        inOtherZones: [],
      });
      for (const parts of [{ currency: "USD" }, { currency: null }, { per: "day" }, { source: null }] as const) {
        const id = newId("budget", ACT.wallAt);
        assert.equal((await store.admin.setBudget(ACT, { ...budget, id, ...parts }))!.replaced, null);
      }
      assert.equal((await store.budgets.budgetsFor(budget.organizationId)).length, 5);
      assert.equal((await store.admin.budget(budget.id))!.leased, 350_000n);
      assert.deepEqual(await store.admin.removeBudget(ACT, budget.id), set!.budget);
      assert.deepEqual(
        [await store.admin.removeBudget(ACT, budget.id), await store.admin.budget(budget.id)],
        [null, null],
      );
      const [answer] = await store.budgets.exchange([anAsk(budget.id, { need: 1n })], keepLeases);
      assert.deepEqual([answer!.budget, answer!.amount], [null, 0n]);
      assert.equal(typeof version, "number");
      assert.equal(await store.admin.setBudget(ACT, aBudget("org_nobody")), null);
    });

    test("in another time zone it is another budget, and without a zone the one that is there is meant", async (t) => {
      const store = await (await engine.newStore(t))();
      const inUtc = await withBudget(store);
      const zone = calmZone();
      const set = async (timeZone: string | null, parts: Partial<Budget> = {}) => {
        const id = newId("budget", ACT.wallAt);
        const { budget, replaced, inOtherZones } = (await store.admin.setBudget(ACT, {
          ...inUtc,
          ...parts,
          id,
          timeZone,
        }))!;
        return [budget.timeZone, replaced?.id ?? null, inOtherZones.map((other) => other.timeZone)];
      };
      assert.deepEqual(await set(null), ["UTC", inUtc.id, []]);
      assert.deepEqual(await set(zone), [zone, null, ["UTC"]]);
      assert.deepEqual(await set(null), ["UTC", inUtc.id, [zone]], "of several, that of UTC");
      const day = { per: "day" } as const;
      assert.deepEqual(await set(zone, day), [zone, null, []]);
      const [, id] = await set(null, day);
      assert.equal(typeof id, "string", "it is the only one, so it is set again");

      const period = periodContaining({ per: "day", timeZone: zone }, Date.now());
      assert.deepEqual((await store.admin.budget(id as string))!.period, period);
      const [answer] = await store.budgets.exchange([anAsk(id as string, { need: 2n })], keepLeases);
      assert.deepEqual([answer!.period, answer!.budget!.timeZone], [period, zone]);
      assert.equal((await store.admin.budget(id as string))!.leased, 2n);
    });

    test("a new budget counts what its period has cost so far, also after a recount, and an existing one does not", async (t) => {
      const store = await (await engine.newStore(t))();
      const zone = { timeZone: calmZone() };
      const organizationId = await anOrganization(store);
      const setWallAt = Date.now() - 20 * MINUTE_MS;
      const { from } = periodContaining({ per: "month", ...zone }, Date.now());
      const parts = { ...zone, setWallAt, currency: "EUR", limit: 1_000_000n };
      const soFar = { fromWallAt: from, used: 300_000n };
      const set = await store.admin.setBudget(ACT, { ...aBudget(organizationId, parts), soFar });
      const { id } = set!.budget;
      assert.equal(set!.budget.countsFromWallAt, from);
      assert.equal((await store.admin.budget(id))!.used, 300_000n);
      const again = await store.admin.setBudget(ACT, { ...aBudget(organizationId, parts), soFar });
      assert.deepEqual([again!.budget.id, (await store.admin.budget(id))!.used], [id, 300_000n]);

      // A lease counts only what was sent since.
      await store.budgets.exchange([anAsk(id, { need: 50_000n, used: 50_000n, keep: 50_000n })], keepLeases);
      const price = { amount: 100_000n, currency: "EUR" };
      const settle = (sentWallAt: number) =>
        store.admin.settleInBudgets(ACT, {
          organizationId,
          subjectId: `trx_${sentWallAt}`,
          detail: { state: "settled" },
          requests: () => [
            {
              spender: { organizationId, workflowId: "wfl_1", source: "acme__people", credentialId: null },
              sentWallAt,
              before: { charged: "unknown", price },
              after: { charged: "no", price },
            },
          ],
        });
      const before = (await store.admin.budget(id))!.used;
      // A request from about the time when the budget was set may not have been counted.
      assert.deepEqual(await settle(setWallAt - MINUTE_MS), []);
      assert.equal((await store.admin.budget(id))!.used, before);
      if (setWallAt - 10 * MINUTE_MS > from + 6 * MINUTE_MS) {
        assert.deepEqual(await settle(setWallAt - 10 * MINUTE_MS), [id]);
        assert.equal((await store.admin.budget(id))!.used, before - 100_000n);
      }
    });

    test("a decision on a charge is counted in the budgets that counted its request, and in no others", async (t) => {
      const store = await (await engine.newStore(t))();
      const budget = await withBudget(store, {
        currency: "EUR",
        limit: 1_000_000n,
        timeZone: calmZone(),
        setWallAt: Date.now() - 10 * MINUTE_MS,
      });
      const { organizationId } = budget;
      for (const parts of [{ source: "other__source" }, { currency: "USD" }, { setWallAt: Date.now() }] as const)
        await store.admin.setBudget(ACT, { ...budget, per: "day", id: newId("budget", ACT.wallAt), ...parts });
      const price = { amount: 350_000n, currency: "EUR" };
      const request = (parts: Partial<ResettledRequest> = {}): ResettledRequest => ({
        spender: { organizationId, workflowId: "wfl_1", source: "acme__people", credentialId: null },
        sentWallAt: Date.now() - MINUTE_MS,
        before: { charged: "unknown", price },
        after: { charged: "no", price },
        ...parts,
      });
      let acts = 0;
      const act = () => ({ ...ACT, what: "ledger reconcile", wallAt: ACT.wallAt + (acts += 1) });
      const about = { organizationId, subjectId: "trx_1", detail: { state: "settled" } };
      const settle = (...requests: ResettledRequest[]) =>
        store.admin.settleInBudgets(act(), { ...about, requests: () => requests });
      assert.deepEqual(await settle(request()), [budget.id]);
      assert.equal((await store.admin.budget(budget.id))!.used, -350_000n);
      const dearer = { after: { charged: "yes", price: { ...price, amount: 400_000n } } } as const;
      await settle(request(dearer), request(dearer));
      assert.equal((await store.admin.budget(budget.id))!.used, -250_000n);
      // The request was sent before the budget was set, or in an earlier period.
      for (const sentWallAt of [budget.setWallAt, Date.now() - 40 * 24 * 60 * MINUTE_MS])
        assert.deepEqual(await settle(request({ sentWallAt })), []);

      // Each settlement is recorded with the budgets that counted it, and the next one gets all of them.
      const shown: JsonObject[] = [];
      const requests = (recorded: readonly AuditEntry[]) => (shown.push(...recorded.map(({ detail }) => detail)), []);
      await store.admin.settleInBudgets(act(), { ...about, requests });
      assert.deepEqual(
        shown.map((detail) => [detail["state"], detail["changed_budgets"]]),
        [[budget.id], [budget.id], [], []].map((counted) => ["settled", counted]),
      );
      const broken = { ...about, requests: () => assert.fail("as if it could not tell") };
      await assert.rejects(store.admin.settleInBudgets(act(), broken));
      assert.equal((await store.admin.auditEntries({ subjectId: "trx_1" })).length, 5, "it is not recorded");
    });
  });
}
