import { Type } from "../../../terms/type.ts";
import type { ShownRun } from "../../../ledger/read/ledger-reader.ts";
import { withPriceText } from "../../../ledger/read/costs.ts";
import { renderTimeline } from "../../../ledger/read/render-timeline.ts";
import { printable } from "../../../terms/printable.ts";
import { transactionInput, unknownRun } from "../../ledger-inputs.ts";
import { anObject, listOf, text, yesOrNo } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";
import { toWireTime } from "../../wire-time.ts";

export default defineVerb({
  summary: "Show one run as a timeline: who was called, who waited for whom, what it cost",
  description: "Inputs and outputs are not on the ledger. Times count from the arrival of the request.",
  example: "trx_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: Type.Object({ transaction: transactionInput }, { additionalProperties: false }),
  positional: ["transaction"],
  role: "viewer",
  changes: false,
  needs: ["ledger"],

  result: Type.Object({
    damaged: yesOrNo,
    run: anObject,
    calls: listOf(anObject),
    attempts: listOf(anObject),
    reconciliations: listOf(anObject),
    timeline: text,
  }),

  async run({ transaction }, { ledger }) {
    const row = await (await ledger()).show(transaction);
    if (row === null) throw unknownRun();
    if (row.damaged) return whatIsLeft(row);
    return {
      damaged: false,
      run: { ...row.run, started_at: toWireTime(row.run.started_at) },
      calls: row.calls.map((call) => ({ ...call })),
      attempts: row.attempts.map((attempt) => ({ ...withPriceText(attempt), sent_at: toWireTime(attempt.sent_at) })),
      reconciliations: row.reconciliations.map((one) => ({
        ...withPriceText(one),
        decided_at: toWireTime(one.decided_at),
      })),
      timeline: renderTimeline(row),
    };
  },

  hasFailed: ({ damaged }) => damaged,

  render: ({ timeline }) => timeline,
});

/** The damaged rows unchanged: a value may be anything, and what it states may never have happened. */
function whatIsLeft({ damaged, run, calls, attempts, reconciliations }: ShownRun) {
  const rows = { run, calls, attempts, reconciliations };
  const says = "The record of this run is damaged: its rows are not what was written. They are shown as they are now.";
  return {
    damaged,
    run: { ...run, started_at: String(run.started_at) },
    calls: calls.map((call) => ({ ...call })),
    attempts: attempts.map((attempt) => ({
      ...attempt,
      price: String(attempt.price),
      sent_at: String(attempt.sent_at),
    })),
    reconciliations: reconciliations.map((one) => ({
      ...one,
      price: String(one.price),
      decided_at: String(one.decided_at),
    })),
    timeline: `${says}\n\n${JSON.stringify(rows, (_, value: unknown) => (typeof value === "string" ? printable(value) : value), 2)}\n`,
  };
}
