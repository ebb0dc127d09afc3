import type { LedgerAnswers } from "../ledger/read/ledger-reader.ts";
import type { UnknownCharge } from "../ledger/read/unknown-charges.ts";
import type { RunReportRow } from "../ledger/ports.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { amountFromColumn, amountText } from "../terms/money/money.ts";
import { Type } from "../terms/schema/type.ts";
import type { VerbCall } from "./needs.ts";
import { recordBeforeAndAfter } from "./record-before-and-after.ts";
import { rowsOf, text, toWireTime } from "./result-schemas.ts";
import { finishSettlements, settleCharge, SETTLEMENT } from "./settle-charge.ts";

/** The default number of charges that one command settles. Each takes some writes that wait for the disk. */
export const SETTLED_AT_ONCE = 1_000;
export const SETTLED_AT_ONCE_MAX = 10_000;

export const limitInput = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: SETTLED_AT_ONCE_MAX,
    description: `How many charges to settle at most; ${SETTLED_AT_ONCE} by default`,
  }),
);
export const applyInput = Type.Optional(Type.Boolean({ description: "Settles them; without it nothing is changed" }));

export const INTERRUPTED = "Settled charges stay settled. Give the same command again to settle the rest.";

export interface PlannedCharge {
  readonly charge: UnknownCharge;
  readonly charged: "yes" | "no";
}

interface Command {
  /** A field of the audit entries, by which a repeated command finds those of an interrupted one. */
  readonly mark: { readonly name: "invoice" | "selection"; readonly digest: string };
  readonly reason: string;
}

/**
 * Settles charges one by one, each as `ledger reconcile` does it. Before, it completes an interrupted command with the
 * same mark, which may have settled a charge that no budget has counted. Charges that other commands settled meanwhile
 * are skipped.
 */
export async function settleCharges(
  chosen: readonly PlannedCharge[],
  { mark, reason }: Command,
  call: VerbCall<"store" | "ledger">,
  reader: LedgerAnswers,
): Promise<{ readonly settled: number; readonly budgets: readonly string[] }> {
  const { act, clock, store, onProgress } = call;
  const needs = { clock, reader, store };
  const marked: JsonObject = { [mark.name]: mark.digest };
  await finishInterrupted(mark, { ...needs, act });
  if (chosen.length === 0) return { settled: 0, budgets: [] };
  const budgets = new Set<string>();
  const detail = { ...marked, begun_at: toWireTime(act.wallAt), charges: chosen.length, note: reason };
  const { settled } = await recordBeforeAndAfter(call, { subjects: ["ledger"], detail }, async () => {
    let [done, seen] = [0, 0];
    for (const { charge, charged } of chosen) {
      onProgress("charges settled", seen, chosen.length);
      seen += 1;
      const run = await reader.show(charge.transaction_id);
      if (run === null || !isUnknown(run, charge)) continue;
      const decision = {
        call: charge.ordinal,
        ...(charge.attempt !== null && { attempt: charge.attempt }),
        charged,
        note: reason,
        detail: marked,
      };
      const { budgets: changed } = await settleCharge(run, decision, {
        ...needs,
        act: { ...act, wallAt: clock.wall() },
      });
      for (const budget of changed) budgets.add(budget);
      done += 1;
    }
    return { settled: done };
  });
  return { settled, budgets: [...budgets].sort() };
}

function isUnknown({ calls, attempts }: RunReportRow, { ordinal, attempt }: UnknownCharge): boolean {
  const found =
    attempt === null
      ? calls.find((call) => call.ordinal === ordinal)
      : attempts.find((request) => request.ordinal === ordinal && request.number === attempt);
  return found?.charged === "unknown";
}

async function finishInterrupted(
  { name, digest }: Command["mark"],
  needs: Parameters<typeof finishSettlements>[1],
): Promise<void> {
  const store = await needs.store();
  const commands = (await store.auditEntries({ what: needs.act.what, subjectId: "ledger" })).filter(
    ({ detail }) => detail[name] === digest,
  );
  const ended = new Set(
    commands.filter(({ detail }) => detail["state"] === "done").map(({ detail }) => detail["begun_at"]),
  );
  const interrupted = commands.filter(({ detail }) => !ended.has(detail["begun_at"]!));
  if (interrupted.length === 0) return;
  const from = Math.min(...interrupted.map(({ wallAt }) => wallAt));
  const recorded = await store.auditEntries({ what: SETTLEMENT, from });
  await finishSettlements(
    recorded.filter(({ detail }) => detail[name] === digest),
    needs,
  );
}

export const wireSettledTotals = rowsOf({ currency: text, charged: text, not_charged: text });

/** The amounts that become known, by currency. */
export function settledTotals(chosen: readonly PlannedCharge[]) {
  const priced = chosen.filter(({ charge }) => charge.currency !== null);
  return [...Map.groupBy(priced, ({ charge }) => charge.currency!)].map(([currency, own]) => {
    const sum = (wanted: "yes" | "no") =>
      amountText(
        own
          .filter(({ charged }) => charged === wanted)
          .reduce((total, { charge }) => total + (amountFromColumn(charge.price) ?? 0n), 0n),
      );
    return { currency, charged: sum("yes"), not_charged: sum("no") };
  });
}
