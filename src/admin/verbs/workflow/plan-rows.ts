import { setImmediate } from "node:timers/promises";
import { readPairs } from "../../../batch/batch-spec.ts";
import { createToInputs, mapColumns } from "../../../batch/map-columns.ts";
import { planBatch, type PlannedTarget } from "../../../batch/plan.ts";
import { openTextReader } from "../../../row-files/open-reader.ts";
import { type FileRow, isReadable, RowFileError, type RowReader } from "../../../row-files/row-file.ts";
import { CONTEXTS } from "../../../terms/caller.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { amountText, times } from "../../../terms/money/money.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { Type } from "../../../terms/schema/type.ts";
import { sourceInput, workflowInput } from "../../shared-inputs.ts";
import type { VerbCall } from "../../needs.ts";
import { sumOf } from "../../planned-cost.ts";
import { anObject, count, listOf, orNull, rowsOf, text, yesOrNo } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";
import showSource from "../source/show.ts";
import planRun from "./plan.ts";

/** As many as a page shows, and fits into the body of a request. */
const ROWS_MAX = 1_000;
const SOURCES_MAX = 20;
/** Rows that are checked before other work may run. */
const ROWS_AT_ONCE = 20;

export default defineVerb({
  summary: "Show what runs of the rows of a small file would do, without calling a vendor",
  description:
    "The file is CSV or JSON Lines with at most 1,000 rows, as for `batch`, and columns are matched with inputs in the same way. For each row: the inputs of its run, and which sources would refuse them. The cost is what the vendors bill at most, as in `workflow plan`, for the rows whose inputs a source accepts. To run a file, use `batch`.",
  example: "wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f companies.csv --source gleif__lei_record --map lei=LEI",
  input: {
    workflow: workflowInput,
    rows: Type.String({ description: "The file", "x-file": true }),
    format: Type.Optional(Type.Enum(["csv", "jsonl"], { description: "csv by default" })),
    source: Type.Array(sourceInput, {
      minItems: 1,
      maxItems: SOURCES_MAX,
      uniqueItems: true,
      description: "A source to call",
    }),
    context: Type.Optional(Type.Enum([...CONTEXTS], { description: "The context of the runs; dev by default" })),
    map: Type.Optional(
      Type.Array(Type.String({ maxLength: 1_000 }), {
        maxItems: 100,
        description: "The column for an input, if their names differ",
        "x-placeholder": "INPUT=COLUMN",
      }),
    ),
  },
  positional: ["workflow", "rows"],
  role: "viewer",
  changes: false,
  needs: ["store", "sources", "finder", "region", "replyBytesMax"],

  result: Type.Object({
    simulated: yesOrNo,
    problem: orNull(text),
    columns: listOf(text),
    map: { ...anObject, description: "The column of each input" },
    remarks: listOf(text),
    rows: rowsOf({
      row: { ...count, description: "Counts from 1" },
      problem: { ...orNull(text), description: "Why the row cannot be run" },
      inputs: anObject,
      refused: rowsOf({ source: text, problem: text }),
    }),
    sources: rowsOf({
      source: text,
      problem: { ...orNull(text), description: "Why no run would call it" },
      rows: { ...count, description: "Rows whose inputs it accepts" },
      at_most: orNull(text),
      currency: orNull(text),
    }),
    at_most: rowsOf({ amount: text, currency: text }),
    unknown_cost: listOf(text),
  }),

  async run({ workflow, rows: file, format = "csv", source: sources, context = null, map = [] }, call) {
    const spec = {
      sources,
      func: null,
      workflow,
      context,
      columns: readPairs("map", map),
      constants: {},
      kept: [],
    };
    const plan = await planBatch(spec, { ask: (verb, input) => askVerb(verb, input, call) });
    if (plan.workflow === null)
      throw new OperatorError("not_found", plan.withoutWorkflow ?? "There is no such workflow.");
    const read = await readRows(file, format);
    const available = read.columns ?? namesOf(read.rows);
    const mapping = mapColumns(spec, available, plan.targets);
    const toInputs = createToInputs({ ...spec, columns: mapping.columns }, plan.targets, format === "csv");
    const accepted = new Map(plan.targets.map(({ id }) => [id, 0]));
    const rows = [];
    for (const [at, row] of read.rows.entries()) {
      if (at % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await setImmediate();
      const inputs = isReadable(row) ? toInputs(row.values) : {};
      const refused = isReadable(row) ? refusalsOf(inputs, plan.targets) : [];
      const isAccepted = isReadable(row) && refused.length < plan.targets.length;
      for (const { id } of isReadable(row) ? plan.targets : [])
        if (!refused.some(({ source }) => source === id)) accepted.set(id, accepted.get(id)! + 1);
      const problem = isReadable(row) ? (isAccepted ? null : "every source refuses its inputs") : row.problem;
      rows.push({ row: row.number, problem, inputs, refused });
    }
    const { isSimulated, problem } = plan.workflow;
    const priced = plan.targets.map((target) => {
      const price = isSimulated || target.problem !== null ? null : target.price;
      const amount = price === null ? null : times(price.amount, accepted.get(target.id)!);
      return { target, price: amount === null ? null : { amount, currency: price!.currency } };
    });
    const isUnknown = ({ bills, price, problem: says }: PlannedTarget) =>
      !isSimulated && says === null && price === null && bills !== "free";
    return {
      simulated: isSimulated,
      problem,
      columns: [...available],
      map: mapping.columns as JsonObject,
      remarks: [...mapping.remarks],
      rows,
      sources: priced.map(({ target: { id, problem: says }, price }) => ({
        source: id,
        problem: says,
        rows: accepted.get(id)!,
        at_most: price === null ? null : amountText(price.amount),
        currency: price?.currency ?? null,
      })),
      at_most: sumOf(priced.map(({ price }) => price)),
      unknown_cost: plan.targets.filter(isUnknown).map(({ id }) => id),
    };
  },

  render: (result) => `${JSON.stringify(result, null, 2)}\n`,
});

type PlanCall = VerbCall<"store" | "sources" | "finder" | "region" | "replyBytesMax">;

/** The verbs that `planBatch` asks, within this one. */
async function askVerb(name: string, input: JsonObject, call: PlanCall): Promise<JsonObject> {
  if (name === "source show") return showSource.run(input as never, call as never);
  if (name === "workflow plan") return planRun.run(input as never, call as never);
  throw new RangeError(`a plan does not ask ${name}`);
}

async function readRows(
  file: string,
  format: "csv" | "jsonl",
): Promise<{ readonly columns: RowReader["columns"]; readonly rows: readonly FileRow[] }> {
  try {
    const { columns, pieces } = await openTextReader(file, format);
    const rows: FileRow[] = [];
    for await (const piece of pieces) {
      rows.push(...piece);
      if (rows.length > ROWS_MAX)
        throw new OperatorError("invalid", "The file has more than 1,000 rows. Use `datarun batch`.");
    }
    const [first] = rows;
    if (first === undefined) throw new OperatorError("invalid", "The file has no rows.");
    // Without a row there are no names to match with inputs.
    if (columns === null && !isReadable(first) && !rows.some(isReadable))
      throw new OperatorError("invalid", `No row can be read. Row ${first.number}: ${first.problem}.`);
    return { columns, rows };
  } catch (error) {
    if (error instanceof RowFileError) throw new OperatorError("invalid", error.message);
    throw error;
  }
}

function namesOf(rows: readonly FileRow[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => (isReadable(row) ? Object.keys(row.values) : [])))];
}

function refusalsOf(inputs: JsonObject, targets: readonly PlannedTarget[]) {
  return targets.flatMap((target) => {
    const problem = target.inputProblem(inputs);
    return problem === null ? [] : [{ source: target.id, problem }];
  });
}
