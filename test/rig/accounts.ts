import assert from "node:assert/strict";
import { chargeOfCall } from "../../src/terms/money/charge.ts";
import type { Charged } from "../../src/terms/fault.ts";
import type { Vendor } from "../vendor/scripted-vendor.ts";
import type { LedgerRows } from "./ledger-rows.ts";

/** What a service was seen to do from outside, while it ran. */
export interface Accounts {
  /** Of every answer that had one. */
  readonly transactionIds: ReadonlySet<string>;
  /** Runs that were started and whose answer nobody read. */
  readonly runsWithoutAnswer: number;
  readonly vendors: readonly Vendor[];
}

/** Every answer has its row, and every request that reached a vendor stands on the ledger: no more, no less. */
export function assertAccounts(
  { transactionIds, runsWithoutAnswer, vendors }: Accounts,
  ledger: readonly LedgerRows[],
): void {
  const recorded = new Set(ledger.map(({ run }) => run["transaction_id"] as string));
  assert.equal(recorded.size, ledger.length, "a transaction id stands on the ledger once");
  for (const id of transactionIds) assert.ok(recorded.has(id), `the answer ${id} is not on the ledger`);
  assert.equal(recorded.size, transactionIds.size + runsWithoutAnswer, "runs on the ledger that nobody was answered");
  for (const { run, calls, attempts } of ledger) {
    assert.equal(run["state"], "ended");
    // Ids of no source have a number each in their run, and no row.
    const ordinals = new Set(calls.map((call) => Number(call["ordinal"])));
    assert.equal(ordinals.size, calls.length);
    assert.ok(Math.max(-1, ...ordinals) < calls.length + Number(run["unknown_sources"]));
    for (const { ordinal, charged } of calls) {
      const own = attempts.filter((attempt) => attempt["ordinal"] === ordinal);
      assert.equal(
        charged,
        chargeOfCall(own.map((attempt) => attempt["charged"] as Charged)),
        "a call's charge is made of its requests'",
      );
    }
    for (const { ordinal } of attempts) assert.ok(calls.some((call) => call["ordinal"] === ordinal));
  }
  for (const vendor of vendors) {
    const attempts = ledger.flatMap((row) => row.attempts).filter(({ origin }) => origin === vendor.origin);
    assert.equal(
      attempts.length,
      vendor.count(),
      `${vendor.origin} received another number of requests than the ledger has`,
    );
  }
}
