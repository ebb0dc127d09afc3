import { Type } from "../../../terms/schema/type.ts";
import {
  BUDGET_PERIODS,
  budgetText,
  countsFrom,
  limitText,
  periodContaining,
  type Budget,
} from "../../../terms/money/budget.ts";
import type { LedgerAnswers } from "../../../ledger/read/ledger-reader.ts";
import { newId } from "../../../terms/ids.ts";
import { readCount, type Micros } from "../../../terms/money/money.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { noLedgerYet, setBudget, toWireBudget } from "../../budget-wire.ts";
import {
  credentialInput,
  organizationInput,
  requireTimeZone,
  sourceInput,
  timeZoneInput,
  workflowInput,
} from "../../shared-inputs.ts";
import type { AdminStore, BudgetUse, NewBudget } from "../../ports.ts";
import { amountInput, amountOf, currencyInput } from "../../price-wire.ts";
import {
  requireCredential,
  requireOrganization,
  requireSource,
  requireWorkflow,
  unknownCredential,
  unknownOrganization,
  unknownWorkflow,
} from "../../require.ts";
import { spentBefore, usedInLedger } from "../../spent-before.ts";
import { defineVerb } from "../../verb.ts";
import { toWireTime } from "../../result-schemas.ts";

const WARN_PERCENT = 80;

export default defineVerb({
  summary: "Limit what may be charged in a day or a month",
  description:
    "Before a request is sent, the most that it can cost is reserved in every budget that applies to it. If one has too little left, the request is not sent, and its source fails with a message that names the budget. Amounts that the vendor does not charge become available again; an unknown charge counts until it is settled. Days and months are those of --time-zone. A budget counts from when it is set or, with --count-so-far, from the beginning of its current period; requests in progress at that moment are counted then only by `budget recount`. Setting it again for the same scope, period, currency and time zone changes its limit, and its use still counts. In another time zone it is another budget, and both limit until one of them is removed. A budget in money counts only requests that are priced in its currency; one in calls counts every request that may be billed.",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --source acme__people --per month --amount 500 --currency EUR",
  input: {
    org: organizationInput,
    workflow: Type.Optional({ ...workflowInput, description: "Only requests of this workflow" }),
    source: Type.Optional({ ...sourceInput, description: "Only requests of this source" }),
    credential: Type.Optional({ ...credentialInput, description: "Only requests with this credential" }),
    per: Type.Enum([...BUDGET_PERIODS], { description: "The period: the limit applies to each day or each month" }),
    time_zone: Type.Optional(
      timeZoneInput(
        "Where the days and months begin, such as Europe/Berlin; by default that of the budget that is set again, or UTC",
      ),
    ),
    amount: Type.Optional({ ...amountInput, description: "How much may be charged" }),
    currency: Type.Optional(currencyInput),
    calls: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: "In place of an amount: how many requests may be charged",
      }),
    ),
    warn: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: `From this percentage of the limit on, a warning is logged and a metric counts the budget; ${WARN_PERCENT} by default`,
        "x-placeholder": "PERCENT",
      }),
    ),
    count_so_far: Type.Optional(
      Type.Boolean({
        description: "A new budget also counts what its current day or month has cost already, by the ledger",
      }),
    ),
  },
  role: "owner",
  changes: true,
  needs: ["store", "sources", "ledger"],

  result: setBudget,

  async run(
    { org, workflow, source, credential, per, time_zone, warn, count_so_far, ...input },
    { act, store, sources, ledger, note },
  ) {
    const limit = limitOf(input);
    const timeZone = time_zone === undefined ? null : requireTimeZone(time_zone);
    const open = await store();
    await requireOrganization(open, org);
    if (workflow !== undefined) await requireOwnWorkflow(open, org, workflow);
    if (source !== undefined) requireSource(await sources(), source);
    if (credential !== undefined) await requireOwnCredential(open, org, credential, source);
    const budget = {
      id: newId("budget", act.wallAt),
      organizationId: org,
      workflowId: workflow ?? null,
      source: source ?? null,
      credentialId: credential ?? null,
      per,
      timeZone,
      ...limit,
      warnPercent: warn ?? WARN_PERCENT,
      setWallAt: act.wallAt,
    };
    const soFar = count_so_far === true ? await countSoFar(budget, await ledger().catch(noLedgerYet)) : null;
    const set = await open.setBudget(act, { ...budget, ...(soFar !== null && { soFar }) });
    if (set === null) throw unknownOrganization(org);
    if (set.replaced !== null)
      note(`Its limit was ${budgetText(set.budget, set.replaced.limit)}. Its use still counts.`);
    if (set.replaced !== null && soFar !== null)
      note(
        `It existed before, so --count-so-far changes nothing: it counts from ${toWireTime(countsFrom(set.budget))}.`,
      );
    for (const other of set.inOtherZones)
      note(
        `The budget ${other.id} has the same scope, with ${limitText(other)}, and still limits. To have only the new one, remove it when its ${per} has ended: "datarun budget remove ${other.id}".`,
      );
    const use = await open.budget(set.budget.id);
    const before = use === null ? null : await spentBeforeIt(ledger, use, note);
    if (before !== null)
      note(
        `It counts from ${toWireTime(countsFrom(set.budget))}. In its scope, ${before} had been charged in the same ${per} before, which it does not count.`,
      );
    return { ...toWireBudget(set.budget), spent_before: before };
  },
});

