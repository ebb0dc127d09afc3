import type { JsonObject } from "../../terms/json/json.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import type { AdminStore, KeyedObject, SourceListing } from "../ports.ts";
import { refuseUnfit } from "../refuse-unfit.ts";
import { requireSource } from "../require.ts";
import { describeObjects } from "./describe-objects.ts";
import { createsObject, planState, type StatePlan } from "./plan-state.ts";
import { parseStateFile, type ParsedStateFile } from "./read-state-file.ts";
import { type Keyed, readStored, type StoredState } from "./read-stored.ts";
import { type DescribedObject, nameOf, textIn } from "./state-object.ts";

export interface OpenedPlan {
  readonly parsed: ParsedStateFile;
  readonly state: StoredState;
  readonly plan: StatePlan;
}

/**
 * Compares a file with the store.
 * @param sources is called only if the file has a new object that names a source
 * @throws OperatorError
 */
export async function openPlan(
  text: string,
  prune: boolean,
  store: AdminStore,
  sources: () => Promise<SourceListing>,
  wallAt: number,
): Promise<OpenedPlan> {
  const parsed = parseStateFile(text);
  const described = await describeObjects(parsed, store);
  const state = await readStored(withAdopted(toKeyed(await store.keyedObjects()), described), store, wallAt);
  const plan = planState(described, state, parsed, prune);
  await refuseUnusable(plan, parsed, sources);
  return { parsed, state, plan };
}

/** The objects with keys; those of organizations that have none any more are left out. */
export function toKeyed(objects: readonly KeyedObject[]): readonly Keyed[] {
  const organizations = new Map(objects.filter(({ kind }) => kind === "organization").map(({ id, key }) => [id, key]));
  return objects.flatMap(({ kind, parentId, key, id, applied }) => {
    const parent = parentId === null ? null : organizations.get(parentId);
    return parent === undefined ? [] : [{ kind, parent, key, id, applied, organizationId: parentId }];
  });
}

/** Adds the objects to which the file gives a key, or another one. */
function withAdopted(keyed: readonly Keyed[], described: readonly DescribedObject[]): readonly Keyed[] {
  const names = new Set(keyed.map(nameOf));
  const adopted = described
    .filter((object) => object.adopts !== null && !names.has(nameOf(object)))
    .map(({ kind, parent, key, adopts }) => ({ kind, parent, key, id: adopts!, applied: null, organizationId: null }));
  const renamed = new Set(adopted.map(({ id }) => id));
  const kept = keyed.filter(({ id }) => !renamed.has(id));
  const organizations = [...kept, ...adopted].filter(({ kind }) => kind === "organization");
  const keyOf = new Map(organizations.map(({ id, key }) => [id, key]));
  const idOf = new Map(organizations.map(({ id, key }) => [key, id]));
  return [
    ...kept.map((each) =>
      each.parent === null ? each : { ...each, parent: keyOf.get(each.organizationId ?? "") ?? null },
    ),
    ...adopted.map((each) =>
      each.parent === null ? each : { ...each, organizationId: idOf.get(each.parent) ?? null },
    ),
  ];
}

/**
 * Refuses new credentials and budgets whose source does not exist, and credentials that their source could not use: the
 * verbs that create them would refuse them, but only after other changes were made.
 * @throws OperatorError
 */
async function refuseUnusable(
  { changes }: StatePlan,
  parsed: ParsedStateFile,
  sources: () => Promise<SourceListing>,
): Promise<void> {
  for (const { kind, described } of changes.filter(createsObject)) {
    if (described === null) continue;
    const id = textIn(described.spec, "source");
    if (id === "") continue;
    const listing = await sources();
    const source = refuseAt("source", () => requireSource(listing, id));
    const { fields = {}, references = {} } = described.spec as Record<string, JsonObject>;
    if (kind === "credential") refuseAt("key", () => refuseUnfit(source, {}, { ...fields, ...references }));

    function refuseAt<Result>(field: string, check: () => Result): Result {
      try {
        return check();
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error;
        return parsed.refuse([...described!.at, field], error.message);
      }
    }
  }
}
