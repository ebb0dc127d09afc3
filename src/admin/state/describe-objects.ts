import { CONTEXTS } from "../../terms/caller.ts";
import { canonicalJson, type JsonObject } from "../../terms/json/json.ts";
import { AMOUNT_MAX, amountText, readAmount, readCount } from "../../terms/money/money.ts";
import { budgetText } from "../../terms/money/budget.ts";
import { canonicalTimeZone, isDay, isTimeZone } from "../../terms/time/calendar.ts";
import type { AdminStore, StateKind } from "../ports.ts";
import type { ParsedStateFile, Steps } from "./read-state-file.ts";
import { byBeginning, versionText } from "./read-stored.ts";
import { percentIn } from "../workflow-versions.ts";
import { type DescribedObject, nameOf } from "./state-object.ts";
import type { StateFile } from "./state-schema.ts";

type OrganizationEntry = NonNullable<StateFile["organizations"]>[number];
type WorkflowEntry = NonNullable<OrganizationEntry["workflows"]>[number];
type CredentialEntry = NonNullable<OrganizationEntry["credentials"]>[number];
type BudgetEntry = NonNullable<OrganizationEntry["budgets"]>[number];

/**
 * All objects of a file in the form in which they are compared with the store, parents first.
 * @throws OperatorError for duplicate keys, references to objects that are not in the file, and the like
 */
export async function describeObjects(
  parsed: ParsedStateFile,
  store: Pick<AdminStore, "findVersion">,
): Promise<readonly DescribedObject[]> {
  const objects: DescribedObject[] = [];
  const names = new Set<string>();
  const add = (
    kind: StateKind,
    parent: string | null,
    entry: { readonly key: string; readonly id?: string; readonly expires_in?: string },
    spec: JsonObject,
    at: Steps,
  ): void => {
    const object: DescribedObject = {
      kind,
      parent,
      key: entry.key,
      adopts: entry.id ?? null,
      spec,
      expiresIn: entry.expires_in,
      at,
    };
    const name = nameOf(object);
    if (names.has(name)) parsed.refuse([...at, "key"], `There are two with the key ${entry.key}.`);
    names.add(name);
    objects.push(object);
  };
  for (const [index, entry] of (parsed.file.organizations ?? []).entries()) {
    const at = ["organizations", index];
    add("organization", null, entry, { name: entry.name, disabled: entry.disabled ?? false }, at);
    for (const [number, workflow] of (entry.workflows ?? []).entries()) {
      const place = [...at, "workflows", number];
      add("workflow", entry.key, workflow, await workflowSpec(workflow, place, parsed, store), place);
    }
    for (const [number, credential] of (entry.credentials ?? []).entries()) {
      const place = [...at, "credentials", number];
      add("credential", entry.key, credential, credentialSpec(credential, place, parsed), place);
    }
    refuseTwoDefaults(entry.credentials ?? [], [...at, "credentials"], parsed);
    for (const [number, token] of (entry.tokens ?? []).entries()) {
      const spec = token.name === undefined ? {} : { name: token.name };
      add("token", entry.key, token, spec, [...at, "tokens", number]);
    }
    const scopes = new Map<string, string>();
    for (const [number, budget] of (entry.budgets ?? []).entries()) {
      const place = [...at, "budgets", number];
      const spec = budgetSpec(budget, entry, place, parsed);
      const scope = budgetScope(spec);
      const other = scopes.get(scope);
      if (other !== undefined)
        parsed.refuse(place, `It has the scope, period, currency and time zone of the budget ${other}.`);
      scopes.set(scope, budget.key);
      add("budget", entry.key, budget, spec, place);
    }
  }
  const people = new Set<string>();
  for (const [index, { name, role, ...operator }] of (parsed.file.operators ?? []).entries()) {
    const at = ["operators", index];
    if (people.has(name.toLowerCase())) parsed.refuse([...at, "name"], `There are two operators ${name}.`);
    people.add(name.toLowerCase());
    add("operator", null, operator, { name, role }, at);
  }
  return objects;
}

/** What identifies a budget in the store, besides its organization. */
export function budgetScope(spec: JsonObject): string {
  const { workflow, source, credential, per, time_zone, currency } = spec;
  return canonicalJson({ workflow, source, credential, per, time_zone, currency } as JsonObject);
}

async function workflowSpec(
  workflow: WorkflowEntry,
  at: Steps,
  parsed: ParsedStateFile,
  store: Pick<AdminStore, "findVersion">,
): Promise<JsonObject> {
  const resolved = async (list: "functions" | "sources" | "shadow") => {
    const versions: Record<string, string> = {};
    for (const [id, given] of Object.entries(workflow[list] ?? {})) {
      const [which = "", share] = String(given).split("@");
      if (which === "latest") continue;
      const percent = percentIn(share);
      if (!(percent > 0 && percent <= 100))
        parsed.refuse([...at, list, id], "A percentage must be more than 0 and at most 100.");
      const version = await store.findVersion(list === "sources" ? "source" : "function", id, which);
      if (version === null) parsed.refuse([...at, list, id], `${id} has no version ${JSON.stringify(which)}.`);
      else versions[id] = versionText(version.number, version.digest, percent);
    }
    return versions;
  };
  return {
    ...(workflow.name !== undefined && { name: workflow.name }),
    disabled: workflow.disabled ?? false,
    auto_credentials: workflow.auto_credentials ?? false,
    failure_details: workflow.failure_details ?? true,
    mask_credentials: workflow.mask_credentials ?? false,
    simulated: workflow.simulated ?? false,
    functions: await resolved("functions"),
    sources: await resolved("sources"),
    shadow: await resolved("shadow"),
  };
}

