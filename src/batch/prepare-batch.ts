import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BatchParts, BatchRequest } from "./batch-request.ts";
import type { BatchSpec } from "./batch-spec.ts";
import { asOperatorError, dryRun, type DryRunResult } from "./dry-run.ts";
import { createToInputs, mapColumns, type ToInputs } from "./map-columns.ts";
import { type BatchInput, copyInput, openInput } from "./open-input.ts";
import { type BatchPlan, planBatch } from "./plan.ts";

/** What is asked of which file, before anything is asked. */
export interface PreparedBatch {
  readonly input: BatchInput;
  readonly plan: BatchPlan;
  readonly spec: BatchSpec;
  readonly toInputs: ToInputs;
}

/** Reads the file once, and finds out what is known of what is asked. @throws OperatorError */
export async function prepareBatch(
  path: string,
  given: BatchSpec,
  { admin, note }: BatchParts,
): Promise<PreparedBatch> {
  const input = await openInput(path);
  const plan = await planBatch(given, admin);
  const { columns, remarks } = mapColumns(given, input.columns, plan.targets);
  remarks.forEach(note);
  for (const { id, problem } of plan.targets) if (problem !== null) note(`${id}: ${problem}`);
  if (plan.workflow?.problem != null) note(plan.workflow.problem);
  if (plan.workflow === null)
    note(`Prices are those that the sources declare, because the workflow is not known here. ${plan.withoutWorkflow}`);
  const spec = { ...given, columns };
  return { input, plan, spec, toInputs: createToInputs(spec, plan.targets, input.format === "csv") };
}

/** Says what a batch would do. No request is sent. @throws OperatorError */
export async function tryBatch(
  { input, spec }: Pick<BatchRequest, "input" | "spec">,
  parts: BatchParts,
): Promise<DryRunResult> {
  const folder = input === "-" ? await mkdtemp(join(tmpdir(), "datarun-batch-")) : null;
  try {
    const path = folder === null ? input : join(folder, "input");
    if (folder !== null) await copyInput(parts.stdin, path);
    const prepared = await prepareBatch(path, spec, parts);
    return await dryRun(prepared.input, prepared.plan, prepared.toInputs).catch(asOperatorError);
  } finally {
    if (folder !== null) await rm(folder, { recursive: true });
  }
}
