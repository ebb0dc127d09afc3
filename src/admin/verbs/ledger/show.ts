import { Type } from "../../../terms/schema/type.ts";
import type { ShownRun } from "../../../ledger/read/ledger-reader.ts";
import { costOfRequests, withPriceText } from "../../../ledger/read/costs.ts";
import { renderTimeline } from "../../../ledger/read/render-timeline.ts";
import { previousCalls } from "../../../ledger/read/previous-call.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RECONCILIATION_COLUMNS, RUN_COLUMNS } from "../../../ledger/columns.ts";
import { printable } from "../../../terms/text/printable.ts";
import { transactionInput, unknownRun } from "../../ledger-inputs.ts";
import { credentialNamesOf } from "../../names-of.ts";
import { numbersOf } from "../../recorded-versions.ts";
import { toWireRunCost, wireRow, wireRunCost } from "../../ledger-wire.ts";
import { count, orNull, rowsOf, text, toWireTime, yesOrNo } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

/** A price is decimal text. */
const PRICE = { price: orNull(text) };

export default defineVerb({
  summary: "Show one run as a timeline: its calls, which call waited for which, and the cost",
  description:
    "Inputs and outputs are not in the ledger. For each call, the result shows the other call that it most likely waited for. Times count from the arrival of the request.",
  example: "trx_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: { transaction: transactionInput },
  positional: ["transaction"],
  role: "viewer",
  changes: false,
  needs: ["ledger", "store"],

  result: Type.Object({
    damaged: yesOrNo,
    // The values of a damaged run are uncertain, so only a text is shown.
    run: orNull(Type.Object({ ...wireRow(RUN_COLUMNS).properties, function_version_number: orNull(count) })),
    ...wireRunCost,
    calls: rowsOf({
      transaction_id: text,
      ...wireRow(CALL_COLUMNS).properties,
      credential_name: orNull(text),
      source_version_number: orNull(count),
      waited_for: orNull(count),
    }),
    attempts: rowsOf({ transaction_id: text, ...wireRow(ATTEMPT_COLUMNS, PRICE).properties }),
    reconciliations: rowsOf({ transaction_id: text, ...wireRow(RECONCILIATION_COLUMNS, PRICE).properties }),
    timeline: text,
  }),

  async run({ transaction }, { ledger, store }) {
    const row = await (await ledger()).show(transaction);
    if (row === null) throw unknownRun();
    if (row.damaged) return whatIsLeft(row);
    const waitedFor = previousCalls(row.calls);
    const digests = [row.run.function_version, ...row.calls.map((call) => call.source_version)];
    const numberOf = await numbersOf(store, digests);
    const credentials = await credentialNamesOf(
      row.calls.map((call) => call.credential_id),
      store,
    );
    const { function_id: functionId, function_version: functionVersion } = row.run;
    return {
      damaged: false,
      run: {
        ...row.run,
        started_at: toWireTime(row.run.started_at),
        function_version_number: numberOf("function", functionId ?? "", functionVersion),
      },
      ...toWireRunCost(costOfRequests(row.attempts)),
      calls: row.calls.map((call) => ({
        ...call,
        credential_name: credentials.get(call.credential_id) ?? null,
        source_version_number: numberOf("source", call.source, call.source_version),
        waited_for: waitedFor(call)?.ordinal ?? null,
      })),
      attempts: row.attempts.map((attempt) => ({ ...withPriceText(attempt), sent_at: toWireTime(attempt.sent_at) })),
      reconciliations: row.reconciliations.map((one) => ({
        ...withPriceText(one),
        decided_at: toWireTime(one.decided_at),
      })),
      timeline: renderTimeline(row, numberOf),
    };
  },

  hasFailed: ({ damaged }) => damaged,

  render: ({ timeline }) => timeline,
});

/** The damaged rows unchanged. A value may be invalid, and may describe something that never happened. */
function whatIsLeft({ damaged, run, calls, attempts, reconciliations }: ShownRun) {
  const rows = { run, calls, attempts, reconciliations };
  const says = "The record of this run is damaged: its rows are not what was written. They are shown as they are now.";
  const timeline = `${says}\n\n${JSON.stringify(rows, (_, value: unknown) => (typeof value === "string" ? printable(value) : value), 2)}\n`;
  return { damaged, run: null, costs: [], unpriced: 0, calls: [], attempts: [], reconciliations: [], timeline };
}