function credentialSpec(credential: CredentialEntry, at: Steps, parsed: ParsedStateFile): JsonObject {
  const { fields = {}, references = {}, contexts = [], regions = [], prices } = credential;
  const twice = Object.keys(fields).find((field) => Object.hasOwn(references, field));
  if (twice !== undefined) parsed.refuse([...at, "references", twice], `The field ${twice} is given twice.`);
  if (Object.keys(fields).length + Object.keys(references).length === 0)
    parsed.refuse(at, "A credential needs `fields` or `references`.");
  return {
    ...(credential.name !== undefined && { name: credential.name }),
    source: credential.source,
    fields,
    references,
    contexts: CONTEXTS.filter((context) => contexts.includes(context)),
    regions: regions.toSorted(),
    default: credential.default ?? false,
    disabled: credential.disabled ?? false,
    note: credential.note ?? null,
    revision: credential.revision ?? 1,
    ...(prices !== undefined && {
      prices: prices.map((_, number) => priceSpec(prices, number, at, parsed)).toSorted(byBeginning),
    }),
  };
}

function priceSpec(
  prices: NonNullable<CredentialEntry["prices"]>,
  number: number,
  at: Steps,
  parsed: ParsedStateFile,
): JsonObject {
  const place = [...at, "prices", number];
  const { from, currency, per = null, above = 0, time_zone = "UTC" } = prices[number]!;
  if (!isDay(from)) parsed.refuse([...place, "from"], `There is no day ${from}.`);
  if (prices.findIndex((other) => other.from === from && (other.above ?? 0) === above) < number)
    parsed.refuse(place, `There are two prices from ${from}${above === 0 ? "" : ` above ${above}`}.`);
  const basic = prices.find((other) => other.from === from && other.above === undefined);
  if (basic === undefined) parsed.refuse(place, "A step needs a price without `above` from the same day.");
  else if (
    basic.currency !== currency ||
    (basic.per ?? null) !== per ||
    zoneOf(basic.time_zone, place, parsed) !== zoneOf(time_zone, place, parsed)
  )
    parsed.refuse(place, "A step must have the same currency, `per` and `time_zone` as its price.");
  const amount = amountIn(prices[number]!.amount, [...place, "amount"], parsed);
  return { from, above, amount: amountText(amount), currency, per, time_zone: zoneOf(time_zone, place, parsed) };
}

function budgetSpec(
  budget: BudgetEntry,
  { workflows = [], credentials = [] }: OrganizationEntry,
  at: Steps,
  parsed: ParsedStateFile,
): JsonObject {
  const { workflow = null, credential = null, amount, currency = null, calls } = budget;
  if (workflow !== null && !workflows.some(({ key }) => key === workflow))
    parsed.refuse([...at, "workflow"], `The organization has no workflow with the key ${workflow} in this file.`);
  const named = credentials.find(({ key }) => key === credential);
  if (credential !== null && named === undefined)
    parsed.refuse([...at, "credential"], `The organization has no credential with the key ${credential} in this file.`);
  if (named !== undefined && budget.source !== undefined && named.source !== budget.source)
    parsed.refuse([...at, "source"], `The credential is for ${named.source}, so nothing could ever be counted.`);
  if ((amount === undefined) === (calls === undefined) || (amount === undefined) !== (currency === null))
    parsed.refuse(at, "A budget needs either `amount` with `currency`, or `calls`.");
  const limit = calls === undefined ? amountIn(amount!, [...at, "amount"], parsed) : readCount(calls);
  if (limit === 0n) parsed.refuse([...at, "amount"], "The amount must be more than 0.");
  return {
    workflow,
    source: budget.source ?? null,
    credential,
    per: budget.per,
    time_zone: zoneOf(budget.time_zone, at, parsed),
    currency,
    limit: budgetText({ currency }, limit),
    warn: budget.warn ?? 80,
  };
}

function amountIn(given: string | number, at: Steps, parsed: ParsedStateFile): bigint {
  const text = String(given);
  const amount = /^(0|[1-9]\d*)(\.\d{1,6})?$/.test(text) ? readAmount(text) : null;
  return amount === null || amount > AMOUNT_MAX
    ? parsed.refuse(at, "An amount has at most six decimals and no sign, such as 0.35, and is not too large.")
    : amount;
}

function zoneOf(name = "UTC", at: Steps, parsed: ParsedStateFile): string {
  return isTimeZone(name)
    ? canonicalTimeZone(name)
    : parsed.refuse([...at, "time_zone"], `There is no time zone ${name}.`);
}

/** Of two defaults for the same context, which one applies would depend on their ages, which no file describes. */
function refuseTwoDefaults(credentials: readonly CredentialEntry[], at: Steps, parsed: ParsedStateFile): void {
  const reach = ({ contexts = [] }: CredentialEntry) => (contexts.length === 0 ? CONTEXTS : contexts);
  const defaults = credentials.map((each, index) => ({ each, index })).filter(({ each }) => each.default === true);
  for (const { each, index } of defaults) {
    const other = defaults.find(
      (one) =>
        one.index < index &&
        one.each.source === each.source &&
        reach(one.each).some((context) => reach(each).includes(context)),
    );
    if (other !== undefined)
      parsed.refuse(
        [...at, index, "default"],
        `The credential ${other.each.key} is a default for ${each.source} in the same context.`,
      );
  }
}
