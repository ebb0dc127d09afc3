import { Type } from "../../../terms/schema/type.ts";
import { filterInputs, toFilter } from "../../ledger-inputs.ts";
import { numbersOf, toVersionFilter } from "../../recorded-versions.ts";
import { toCostTexts } from "../../ledger-wire.ts";
import { nextCursor, pagedByCursor, noteMore, SHOWN } from "../../pagination.ts";
import { CALL_OUTCOMES } from "../../../ledger/journal/verdicts.ts";
import { CURSOR } from "../../../ledger/read/list-cursor.ts";
import type { RunPage } from "../../../ledger/read/list-runs.ts";
import { count, listOf, oneOf, orNull, rowsOf, text, time, toWireTime, yesOrNo } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

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
  summary: "List runs, newest first",
  description:
    "Options narrow the list. --source, --outcome and --failure select by the same call, and --charged by a request of that call. If some of the runs have an unknown charge, a remark says how many; `--charged unknown` lists them. With --failure, --min-duration-ms or a version, with --function and --source, if both are busy, and with an id that thousands of requests had, a page may have few runs or none, and says how to go on. Runs whose records are damaged are left out and named; `ledger show` shows what is left of them.",
  example: "--source companies_house__company_profile --charged unknown --from 2026-03-01",
  input: {
    ...filterInputs,
    ...pagedByCursor(CURSOR.source),
  },
  role: "viewer",
  changes: false,
  needs: ["ledger", "store"],

  result: Type.Object({
    runs: rowsOf({
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
      outcomes: {
        ...rowsOf({
          source: text,
          outcome: oneOf(...CALL_OUTCOMES),
          failure: orNull({ ...text, description: "The kind of its failure" }),
          sent: { ...yesOrNo, description: "Whether a request was or may have been sent to the vendor" },
          took_ms: orNull(count),
        }),
        description: "The outcomes of its first 100 calls",
      },
      function_failure: orNull({ ...text, description: "How its function failed" }),
      unknown_sources: { ...count, description: "Requested ids that belong to no source" },
      requests: count,
      charged: count,
      charge_unknown: count,
      cost: listOf(text),
    }),
    to_settle: Type.Optional({
      ...count,
      description: "The number of these runs that have an unknown charge, if there are any. Only on the first page",
    }),
    more_to_settle: Type.Optional({ ...yesOrNo, description: "There are more than `to_settle`" }),
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
    const { toSettle } = page;
    if (toSettle !== null && toSettle.runs > 0 && filter.charged === undefined) note(toSettleNote(toSettle));
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
        outcomes: run.outcomes.map((call) => ({
          source: call.source,
          outcome: call.outcome,
          failure: call.fault_kind,
          sent: call.is_sent,
          took_ms: call.took_ms,
        })),
        function_failure: run.function_fault,
        unknown_sources: run.unknown_sources,
        requests: run.requests,
        charged: run.charged_yes,
        charge_unknown: run.charged_unknown,
        cost: toCostTexts(run),
      })),
      ...(toSettle !== null && toSettle.runs > 0 && { to_settle: toSettle.runs }),
      ...(toSettle?.isMore === true && { more_to_settle: true }),
      ...(page.damaged.length > 0 && { damaged: page.damaged }),
      ...(page.lookedBackTo !== null && { looked_back_to: toWireTime(page.lookedBackTo) }),
      ...(page.next !== null && { next: page.next }),
    };
  },
});

function toSettleNote({ runs, isMore }: NonNullable<RunPage["toSettle"]>): string {
  const have = runs === 1 && !isMore ? "1 of these runs has" : `${isMore ? "At least " : ""}${runs} of these runs have`;
  return `${have} an unknown charge. To list ${runs === 1 && !isMore ? "it" : "them"}, give --charged unknown`;
}

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
