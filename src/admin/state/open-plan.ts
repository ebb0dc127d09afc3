import type { AdminStore, KeyedObject, SourceListing } from "../ports.ts";
import { describeObjects } from "./describe-objects.ts";
import { refuseUnusable } from "./refuse-unusable.ts";
import { planState, type StatePlan } from "./plan-state.ts";
import { parseStateFile, type ParsedStateFile } from "./read-state-file.ts";
import { type Keyed, readStored, type StoredState } from "./read-stored.ts";
import { type DescribedObject, nameOf } from "./state-object.ts";

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
  const adopted = described.filter((object) => object.adopts !== null && !names.has(nameOf(object)));
  const renamed = new Set(adopted.map(({ adopts }) => adopts));
  const kept = keyed.filter(({ id }) => !renamed.has(id));
  const organizations = new Map(
    [
      ...kept.filter(({ kind }) => kind === "organization"),
      ...adopted.filter(({ kind }) => kind === "organization"),
    ].map((each) => [each.key, "id" in each ? each.id : each.adopts]),
  );
  return [
    ...kept.map((each) =>
      each.parent === null ? each : { ...each, parent: keyOfOrganization(each.organizationId, organizations) },
    ),
    ...adopted.map(({ kind, parent, key, adopts }) => ({
      kind,
      parent,
      key,
      id: adopts!,
      applied: null,
      organizationId: parent === null ? null : (organizations.get(parent) ?? null),
    })),
  ];
}

function keyOfOrganization(id: string | null, organizations: ReadonlyMap<string, string | null>): string | null {
  return [...organizations].find(([, known]) => known === id)?.[0] ?? null;
}
