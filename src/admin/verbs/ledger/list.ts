import { Type } from "../../../terms/schema/type.ts";
import { filterInputs, toFilter } from "../../ledger-inputs.ts";
import { numbersOf, toVersionFilter } from "../../recorded-versions.ts";
import { toCostTexts } from "../../ledger-wire.ts";
import { nextCursor, pagedByCursor, noteMore, SHOWN } from "../../pagination.ts";
import { CURSOR } from "../../../ledger/read/list-cursor.ts";
import { count, listOf, orNull, text, time, yesOrNo } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";
import { toWireTime } from "../../wire-time.ts";

/** Without the digest of the function, whose number is shorter, and the build. */
const COLUMNS = [
  "transaction_id",
  "started_at",
  "state",
  "kind",
  "function_version_number",
  "organization_tuid",
  "workflow",
  "context",
  "simulated",
  "took_ms",
  "calls",
  "failed",
  "requests",
  "charged",
  "charge_unknown",
  "cost",
];

export default defineVerb({
  summary: "List runs, those with unknown charges first, then the newest",
  description:
    "Options narrow the list. --source and --outcome select by the same call, and --charged by a request of that call. With --function and --source, if both are busy, and with an id that thousands of requests had, a page may have few runs or none, and says how to go on. Runs whose records are damaged are left out and named; `ledger show` shows what is left of them.",
  example: "--source companies_house__company_profile --charged unknown --from 2026-03-01",
  input: Type.Object(
    {
      ...filterInputs,
      ...pagedByCursor(CURSOR.source),
    },
    { additionalProperties: false },
  ),
  role: "viewer",
  changes: false,
  needs: ["ledger", "store"],

  result: Type.Object({
    runs: listOf(
      Type.Object({
        transaction_id: text,
        started_at: time,
        state: text,
        kind: text,
        function_version: orNull({ ...text, description: "The digest of the function" }),
        function_version_number: orNull(count),
        build: orNull(text),
        organization_tuid: text,
        workflow: text,
        context: text,
        simulated: yesOrNo,
        took_ms: orNull(count),
        calls: count,
        failed: count,
        requests: count,
        charged: count,
        charge_unknown: count,
        cost: listOf(text),
      }),
    ),
    damaged: Type.Optional(listOf(text)),
    looked_back_to: Type.Optional({
      ...time,
      description: "The page is not full because many runs were read, back to this time; UTC",
    }),
    ...nextCursor,
  }),

  columns: { runs: COLUMNS },

  async run({ limit = SHOWN, after, ...filter }, { ledger, store, note }) {
    const asked = { limit, ...(after !== undefined && { after }) };
    const page = await (await ledger()).list({ ...toFilter(filter), ...(await toVersionFilter(filter, store)) }, asked);
    const numberOf = await numbersOf(
      store,
      page.runs.map((run) => run.function_version),
    );
    if (page.damaged.length > 0) note(damagedNote(page.damaged));
    if (page.lookedBackTo !== null) note(lookedBackNote(toWireTime(page.lookedBackTo), page.next!));
    else if (page.next !== null) noteMore(page.next, note);
    return {
      runs: page.runs.map((run) => ({
        transaction_id: run.transaction_id,
        started_at: toWireTime(run.started_at),
        state: run.state,
        kind: run.function_id ?? run.kind,
        function_version: run.function_version,
        function_version_number: numberOf("function", run.function_id ?? "", run.function_version),
        build: run.build,
        organization_tuid: run.organization_id,
        workflow: run.workflow_id,
        context: run.context,
        simulated: run.simulated === 1,
        took_ms: run.took_ms,
        calls: run.calls,
        failed: run.failed,
        requests: run.requests,
        charged: run.charged_yes,
        charge_unknown: run.charged_unknown,
        cost: toCostTexts(run),
      })),
      ...(page.damaged.length > 0 && { damaged: page.damaged }),
      ...(page.lookedBackTo !== null && { looked_back_to: toWireTime(page.lookedBackTo) }),
      ...(page.next !== null && { next: page.next }),
    };
  },
});

function lookedBackNote(at: string, next: string): string {
  return `Many runs were read, back to ${at}, and there are more. To continue, give --after ${next}`;
}

/** The most damaged runs that a remark names. */
const NAMED_MAX = 20;

function damagedNote(damaged: readonly string[]): string {
  if (damaged.length === 1)
    return `The record of ${damaged[0]} is damaged and left out. "datarun ledger show" shows what is left of it.`;
  const others = damaged.length - NAMED_MAX;
  const named = damaged.slice(0, NAMED_MAX).join(", ") + (others > 0 ? ` and ${others} more` : "");
  return `The records of ${damaged.length} runs are damaged and left out: ${named}. "datarun ledger show" shows what is left of them.`;
}
