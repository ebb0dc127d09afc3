import { exportRuns } from "./export-runs.ts";
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import type { AttemptReport } from "../../run/ports.ts";
import type { Charged } from "../../terms/fault.ts";
import { AMOUNT_MAX, type Micros } from "../../terms/money/money.ts";
import { makeAttempt, makeCall, makeReport, makeRun } from "../ledger.kit.ts";
import type { LedgerToRead } from "./ledger-reader.kit.ts";

const MARCH = Date.UTC(2026, 2, 10);
const DAY = 24 * 60 * 60 * 1_000;
const SPAN = { from: Date.UTC(2026, 2, 1), to: Date.UTC(2026, 3, 1) };

const eur = (amount: Micros) => ({ amount, currency: "EUR" });
const sent = (charged: Charged, price: AttemptReport["price"], sentWallAt = MARCH): AttemptReport =>
  makeAttempt({ charged, price, sentWallAt });

/** The guarantees of every ledger about money, wherever its tables are. */
export function ledgerMoneyContract(name: string, newLedger: (t: TestContext) => Promise<LedgerToRead>): void {
  /** Records one run with one call that sent these requests. */
  const recorded = async ({ put }: LedgerToRead, attempts: readonly AttemptReport[], changes = {}, ofRun = {}) => {
    const run = makeRun({ startedWallAt: MARCH, ...ofRun });
    const numbered = attempts.map((attempt, at) => ({ ...attempt, number: at + 1 }));
    await put(run, makeReport(run, { calls: [makeCall({ attempts: numbered, ...changes })] }));
    return run.transactionId;
  };

  describe(`money on the ledger of ${name}`, () => {
    test("a request keeps its price and currency, and one without a price keeps none", async (t) => {
      const ledger = await newLedger(t);
      const id = await recorded(ledger, [sent("yes", eur(AMOUNT_MAX)), sent("unknown", eur(1n)), sent("yes", null)]);
      const shown = await ledger.reader.show(id);
      const rows = shown?.attempts.map(({ price, currency }) => [price, currency]);
      assert.deepEqual(rows, [
        [1_000_000_000_000_000, "EUR"],
        [1, "EUR"],
        [null, null],
      ]);
      assert.equal((await ledger.reader.verify()).ok, 1);
    });

    test("sums are by currency: what is charged, what may be, and what has no price", async (t) => {
      const ledger = await newLedger(t);
      const inEuros = [sent("yes", eur(350_000n)), sent("no", eur(350_000n)), sent("unknown", eur(280_000n))];
      const others = [sent("yes", null), sent("no", null), sent("yes", { amount: 7n, currency: "USD" })];
      await recorded(ledger, [...inEuros, ...others]);
      const summary = await ledger.reader.summary("2026-03");
      const money = summary.map(({ currency, least, most, unpriced, requests }) => [
        currency,
        least,
        most,
        unpriced,
        requests,
      ]);
      const expected = [
        [null, 0n, 0n, 1, 2],
        ["EUR", 350_000n, 630_000n, 0, 3],
        ["USD", 7n, 7n, 0, 1],
      ];
      assert.deepEqual(money, expected);
      const spend = await ledger.reader.spend("source", SPAN);
      assert.deepEqual(
        spend.map(({ currency, least, most, unpriced, requests }) => [currency, least, most, unpriced, requests]),
        expected,
      );
    });

    test("a sum beyond 2^53 is exact", async (t) => {
      const ledger = await newLedger(t);
      await recorded(
        ledger,
        Array.from({ length: 20 }, () => sent("yes", eur(AMOUNT_MAX - 1n))),
      );
      const [line] = await ledger.reader.summary("2026-03");
      assert.equal(line?.least, 20n * (AMOUNT_MAX - 1n));
    });

    test("spend is grouped by each of its keys, within a time and a selection", async (t) => {
      const ledger = await newLedger(t);
      const named = { credentialId: "cred_a", credentialRule: "named" } as const;
      await recorded(ledger, [sent("yes", eur(1n)), sent("yes", eur(2n), MARCH + DAY)], named);
      await recorded(ledger, [sent("yes", eur(4n))], { source: "bell__phone" }, { organizationId: "org_b" });
      await recorded(ledger, [sent("yes", eur(8n))], {}, { workflowId: "wfl_b" });
      await recorded(ledger, [sent("yes", eur(16n), SPAN.to)], {}, { startedWallAt: SPAN.to - 1 });
      await recorded(ledger, [sent("yes", eur(32n))], {}, { simulated: true });
      const by = async (key: "org" | "workflow" | "source" | "credential" | "day", more = {}) =>
        Object.fromEntries(
          (await ledger.reader.spend(key, { ...SPAN, ...more })).map((line) => [line.key, line.least]),
        );
      assert.deepEqual(await by("org"), { org_a: 11n, org_b: 4n });
      assert.deepEqual(await by("workflow"), { wfl_a: 7n, wfl_b: 8n });
      assert.deepEqual(await by("source"), { acme__people: 11n, bell__phone: 4n });
      assert.deepEqual(await by("credential"), { cred_a: 3n, null: 12n });
      assert.deepEqual(await by("day"), { "2026-03-10": 13n, "2026-03-11": 2n });
      assert.deepEqual(await by("day", { credentialId: "cred_a", organizationId: "org_a" }), {
        "2026-03-10": 1n,
        "2026-03-11": 2n,
      });
      assert.deepEqual(await by("org", { source: "bell__phone", workflowId: "wfl_a" }), { org_b: 4n });
      assert.deepEqual(await by("org", { source: "nobody__knows" }), {});
      assert.deepEqual(await by("org", { to: MARCH }), {});
    });

    test("the days and the month of a time zone are its own, also when its clocks change", async (t) => {
      const ledger = await newLedger(t);
      const sentAt = async (moment: string, amount: bigint) => {
        const sentWallAt = Date.parse(moment);
        await recorded(ledger, [sent("yes", eur(amount), sentWallAt)], {}, { startedWallAt: sentWallAt });
      };
      // In Berlin: the last second of February, the first of March, both ends of the 29th, which has 23 hours, and the
      // end of March.
      await sentAt("2026-02-28T22:59:59Z", 1n);
      await sentAt("2026-02-28T23:00:00Z", 2n);
      await sentAt("2026-03-28T22:59:59.999Z", 4n);
      await sentAt("2026-03-28T23:00:00Z", 8n);
      await sentAt("2026-03-29T21:59:59.999Z", 16n);
      await sentAt("2026-03-29T22:00:00Z", 32n);
      await sentAt("2026-03-31T21:59:59.999Z", 64n);
      await sentAt("2026-03-31T22:00:00Z", 128n);
      const timeZone = "Europe/Berlin";
      const of = (lines: readonly { readonly least: bigint }[]) => lines.map(({ least }) => least);
      assert.deepEqual(of(await ledger.reader.summary("2026-03", { timeZone })), [126n]);
      assert.deepEqual(of(await ledger.reader.summary("2026-03")), [252n]);
      const days = async (from: string, to: string) => {
        const span = { from: Date.parse(from), to: Date.parse(to), timeZone };
        return Object.fromEntries((await ledger.reader.spend("day", span)).map(({ key, least }) => [key, least]));
      };
      assert.deepEqual(await days("2020-01-01", "2100-01-01"), {
        "2026-02-28": 1n,
        "2026-03-01": 2n,
        "2026-03-28": 4n,
        "2026-03-29": 24n,
        "2026-03-30": 32n,
        "2026-03-31": 64n,
        "2026-04-01": 128n,
      });
      // Only the short day.
      assert.deepEqual(await days("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"), { "2026-03-29": 24n });
      assert.deepEqual(await days("2026-03-02", "2026-03-03"), {});
      assert.deepEqual(await days("2025-03-02", "2025-03-03"), {});
    });

    test("spend by order names the first and the last run of each, and by anything else none", async (t) => {
      const ledger = await newLedger(t);
      const price = [sent("yes", eur(1n))];
      const first = await recorded(ledger, price, { orderId: "B-1" });
      const last = await recorded(ledger, price, { orderId: "B-1" });
      const other = await recorded(ledger, price, { orderId: "B-2" });
      const lines = await ledger.reader.spend("order", SPAN);
      const runs = lines.map((line) => [line.key, line.requests, line.first_run, line.last_run]);
      assert.deepEqual(runs, [
        ["B-1", 2, ...[first, last].toSorted()],
        ["B-2", 1, other, other],
      ]);
      const [line] = await ledger.reader.spend("source", SPAN);
      assert.equal(line?.first_run, undefined);
    });

    test("settling sets the amount: the recorded price, or what the vendor has billed instead", async (t) => {
      const ledger = await newLedger(t);
      const { reader } = ledger;
      const id = await recorded(ledger, [sent("unknown", eur(350_000n))], { charged: "unknown" });
      const decision = { transactionId: id, ordinal: 0, decidedBy: "ada", decidedAt: MARCH, note: "invoice 17" };
      const range = async () =>
        (await reader.summary("2026-03")).map(({ currency, least, most }) => [currency, least, most]);
      assert.deepEqual(await range(), [["EUR", 0n, 350_000n]]);
      await reader.reconcile({ ...decision, charged: "yes" });
      assert.deepEqual(await range(), [["EUR", 350_000n, 350_000n]]);
      await reader.reconcile({ ...decision, charged: "yes", price: eur(300_000n) });
      assert.deepEqual(await range(), [["EUR", 300_000n, 300_000n]]);
      await reader.reconcile({ ...decision, charged: "no" });
      assert.deepEqual(await range(), [["EUR", 0n, 0n]]);
      await reader.reconcile({ ...decision, charged: "yes", price: { amount: 1n, currency: "USD" } });
      assert.deepEqual(await range(), [["USD", 1n, 1n]]);
      const history = (await reader.show(id))?.reconciliations.map(({ charged, price, currency }) => [
        charged,
        price,
        currency,
      ]);
      assert.deepEqual(history, [
        ["yes", 350_000, "EUR"],
        ["yes", 300_000, "EUR"],
        ["no", 300_000, "EUR"],
        ["yes", 1, "USD"],
      ]);
      assert.equal((await reader.verify()).ok, 1);
    });

    test("what each start of a service has sent is summed up as it is now, and as the service recorded it", async (t) => {
      const ledger = await newLedger(t);
      const by = (startId: string) => ({ startId, startedWallAt: MARCH });
      await recorded(ledger, [sent("yes", eur(1n)), sent("no", eur(2n)), sent("unknown", eur(4n))], {}, by("st_a"));
      await recorded(ledger, [sent("yes", eur(8n))], {}, { startedWallAt: MARCH });
      const unknown = await recorded(ledger, [sent("unknown", eur(16n))], { charged: "unknown" }, by("st_b"));
      const billed = await recorded(ledger, [sent("yes", eur(32n)), sent("yes", null)], {}, by("st_b"));
      await recorded(ledger, [sent("yes", eur(64n))], {}, { ...by("st_b"), simulated: true });
      await recorded(ledger, [sent("yes", eur(128n), SPAN.to)], {}, by("st_b"));
      await recorded(ledger, [sent("yes", eur(256n))], {}, { ...by("st_b"), organizationId: "org_b" });
      const settle = (transactionId: string, attempt: number, charged: Charged, price?: ReturnType<typeof eur>) =>
        ledger.reader.reconcile({
          transactionId,
          ordinal: 0,
          attempt,
          charged,
          decidedBy: "ada",
          decidedAt: MARCH,
          note: "n",
          ...(price !== undefined && { price }),
        });
      await settle(unknown, 1, "no");
      await settle(billed, 1, "yes", eur(31n));
      await settle(billed, 1, "no");
      const sums = await ledger.reader.sumStarts({ ...SPAN, organizationId: "org_a" });
      const of = (lines: typeof sums.now) =>
        lines.map(({ start, currency, requests, amount }) => `${start} ${currency} ${requests} ${amount}`).toSorted();
      assert.deepEqual(of(sums.now), ["null EUR 1 8", "st_a EUR 2 5", "st_b null 1 0"]);
      assert.deepEqual(of(sums.recorded), ["null EUR 1 8", "st_a EUR 2 5", "st_b EUR 2 48", "st_b null 1 0"]);
      const early = await ledger.reader.sumStarts({ ...SPAN, organizationId: "org_a", startedTo: MARCH });
      assert.deepEqual(early.now, []);
      assert.equal((await ledger.reader.verify()).ok, 7);
    });

    test("the first price is kept when another is settled at once", async (t) => {
      const ledger = await newLedger(t);
      const id = await recorded(ledger, [sent("unknown", eur(350_000n))], { charged: "unknown" });
      const decision = { transactionId: id, ordinal: 0, decidedBy: "ada", decidedAt: MARCH, note: "n" };
      await ledger.reader.reconcile({ ...decision, charged: "yes", price: eur(1n) });
      const rows = (await ledger.reader.show(id))?.reconciliations.map((one) => [
        one.decided_by,
        one.charged,
        one.price,
      ]);
      assert.deepEqual(rows, [
        ["datarun", "unknown", 350_000],
        ["ada", "yes", 1],
      ]);
    });

    test("exports say what each request cost, as decimal text", async (t) => {
      const ledger = await newLedger(t);
      await recorded(ledger, [
        sent("yes", eur(350_000n)),
        sent("unknown", eur(12_000_000n)),
        sent("no", null),
        sent("yes", null),
      ]);
      const textOf = async (format: "csv" | "jsonl") => {
        let whole = "";
        for await (const { text } of exportRuns(ledger.reader, {}, format)) whole += text;
        return whole;
      };
      const [headers, ...lines] = (await textOf("csv")).trimEnd().split("\r\n");
      assert.match(headers!, /,attempt_charged,price,currency,amount,amount_at_most$/);
      assert.deepEqual(
        lines.map((line) => line.split(",").slice(-5).join(",")),
        ["yes,0.35,EUR,0.35,0.35", "unknown,12.00,EUR,0.00,12.00", "no,,,0.00,0.00", "yes,,,,"],
      );
      const { attempts } = JSON.parse(await textOf("jsonl")) as { attempts: { price: string | null }[] };
      assert.deepEqual(
        attempts.map(({ price }) => price),
        ["0.35", "12.00", null, null],
      );
    });
  });
}
