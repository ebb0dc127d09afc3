import assert from "node:assert/strict";
import { test } from "node:test";
import type { LedgerAnswers } from "../../ledger/read/ledger-reader.ts";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import type { AdminStore } from "../ports.ts";
import { runVerb } from "../run-verb.ts";
import show from "../verbs/attention/show.ts";

const STORE = { actsBetween: async () => [], budgets: async () => [] } as unknown as AdminStore;
const LEDGER = {
  countUnknown: async () => ({ charges: 0, isMore: false, sinceWallAt: null }),
  activity: async () => [],
  budgetRejections: async () => [],
  history: async () => ({ completeFrom: null, groups: [], moreGroups: 0 }),
} as unknown as LedgerAnswers;
const none = (what: string) => async (): Promise<never> => {
  throw new OperatorError("not_found", `There is no ${what} here.`);
};

async function shown(store: () => Promise<AdminStore>, ledger: () => Promise<LedgerAnswers>) {
  const notes: string[] = [];
  const given = {
    clock: new FakeClock(),
    actor: { who: "ada", via: "cli" },
    note: (sentence: string) => notes.push(sentence),
    onProgress: () => {},
    serviceState: () => null,
    store,
    ledger,
  } as const;
  const result = await runVerb("attention show", show, {}, given);
  return { result, notes: notes.slice(1) };
}

test("where there is neither a store nor a ledger, nothing is said to be well", async () => {
  await assert.rejects(shown(none("store"), none("ledger")), { code: "not_found", message: "There is no store here." });
});

test("what is not there yet is said, and the rest is looked at", async () => {
  assert.deepEqual(await shown(async () => STORE, none("ledger")), {
    result: { attention: [] },
    notes: ["Could not be checked: There is no ledger here."],
  });
  assert.deepEqual((await shown(none("store"), async () => LEDGER)).notes, [
    "Could not be checked: There is no store here.",
  ]);
});

test("what is there and cannot be read is critical", async () => {
  const broken = async (): Promise<never> => {
    throw new OperatorError("unavailable", "The store does not answer.");
  };
  const { result, notes } = await shown(broken, async () => LEDGER);
  const [only] = result["attention"] as { what: string; severity: string; says: string }[];
  assert.deepEqual([only!.what, only!.severity, only!.says], ["unreadable", "critical", "The store does not answer."]);
  assert.deepEqual(notes, []);
});
