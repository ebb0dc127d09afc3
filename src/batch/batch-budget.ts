import { isJsonObject, type JsonObject } from "../terms/json/json.ts";
import { amountText, type Micros, readAmount } from "../terms/money/money.ts";
import type { Price } from "../terms/money/price.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { monthContaining } from "../terms/time/calendar.ts";
import type { Clock } from "../terms/time/clock.ts";
import { DAY_MS } from "../terms/time/durations.ts";
import type { BatchJournal } from "./batch-journal.ts";
import { type BatchSpec, usage } from "./batch-spec.ts";
import type { BatchPlan } from "./plan.ts";
import type { AdminAccess } from "./ports.ts";
import { type BatchState, type BudgetScopeOfBatch, stateLine } from "./state-file.ts";
import { textIn } from "./json-member.ts";

export interface BatchBudget {
  readonly id: string;
  /** When its month ends, after which it would begin anew. */
  readonly endsWallAt: number;
}

export interface BudgetParts {
  readonly admin: AdminAccess;
  readonly journal: BatchJournal;
  readonly state: BatchState;
  readonly clock: Clock;
}

/** `50EUR`. @throws OperatorError */
export function readMaxCost(text: string): Price {
  const [, digits = "", currency = ""] = /^([\d.]+) ?([A-Z]{3})$/.exec(text) ?? [];
  const amount = readAmount(digits);
  if (amount === null || amount === 0n) throw usage("--max-cost takes an amount and a currency, such as 50EUR.");
  return { amount, currency };
}

/**
 * Time zones of a budget for a month. A budget belongs to its time zone, so in a zone of which there is none, a new one
 * changes no budget of anybody else.
 */
const ZONES = ["UTC", "Etc/GMT-14", "Etc/GMT+12", "Etc/GMT-7", "Etc/GMT+6", "Etc/GMT-3", "Etc/GMT+3"];
const MONTH_LEFT_MS = 2 * DAY_MS;
/** A running service notices a new budget, and reports the use of one, within a second. */
const NOTICED_MS = 2_000;

/**
 * Checks what can be checked before anything is asked or written.
 * @throws OperatorError if no budget can be set, or the amount would not limit everything that is asked
 */
export function requireBudgetable(max: Price, plan: BatchPlan): void {
  if (plan.workflow === null)
    throw new OperatorError(
      "refused",
      `--max-cost sets a budget, for which the batch needs the admin API: ${plan.withoutWorkflow ?? ""}`.trim(),
    );
  requirePrices(max.currency, plan);
}

/** Sets the budget of the batch, or continues it. @throws OperatorError if it is used up, or cannot be set */
export async function setBatchBudget(
  max: Price,
  spec: BatchSpec,
  organization: string,
  parts: BudgetParts,
): Promise<BatchBudget> {
  const { admin, journal, state, clock } = parts;
  const left = max.amount - usedOf(state.budget.used, max.currency);
  if (left <= 0n)
    throw new OperatorError("refused", `${state.budget.used.join(" and ")} of --max-cost were used by earlier runs.`);
  const source = spec.sources.length === 1 ? spec.sources[0]! : null;
  const existing = await allBudgets(admin, organization);
  const scope =
    state.budget.scope ??
    freeScope({ organization, workflow: spec.workflow, source, currency: max.currency }, existing, clock.wall());
  // Written first, so that a later run finds the budget if this one is killed.
  if (state.budget.scope === null) await journal.line(stateLine.budget(scope));
  state.budget = { ...state.budget, scope };
  const set = await admin.ask("budget set", { ...toInput(scope), amount: amountText(left) }).catch((error: unknown) => {
    throw error instanceof OperatorError ? new OperatorError("refused", `--max-cost: ${error.message}`) : error;
  });
  await pause(clock);
  return { id: textIn(set, "budget"), endsWallAt: monthContaining(clock.wall(), scope.time_zone).to };
}

/** Removes the budget of this batch, if there is one, and records what it had used. @throws OperatorError */
export async function removeBatchBudget({ admin, journal, state, clock }: BudgetParts): Promise<void> {
  const { scope, used } = state.budget;
  if (scope === null) return;
  // What the service says of its use is up to a second behind.
  await pause(clock);
  const found = (await allBudgets(admin, scope.organization)).find((budget) => isOfScope(budget, scope));
  const text = found === undefined ? "" : textIn(found, "used");
  if (found !== undefined) await admin.ask("budget remove", { budget: textIn(found, "budget") });
  await journal.line(stateLine.budgetRemoved(text));
  state.budget = { scope: null, used: text === "" ? used : [...used, text] };
}

function pause(clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.after(NOTICED_MS, resolve));
}

/** What the budget of this batch has counted so far, such as `1.40 EUR`. */
export async function usedOfBudget(admin: AdminAccess, id: string): Promise<string> {
  return textIn(await admin.ask("budget show", { budget: id }), "used");
}

/** A budget in money counts only what is priced in its currency, so anything else would be unlimited. */
function requirePrices(currency: string, { targets, workflow }: BatchPlan): void {
  if (workflow?.isSimulated === true) return;
  const unlimited = targets.filter(
    ({ bills, price }) => bills !== "free" && bills !== null && price?.currency !== currency,
  );
  if (unlimited.length === 0) return;
  const reasons = unlimited.map(({ id, price }) =>
    price === null ? `${id} has no known price` : `${id} is priced in ${price.currency}`,
  );
  throw new OperatorError("refused", `--max-cost in ${currency} would not limit everything: ${reasons.join(", ")}.`);
}

function usedOf(used: readonly string[], currency: string): Micros {
  return used.reduce((sum, text) => {
    const [amount = "", of] = text.split(" ");
    return of === currency ? sum + (readAmount(amount) ?? 0n) : sum;
  }, 0n);
}

function freeScope(
  wanted: Omit<BudgetScopeOfBatch, "time_zone">,
  existing: readonly JsonObject[],
  wallAt: number,
): BudgetScopeOfBatch {
  const free = ZONES.map((zone) => ({ ...wanted, time_zone: zone })).filter(
    (scope) => !existing.some((budget) => isOfScope(budget, scope)),
  );
  const lasting = free.find((scope) => monthContaining(wallAt, scope.time_zone).to - wallAt > MONTH_LEFT_MS);
  const chosen = lasting ?? free[0];
  if (chosen === undefined)
    throw new OperatorError("refused", "--max-cost: there are too many budgets of this workflow for one more.");
  return chosen;
}

function isOfScope(budget: JsonObject, scope: BudgetScopeOfBatch): boolean {
  return (
    budget["workflow"] === scope.workflow &&
    budget["source"] === scope.source &&
    budget["cred_id"] === null &&
    budget["per"] === "month" &&
    budget["time_zone"] === scope.time_zone &&
    textIn(budget, "limit").endsWith(` ${scope.currency}`)
  );
}

function toInput({ organization, workflow, source, currency, time_zone }: BudgetScopeOfBatch): JsonObject {
  return { org: organization, workflow, ...(source !== null && { source }), currency, time_zone, per: "month" };
}

async function allBudgets(admin: AdminAccess, org: string): Promise<JsonObject[]> {
  const all: JsonObject[] = [];
  let after: string | undefined;
  do {
    const page = await admin.ask("budget list", { org, ...(after !== undefined && { after }) });
    all.push(...(page["budgets"] as readonly JsonObject[]).filter(isJsonObject));
    after = typeof page["next"] === "string" ? page["next"] : undefined;
  } while (after !== undefined);
  return all;
}
