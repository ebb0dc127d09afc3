import { hash } from "node:crypto";
import { CONTEXTS } from "../../terms/caller.ts";
import { budgetText } from "../../terms/money/budget.ts";
import { amountText } from "../../terms/money/money.ts";
import type { PriceTerm } from "../../terms/money/price.ts";
import { canonicalJson, type JsonObject } from "../../terms/json/json.ts";
import { dayContaining, daysIn } from "../../terms/time/calendar.ts";
import { tokenState } from "../operator-wire.ts";
import type { AdminStore, NamedWorkflow, NotedCredential, StateKind } from "../ports.ts";
import { numbersOf } from "../recorded-versions.ts";
import { nameOf, textIn, type StoredObject } from "./state-object.ts";

/** Which object has a key, or gets one. */
export interface Keyed extends Pick<StoredObject, "kind" | "parent" | "key" | "id" | "applied"> {
  readonly organizationId: string | null;
}

/** What the store has besides the objects with keys, as far as it can be in their way. */
export interface StoredState {
  readonly objects: readonly StoredObject[];
  /** Budgets and valid operators without a key. */
  readonly others: readonly Pick<StoredObject, "kind" | "id" | "spec">[];
  /** The organizations of all budgets. */
  readonly organizationOf: ReadonlyMap<string, string>;
  /** Changes with every change of an object with a key. */
  readonly digest: string;
}

/** Reads the objects of these keys as a file would describe them. */
export async function readStored(keyed: readonly Keyed[], store: AdminStore, wallAt: number): Promise<StoredState> {
  const keyOf = new Map(keyed.map(({ id, key }) => [id, key]));
  const named = (id: string | null) => (id === null ? null : (keyOf.get(id) ?? id));
  const specs = new Map<string, JsonObject>();
  const organizationIds = new Set(
    keyed.map(({ kind, id, organizationId }) => (kind === "organization" ? id : organizationId)),
  );
  const appliedOf = new Map(keyed.map(({ id, applied }) => [id, applied]));
  const has = (kind: StateKind, organizationId: string) =>
    keyed.some((each) => each.kind === kind && each.organizationId === organizationId);
  for (const id of organizationIds) {
    if (id === null) continue;
    const organization = await store.organization(id);
    if (organization === null) continue;
    specs.set(id, { name: organization.name, disabled: organization.disabled });
    if (has("workflow", id)) {
      const workflows = await store.workflows(id);
      for (const [workflowId, spec] of await workflowSpecs(workflows, store)) specs.set(workflowId, spec);
    }
    if (has("credential", id)) {
      const credentials = await store.credentials({ organizationId: id });
      const prices = Map.groupBy(
        await store.pricesOf(credentials.map((each) => each.id)),
        ({ credentialId }) => credentialId,
      );
      for (const credential of credentials)
        specs.set(
          credential.id,
          credentialSpec(credential, appliedOf.get(credential.id) ?? null, prices.get(credential.id) ?? []),
        );
    }
    if (has("token", id))
      for (const token of await store.tokens(id, { state: "active", wallAt }))
        specs.set(token.id, { name: token.name });
  }
  const others: Pick<StoredObject, "kind" | "id" | "spec">[] = [];
  const organizationOf = new Map<string, string>();
  for (const { budget } of await store.budgets()) {
    const spec = {
      workflow: named(budget.workflowId),
      source: budget.source,
      credential: named(budget.credentialId),
      per: budget.per,
      time_zone: budget.timeZone,
      currency: budget.currency,
      limit: budgetText(budget, budget.limit),
      warn: budget.warnPercent,
    };
    specs.set(budget.id, spec);
    organizationOf.set(budget.id, budget.organizationId);
    if (!keyOf.has(budget.id)) others.push({ kind: "budget", id: budget.id, spec });
  }
  for (const operator of await store.operators()) {
    if (tokenState(operator, wallAt) !== "active") continue;
    const spec = { name: operator.name, role: operator.role };
    if (operator.login === "token") specs.set(operator.id, spec);
    if (!keyOf.has(operator.id)) others.push({ kind: "operator", id: operator.id, spec });
  }
  const objects = keyed.map(({ kind, parent, key, id, applied }) => ({
    kind,
    parent,
    key,
    id,
    applied,
    spec: specs.get(id) ?? null,
  }));
  const digest = hash("sha256", canonicalJson(objects.map((object) => [nameOf(object), object.id, object.spec])));
  return { objects, others, organizationOf, digest };
}

async function workflowSpecs(
  workflows: readonly NamedWorkflow[],
  store: AdminStore,
): Promise<readonly (readonly [string, JsonObject])[]> {
  const shares = workflows.flatMap(({ versions }) => Object.values(versions ?? {}).flatMap(Object.values));
  const numberOf = await numbersOf(
    async () => store,
    shares.map(({ version }: { readonly version: string }) => version),
  );
  const texts = (kind: "function" | "source", versions: NonNullable<NamedWorkflow["versions"]>["functions"] = {}) =>
    Object.fromEntries(
      Object.entries(versions).map(([id, { version, percent }]) => [
        id,
        versionText(numberOf(kind, id, version), version, percent),
      ]),
    );
  return workflows.map((workflow) => [
    workflow.id,
    {
      name: workflow.name,
      disabled: workflow.disabled,
      auto_credentials: workflow.autoCredentials,
      failure_details: workflow.failureDetails,
      mask_credentials: workflow.maskCredentials,
      simulated: workflow.simulated,
      functions: texts("function", workflow.versions?.functions),
      sources: texts("source", workflow.versions?.sources),
      shadow: texts("function", workflow.versions?.shadow),
    },
  ]);
}

/** A version of a workflow as a state file names it: `12`, `12@10%`, or the digest of one without a number. */
export function versionText(number: number | null, digest: string, percent: number): string {
  return `${number ?? digest}${percent < 100 ? `@${percent}%` : ""}`;
}

/** The values of fields are not known, but where the last file took them from is, and their names. */
function credentialSpec(
  credential: NotedCredential,
  applied: JsonObject | null,
  prices: readonly PriceTerm[],
): JsonObject {
  const { references } = credential;
  const before = (applied?.["fields"] ?? {}) as Readonly<Record<string, string>>;
  const names = (credential.fieldNames ?? Object.keys(before)).filter((name) => !Object.hasOwn(references, name));
  return {
    name: credential.name,
    source: credential.source,
    fields: Object.fromEntries(names.map((name) => [name, before[name] ?? "stored"])),
    references,
    contexts: CONTEXTS.filter((context) => credential.contexts.includes(context)),
    regions: credential.regions.toSorted(),
    default: credential.isDefault,
    disabled: credential.disabled,
    note: credential.note,
    revision: applied?.["revision"] ?? 1,
    prices: prices.map(priceSpec).toSorted(byBeginning),
  };
}

function priceSpec({ fromWallAt, above, amount, currency, per, timeZone }: PriceTerm): JsonObject {
  const day = daysIn(dayContaining(fromWallAt, timeZone), timeZone).next().value;
  return {
    from: day === undefined ? "" : day.day,
    above,
    amount: amountText(amount),
    currency,
    per: per === null ? null : per.replace("per_", ""),
    time_zone: timeZone,
  };
}

export function byBeginning(one: JsonObject, other: JsonObject): number {
  if (one["from"] !== other["from"]) return textIn(one, "from") < textIn(other, "from") ? -1 : 1;
  return (one["above"] as number) - (other["above"] as number);
}
