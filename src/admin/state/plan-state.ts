import { canonicalJson, type Json, type JsonObject } from "../../terms/json/json.ts";
import type { StateKind } from "../ports.ts";
import { budgetScope } from "./describe-objects.ts";
import type { ParsedStateFile } from "./read-state-file.ts";
import type { StoredState } from "./read-stored.ts";
import { type DescribedObject, FIXED, KINDS, nameOf, textIn, type StoredObject } from "./state-object.ts";

/**
 * `create`: a new object. `adopt`: an existing one gets its key, and changes if it differs. `update`: an object
 * changes. `replace`: it cannot change so, so that another is created in its place. `remove`: an object that the file
 * lacks is disabled, revoked or, for a budget, removed.
 */
export type StateAction = "create" | "adopt" | "update" | "replace" | "remove";

export interface ChangedField {
  readonly field: string;
  readonly before: Json;
  readonly after: Json;
}

export interface StateChange {
  readonly action: StateAction;
  readonly kind: StateKind;
  readonly parent: string | null;
  readonly key: string;
  /** `null` for a new one. */
  readonly id: string | null;
  readonly fields: readonly ChangedField[];
  /** Whether the object was changed since a file was last applied. */
  readonly drift: boolean;
  readonly described: DescribedObject | null;
  readonly stored: StoredObject | null;
}

export interface StatePlan {
  readonly changes: readonly StateChange[];
  /** Objects with keys that the file lacks, and that stay because nothing is to be removed. */
  readonly kept: readonly StoredObject[];
  /** Objects that are as the file describes them. */
  readonly same: readonly { readonly described: DescribedObject; readonly stored: StoredObject }[];
}

/** Whether the change takes something away, which needs `--prune`. */
export function takesAway({ action, stored }: Pick<StateChange, "action" | "stored">): boolean {
  return action === "remove" || (action === "replace" && stored !== null);
}

/** Whether the change makes a new object. */
export function createsObject({ action }: Pick<StateChange, "action">): boolean {
  return action === "create" || action === "replace";
}

/**
 * The changes that make the store as the file describes it, in the order of kinds.
 * @param prune whether objects that the file lacks are removed
 * @throws OperatorError if something without a key is in the way, or an object that is named does not exist
 */
export function planState(
  described: readonly DescribedObject[],
  state: StoredState,
  parsed: ParsedStateFile,
  prune: boolean,
): StatePlan {
  const stored = new Map(state.objects.map((object) => [nameOf(object), object]));
  const changes: StateChange[] = [];
  const same: StatePlan["same"][number][] = [];
  /** Names of objects that have no id yet, or get another. */
  const renewed = new Set<string>();
  const ofKinds = KINDS.flatMap((kind) => described.filter((object) => object.kind === kind));
  for (const object of ofKinds) {
    const found = stored.get(nameOf(object)) ?? null;
    if (object.adopts !== null && found?.id !== object.adopts)
      parsed.refuse([...object.at, "id"], `The key ${object.key} is that of ${found?.id ?? "no object"}.`);
    if (object.adopts !== null && found?.applied === null && found.spec === null)
      parsed.refuse([...object.at, "id"], `There is no ${object.kind} ${object.adopts} here that could be described.`);
    const change = changeOf(object, found, renewed);
    if (change === null) same.push({ described: object, stored: found! });
    else changes.push(change);
    if (change !== null && createsObject(change)) renewed.add(nameOf(object));
  }
  const names = new Set(described.map(nameOf));
  const missing = state.objects.filter((object) => object.spec !== null && !names.has(nameOf(object)));
  if (prune)
    for (const object of missing)
      changes.push({
        action: "remove",
        kind: object.kind,
        parent: object.parent,
        key: object.key,
        id: object.id,
        stored: object,
        fields: removedFields(object),
        drift: false,
        described: null,
      });
  refuseObstacles(changes, state, parsed, prune ? [] : missing);
  refuseUnknownValues(changes, parsed);
  return { changes, kept: prune ? [] : missing, same };
}

/** Objects of these kinds are disabled, not removed. */
function isDisableable({ kind }: StoredObject): boolean {
  return kind === "organization" || kind === "workflow" || kind === "credential";
}

