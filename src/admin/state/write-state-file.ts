import { stringify } from "yaml";
import type { Json, JsonObject } from "../../terms/json/json.ts";
import { tokenState } from "../operator-wire.ts";
import type { AdminStore, StateKind } from "../ports.ts";
import { toKeyed } from "./open-plan.ts";
import { type Keyed, readStored } from "./read-stored.ts";
import { type StoredObject, textIn } from "./state-object.ts";

/**
 * The state file of a store: of the objects with keys or, with `adopt`, of all objects, with a key for each that has
 * none yet.
 */
export async function writeStateFile(store: AdminStore, wallAt: number, adopt: boolean): Promise<string> {
  const keyed = toKeyed(await store.keyedObjects());
  const all = adopt ? await withProposedKeys(keyed, store, wallAt) : keyed;
  const { objects } = await readStored(all, store, wallAt);
  const present = objects.filter(({ spec }) => spec !== null);
  const ofKind = (kind: StateKind, parent: string | null) =>
    present.filter((object) => object.kind === kind && object.parent === parent).toSorted(byKey);
  const entries = (kind: StateKind, parent: string | null) => ofKind(kind, parent).map(toEntry);
  const file = {
    version: 1,
    ...list(
      "organizations",
      ofKind("organization", null).map((organization) => ({
        ...toEntry(organization),
        ...list("workflows", entries("workflow", organization.key)),
        ...list("credentials", entries("credential", organization.key)),
        ...list("tokens", entries("token", organization.key)),
        ...list("budgets", entries("budget", organization.key)),
      })),
    ),
    ...list("operators", entries("operator", null)),
  };
  return stringify(file, { version: "1.2", schema: "core", lineWidth: 0 });
}

function list(name: string, entries: readonly JsonObject[]): JsonObject {
  return entries.length === 0 ? {} : { [name]: entries as unknown as Json };
}

/** What a field has if a file leaves it out. */
const DEFAULTS: Readonly<Record<string, Json>> = {
  disabled: false,
  auto_credentials: false,
  failure_details: true,
  mask_credentials: false,
  simulated: false,
  default: false,
  revision: 1,
  time_zone: "UTC",
  warn: 80,
  above: 0,
};

function toEntry({ kind, key, id, spec, applied }: StoredObject): JsonObject {
  const { limit: _, prices, ...fields } = spec!;
  const described = Object.entries(fields).filter(([name, value]) => isTold(name, value));
  return {
    key,
    ...(applied === null && { id }),
    ...Object.fromEntries(described.filter(([name]) => !(kind === "budget" && name === "currency"))),
    ...(kind === "budget" && limitEntry(textIn(spec, "limit"), fields["currency"] ?? null)),
    ...(Array.isArray(prices) &&
      (prices.length > 0 || applied?.["prices"] !== undefined) && {
        prices: prices.map((price) =>
          Object.fromEntries(Object.entries(price as JsonObject).filter(([name, value]) => isTold(name, value))),
        ),
      }),
  };
}

function isTold(name: string, value: Json): boolean {
  if (value === null || value === "" || value === DEFAULTS[name]) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

function limitEntry(limit: string, currency: Json): JsonObject {
  const [amount = ""] = limit.split(" ");
  return currency === null ? { calls: Number(amount) } : { amount, currency };
}

function byKey({ key: one }: StoredObject, { key: other }: StoredObject): number {
  return one < other ? -1 : 1;
}

async function withProposedKeys(keyed: readonly Keyed[], store: AdminStore, wallAt: number): Promise<readonly Keyed[]> {
  const found: Keyed[] = [...keyed];
  const known = new Map(keyed.map((each) => [each.id, each]));
  const add = (kind: StateKind, organizationId: string | null, id: string, name: string): string => {
    const before = known.get(id);
    if (before !== undefined) return before.key;
    const parent = organizationId === null ? null : known.get(organizationId)!.key;
    const isTaken = (key: string) =>
      found.some((each) => each.kind === kind && each.parent === parent && each.key === key);
    const base = slug(name) || kind;
    let key = base;
    for (let number = 2; isTaken(key); number += 1) key = `${base}-${number}`;
    const added = { kind, parent, key, id, applied: null, organizationId };
    found.push(added);
    known.set(id, added);
    return key;
  };
  for (const organization of (await store.organizations()).toReversed()) {
    const { id, name } = organization;
    add("organization", null, id, name);
    for (const workflow of (await store.workflows(id)).toReversed()) add("workflow", id, workflow.id, workflow.name);
    for (const credential of (await store.credentials({ organizationId: id })).toReversed())
      add("credential", id, credential.id, credential.name ?? credential.source);
    for (const token of (await store.tokens(id, { state: "active", wallAt })).toReversed())
      add("token", id, token.id, token.name);
    for (const { budget } of await store.budgets(id)) {
      const scope = [budget.source, budget.workflowId, budget.credentialId]
        .filter((part) => part !== null)
        .map((part) => known.get(part)?.key ?? part);
      add("budget", id, budget.id, [...scope, `a ${budget.per}`].join(" "));
    }
  }
  for (const operator of (await store.operators()).toReversed())
    if (operator.login === "token" && tokenState(operator, wallAt) === "active")
      add("operator", null, operator.id, operator.name);
  return found;
}

const KEY_CHARS_MAX = 56;

function slug(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, KEY_CHARS_MAX);
}