/** The budget is already set, so an unreadable ledger is no failure of the verb. */
async function spentBeforeIt(
  ledger: () => Promise<LedgerAnswers>,
  use: BudgetUse,
  note: (sentence: string) => void,
): Promise<string | null> {
  try {
    return await spentBefore(await ledger(), use);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    if (error.code !== "not_found") note(`The cost of its period so far is not known: ${error.message}`);
    return null;
  }
}

/** `ledger`: `null` if no service was ever started, so that nothing has been sent. */
async function countSoFar(budget: NewBudget, ledger: LedgerAnswers | null): Promise<NonNullable<NewBudget["soFar"]>> {
  const inZone = { ...budget, timeZone: budget.timeZone ?? "UTC" };
  const { from } = periodContaining(inZone, budget.setWallAt);
  const used = ledger === null ? 0n : await usedInLedger(ledger, inZone, from, budget.setWallAt);
  return { fromWallAt: from, used };
}

interface LimitInput {
  readonly amount?: string;
  readonly currency?: string;
  readonly calls?: number;
}

/** @throws OperatorError unless the limit is either an amount with its currency, or a number of calls */
function limitOf({ amount, currency, calls }: LimitInput): Pick<Budget, "currency" | "limit"> {
  if (amount !== undefined && calls !== undefined)
    throw new OperatorError("usage", "A budget is in money or in calls: give --amount or --calls, not both.");
  if (calls !== undefined) {
    if (currency !== undefined) throw new OperatorError("usage", "--currency goes with --amount.");
    return { currency: null, limit: readCount(calls) };
  }
  if (amount === undefined) throw new OperatorError("usage", "Give --amount with --currency, or --calls.");
  if (currency === undefined) throw new OperatorError("usage", "--amount goes with --currency.");
  return { currency, limit: positive(amountOf(amount)) };
}

function positive(amount: Micros): Micros {
  if (amount === 0n) throw new OperatorError("invalid", "The amount must be more than 0.");
  return amount;
}

async function requireOwnWorkflow(store: AdminStore, org: string, id: string): Promise<void> {
  if ((await requireWorkflow(store, id)).organizationId !== org) throw unknownWorkflow(id);
}

async function requireOwnCredential(store: AdminStore, org: string, id: string, source?: string): Promise<void> {
  const stored = await requireCredential(store, id);
  if (stored.organizationId !== org) throw unknownCredential(id);
  if (source !== undefined && stored.source !== source)
    throw new OperatorError("invalid", `The credential is for ${stored.source}, so nothing could ever be counted.`);
}