function removedFields(object: StoredObject): readonly ChangedField[] {
  if (isDisableable(object))
    return object.spec?.["disabled"] === true ? [] : [{ field: "disabled", before: false, after: true }];
  return Object.entries(object.spec ?? {}).map(([field, before]) => ({ field, before, after: null }));
}

function changeOf(
  described: DescribedObject,
  found: StoredObject | null,
  renewed: ReadonlySet<string>,
): StateChange | null {
  const { kind, parent, key, spec } = described;
  const base = { kind, parent, key, described };
  const created = Object.entries(spec).map(([field, after]) => ({ field, before: null, after }));
  if (found === null || found.spec === null)
    return {
      ...base,
      action: "create",
      id: null,
      fields: created,
      drift: found !== null,
      stored: found,
    };
  const before = found.spec;
  const fields = Object.entries(spec)
    .filter(([field, after]) => canonicalJson(after) !== canonicalJson(before[field]))
    .map(([field, after]) => ({ field, before: before[field] ?? null, after }));
  const isAdopted = found.applied === null;
  const refersToNew =
    kind === "budget" &&
    ((typeof spec["workflow"] === "string" && renewed.has(`workflow ${parent}/${spec["workflow"]}`)) ||
      (typeof spec["credential"] === "string" && renewed.has(`credential ${parent}/${spec["credential"]}`)));
  const isFixed = refersToNew || fields.some(({ field }) => FIXED[kind].includes(field));
  const drift =
    !isAdopted &&
    fields.some(({ field }) => canonicalJson(before[field]) !== canonicalJson(found.applied?.[field] ?? null));
  const rest = { ...base, id: found.id, fields, drift, stored: found };
  if (isFixed) return { ...rest, action: "replace", fields: fields.length === 0 ? created : fields };
  if (isAdopted) return { ...rest, action: "adopt" };
  return fields.length === 0 ? null : { ...rest, action: "update" };
}

/** Refuses what the store would refuse, or take for another object, in the middle of the work. */
function refuseObstacles(
  changes: readonly StateChange[],
  state: StoredState,
  parsed: ParsedStateFile,
  kept: readonly StoredObject[],
): void {
  const organizations = new Map(
    state.objects.filter(({ kind }) => kind === "organization").map(({ key, id }) => [key, id]),
  );
  for (const { kind, parent, described } of changes.filter(createsObject)) {
    if (described === null) continue;
    const refuseSame = (has: string, isSame: (other: Pick<StoredObject, "kind" | "id" | "spec">) => boolean): void => {
      const other = state.others.find(isSame) ?? kept.find(isSame);
      if (other !== undefined)
        parsed.refuse(described.at, `The ${kind} ${other.id} has this ${has}. ${remedy(other, kept)}`);
    };
    if (kind === "operator") {
      const name = textIn(described.spec, "name").toLowerCase();
      refuseSame("name", (other) => other.kind === kind && textIn(other.spec, "name").toLowerCase() === name);
    }
    if (kind === "budget") {
      const organizationId = organizations.get(parent ?? "");
      const scope = budgetScope(described.spec);
      refuseSame(
        "scope, period, currency and time zone",
        ({ kind: other, id, spec }) =>
          other === kind && state.organizationOf.get(id) === organizationId && budgetScope(spec ?? {}) === scope,
      );
    }
  }
}

function remedy({ id }: Pick<StoredObject, "id">, kept: readonly StoredObject[]): string {
  return kept.some((each) => each.id === id)
    ? "The file does not describe it: --prune removes it."
    : `Describe it with \`id: ${id}\`, or remove it.`;
}

/** A value that only the store has cannot be that of another credential. */
function refuseUnknownValues(changes: readonly StateChange[], parsed: ParsedStateFile): void {
  for (const { kind, described } of changes.filter(createsObject)) {
    if (kind !== "credential" || described === null) continue;
    const fields = (described.spec["fields"] ?? {}) as JsonObject;
    const stored = Object.keys(fields).find((name) => fields[name] === "stored");
    if (stored !== undefined)
      parsed.refuse(
        [...described.at, "fields", stored],
        `A new credential is created here, so \${env:NAME} or \${file:PATH} has to say where the value of ${stored} is.`,
      );
  }
}
