import { canonicalJson, type Json, type JsonObject } from "../../terms/json/json.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { findVerbs } from "../find-verbs.ts";
import type { GivenToVerbs } from "../needs.ts";
import type { AdminStore, StateAct, StateKind } from "../ports.ts";
import { runVerb } from "../run-verb.ts";
import { createObject, type ObjectWork, removeObject, specOfNew, updateObject } from "./change-object.ts";
import { createsObject, type StateChange, type StatePlan } from "./plan-state.ts";
import type { StoredState } from "./read-stored.ts";
import { type DescribedObject, keysOf, KINDS, nameOf, type StoredObject } from "./state-object.ts";

/** A token that was created, which is shown once. */
export interface IssuedSecret {
  readonly kind: "token" | "operator";
  /** `acme/back-end`, or the key of an operator. */
  readonly name: string;
  readonly id: string;
  readonly token: string;
}

export interface AppliedState {
  readonly done: readonly StateChange[];
  readonly issued: readonly IssuedSecret[];
  /** Why the next change failed; `null` if all were made. */
  readonly problem: OperatorError | null;
}

export interface ApplyParts {
  readonly store: AdminStore;
  readonly given: GivenToVerbs;
  /** The digest of the file. */
  readonly file: string;
  /** The last change of the store before it was compared with the file. */
  readonly lastChange: number;
  /** Compares them again. */
  readonly compare: () => Promise<StatePlan>;
  /** The values of `env:NAME` and `file:PATH`. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly onProgress: (what: string, done: number, of: number) => void;
}

/**
 * Makes the changes of a plan by the verbs of operators, one by one, so that each is checked and recorded as if a person
 * had made it. If somebody else changes the store meanwhile, the next change is made only if what is left of the plan
 * stays the same. Applying the file again continues after a failure.
 */
export async function applyState(plan: StatePlan, state: StoredState, parts: ApplyParts): Promise<AppliedState> {
  const since = { changes: parts.lastChange };
  const work = createWork(state, since, parts);
  const done: StateChange[] = [];
  let [problem, steps]: [OperatorError | null, number] = [null, 0];
  const all = stepsOf(plan, work);
  try {
    for (const { change, run, isLast } of all) {
      await refuseOtherChanges(since, all.slice(steps), parts);
      await run();
      steps += 1;
      parts.onProgress("changes made", steps, all.length);
      if (isLast) done.push(change);
      // The event loop serves runs meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const stale = plan.same.filter(
      ({ described, stored }) => canonicalJson(described.spec) !== canonicalJson(stored.applied!),
    );
    await parts.store.recordApplied(stale.map(({ described, stored }) => ({ id: stored.id, applied: described.spec })));
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const failed = all[steps]?.change;
    problem =
      failed === undefined
        ? error
        : new OperatorError(error.code, `${nameOf(failed)}: ${error.message}`, { cause: error });
  }
  return { done, issued: work.issued, problem };
}

/** @throws OperatorError if the changes that these steps make are no longer those of a new plan */
async function refuseOtherChanges(
  since: StateAct["since"],
  left: readonly Step[],
  { store, compare }: ApplyParts,
): Promise<void> {
  const lastChange = await store.lastChange();
  if (lastChange === since.changes) return;
  // A change of which only the last step is left is in no new plan.
  const whole = Map.groupBy(left, ({ change }) => change).entries();
  const planned = [...whole].flatMap(([change, steps]) => (steps.length === stepsIn(change) ? [change] : []));
  const text = (changes: readonly StateChange[]): string =>
    changes
      .map(({ action, id, fields, ...names }) => canonicalJson([action, nameOf(names), id, fields] as unknown as Json))
      .toSorted()
      .join("\n");
  if (text((await compare()).changes) !== text(planned))
    throw new OperatorError(
      "refused",
      "Somebody else has changed what this file describes since it was compared with the store. Compare them again.",
    );
  since.changes = lastChange;
}

interface Step {
  readonly change: StateChange;
  /** Whether the change is complete after it. */
  readonly isLast: boolean;
  run(): Promise<void>;
}

/** Kinds of which the store allows only one of a name or a scope: the old one goes first. */
const UNIQUE: ReadonlySet<StateKind> = new Set(["budget", "operator"]);

function stepsIn({ action }: StateChange): number {
  return action === "replace" ? 2 : 1;
}

function stepsOf({ changes }: StatePlan, work: Work): readonly Step[] {
  const replaced = changes.filter(({ action }) => action === "replace");
  const removed = changes.filter(({ action }) => action === "remove");
  const step = (change: StateChange, isLast: boolean, run: () => Promise<void>): Step => ({ change, isLast, run });
  const isUnique = ({ kind }: StateChange) => UNIQUE.has(kind);
  const setChanges = KINDS.flatMap((kind) =>
    changes.filter((change) => change.kind === kind && change.action !== "remove"),
  );
  return [
    ...removed.filter(isUnique).map((change) => step(change, true, () => work.remove(change))),
    ...replaced.filter(isUnique).map((change) => step(change, false, () => work.remove(change))),
    ...setChanges.map((change) =>
      step(change, change.action !== "replace" || isUnique(change), () => work.set(change)),
    ),
    ...[...replaced.filter((change) => !isUnique(change)), ...removed.filter((change) => !isUnique(change))]
      .toSorted((one, other) => KINDS.indexOf(other.kind) - KINDS.indexOf(one.kind))
      .map((change) => step(change, true, () => work.remove(change))),
  ];
}

interface Work {
  readonly issued: readonly IssuedSecret[];
  set(change: StateChange): Promise<void>;
  remove(change: StateChange): Promise<void>;
}

function createWork(state: StoredState, since: StateAct["since"], { store, given, file, secrets }: ApplyParts): Work {
  const verbs = findVerbs();
  const issued: IssuedSecret[] = [];
  const ids = new Map(state.objects.map((object) => [nameOf(object), object.id]));
  const idOf = (kind: StateKind, parent: string | null, key: string): string => ids.get(nameOf({ kind, parent, key }))!;

  async function ask(name: string, input: Readonly<Record<string, unknown>>, record: Keying): Promise<JsonObject> {
    const named = Object.fromEntries(
      Object.entries(input).filter(([, value]) => value !== undefined && value !== null),
    );
    const actor = { ...given.actor, state: { ...record, file, since } };
    return runVerb(name, await verbs.load(name), named, { ...given, actor, note: () => {} });
  }

  /** Records what changes the key of an object and nothing else. */
  async function recordKeying(what: string, { kind, parent, id }: StoredObject, keying: Keying): Promise<void> {
    const ofParent = parent === null ? null : idOf("organization", null, parent);
    const act = { ...given.actor, what, wallAt: given.clock.wall(), state: { ...keying, file, since } };
    await store.recordAct(act, { organizationId: kind === "organization" ? id : ofParent, subjectId: id, detail: {} });
  }

  function bindOf({ kind, parent, key, spec }: DescribedObject, replaces: string | null) {
    const parentId = parent === null ? null : idOf("organization", null, parent);
    return { bind: { kind, parentId, key, applied: spec, replaces } };
  }

  function workOn(object: DescribedObject, replaces: string | null): ObjectWork {
    const bind = bindOf(object, replaces);
    return {
      ask: (verb, input) => ask(verb, input, bind),
      idOf: (kind, key) => idOf(kind, kind === "organization" ? null : object.parent, key),
      secrets,
    };
  }

  async function create(object: DescribedObject, replaces: string | null): Promise<void> {
    const { id, token } = await createObject(object, workOn(object, replaces));
    ids.set(nameOf(object), id);
    if (token !== null) issued.push({ kind: object.kind as IssuedSecret["kind"], name: keysOf(object), id, token });
    await updateObject(object, specOfNew(object), workOn(object, id));
  }

  return {
    issued,

    async set(change) {
      const { action, described, stored } = change;
      if (described === null) return;
      if (createsObject(change)) return create(described, stored?.id ?? null);
      const { id, spec } = stored!;
      if (action === "adopt") await recordKeying("state adopt", stored!, bindOf(described, id));
      await updateObject(described, spec ?? {}, workOn(described, id));
    },

    async remove({ action, stored, fields }) {
      // The key of a replaced object belongs to another one already, unless the old one goes first.
      const release = { release: stored!.id };
      if (action === "remove" && fields.length === 0) await recordKeying("state release", stored!, release);
      else await removeObject(stored!, (verb, input) => ask(verb, input, release));
    },
  };
}

/** How a change changes the key of its object. */
type Keying = Pick<StateAct, "bind" | "release">;
