import type { Json, JsonObject } from "../../terms/json/json.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { findVerbs } from "../find-verbs.ts";
import type { GivenToVerbs } from "../needs.ts";
import type { AdminStore, StateAct, StateKind } from "../ports.ts";
import { runVerb } from "../run-verb.ts";
import type { StateChange, StatePlan } from "./plan-state.ts";
import type { StoredState } from "./read-stored.ts";
import { canonical, type DescribedObject, KINDS, nameOf, textIn } from "./state-object.ts";

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
    const stale = plan.same.filter(({ described, stored }) => canonical(described.spec) !== canonical(stored.applied!));
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
      .map(({ action, id, fields, ...names }) => canonical([action, nameOf(names), id, fields] as unknown as Json))
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

  async function ask(name: string, input: JsonObject, record: Omit<StateAct, "file" | "since"> = {}) {
    // An undefined property is one that was left out.
    const cleaned = Object.fromEntries(
      Object.entries(input).filter(([, value]) => value !== undefined && value !== null),
    );
    const actor = { ...given.actor, state: { ...record, file, since } };
    return runVerb(name, await verbs.load(name), cleaned, { ...given, actor, note: () => {} });
  }

  function bindOf({ kind, parent, key, stored }: StateChange, { spec }: DescribedObject) {
    const parentId = parent === null ? null : idOf("organization", null, parent);
    return { bind: { kind, parentId, key, applied: spec, replaces: stored?.id ?? null } };
  }

  async function create(change: StateChange, described: DescribedObject): Promise<void> {
    const { kind, parent, key } = change;
    const { spec } = described;
    const org = parent === null ? "" : idOf("organization", null, parent);
    const bind = bindOf(change, described);
    const known = (made: JsonObject, field: string): void => void ids.set(nameOf(change), textIn(made, field));
    const expiry = described.expiresIn === undefined ? {} : { expires_in: described.expiresIn };
    switch (kind) {
      case "organization": {
        known(await ask("org create", { name: spec["name"]! }, bind), "organization_tuid");
        break;
      }
      case "workflow": {
        const { name, auto_credentials, failure_details, mask_credentials, simulated } = spec;
        const settings = { auto_credentials, failure_details, mask_credentials, simulated } as JsonObject;
        known(await ask("workflow create", { org, name: name ?? key, ...settings }, bind), "workflow");
        break;
      }
      case "credential": {
        const fields = Object.entries(spec["fields"] as Readonly<Record<string, string>>);
        const references = Object.entries(spec["references"] as Readonly<Record<string, string>>);
        const input = {
          org,
          source: spec["source"]!,
          ...(fields.length > 0 && { fields: Object.fromEntries(fields.map(([name, from]) => [name, valueOf(from)])) }),
          ...(references.length > 0 && { ref: references.map(([name, reference]) => `${name}=${reference}`) }),
          default: spec["default"]!,
          context: spec["contexts"]!,
          region: spec["regions"]!,
          name: spec["name"] ?? null,
          note: spec["note"]!,
        };
        known(await ask("credential create", input, bind), "cred_id");
        break;
      }
      case "token": {
        const made = await ask("token create", { org, name: spec["name"] ?? key, ...expiry }, bind);
        known(made, "token_id");
        issued.push({
          kind,
          name: `${parent}/${key}`,
          id: textIn(made, "token_id"),
          token: textIn(made, "access_token"),
        });
        break;
      }
      case "budget":
        known(await setBudget(org, parent!, described, bind), "budget");
        break;
      case "operator": {
        const made = await ask("operator create", { name: spec["name"]!, role: spec["role"]!, ...expiry }, bind);
        known(made, "operator_id");
        issued.push({ kind, name: key, id: textIn(made, "operator_id"), token: textIn(made, "operator_token") });
      }
    }
  }

  /** @throws OperatorError without its value */
  function valueOf(from: string): string {
    const name = from.slice(2, -1);
    if (Object.hasOwn(secrets, name)) return secrets[name]!;
    throw new OperatorError("invalid", `The value of ${from} is not given.`);
  }

  function setBudget(org: string, parent: string, { spec }: DescribedObject, record: Parameters<typeof ask>[2]) {
    const { workflow, credential, source = null, per, time_zone, currency, warn } = spec;
    const [amount = ""] = textIn(spec, "limit").split(" ");
    const refer = (kind: StateKind, key: unknown) => (typeof key === "string" ? idOf(kind, parent, key) : null);
    const input = {
      org,
      workflow: refer("workflow", workflow),
      source,
      credential: refer("credential", credential),
      per: per!,
      time_zone: time_zone!,
      ...(typeof currency === "string" ? { amount, currency } : { calls: Number(amount) }),
      warn: warn!,
    };
    return ask("budget set", input, record);
  }

  /** Everything of an existing object that may change. */
  async function update(change: StateChange, described: DescribedObject, before: JsonObject): Promise<void> {
    const { kind, parent, key } = change;
    const id = idOf(kind, parent, key);
    const { spec } = described;
    const differs = (field: string) =>
      Object.hasOwn(spec, field) && canonical(spec[field]) !== canonical(before[field]);
    const bind = bindOf(change, described);
    const disable = async (noun: string, input: string) => {
      if (differs("disabled"))
        await ask(`${noun} ${spec["disabled"] === true ? "disable" : "enable"}`, { [input]: id }, bind);
    };
    switch (kind) {
      case "organization":
        if (differs("name")) await ask("org rename", { org: id, name: spec["name"]! }, bind);
        await disable("org", "org");
        break;
      case "workflow": {
        const names = ["name", "auto_credentials", "failure_details", "mask_credentials"].filter(differs);
        const settings = Object.fromEntries(names.map((name) => [name, spec[name]!]));
        const versions = {
          ...(differs("functions") && { function: versionInputs(before["functions"], spec["functions"], "latest") }),
          ...(differs("sources") && { source: versionInputs(before["sources"], spec["sources"], "latest") }),
        };
        if (names.length > 0 || Object.keys(versions).length > 0)
          await ask("workflow set", { workflow: id, ...settings, ...versions }, bind);
        for (const shadow of versionInputs(before["shadow"], spec["shadow"], "off")) {
          const [version = "", percent] = shadow.split("@");
          const sample = percent === undefined ? {} : { shadow_sample: Number(percent.replace("%", "")) };
          await ask("workflow set", { workflow: id, shadow: [version], ...sample }, bind);
        }
        await disable("workflow", "workflow");
        break;
      }
      case "credential":
        if (differs("name")) await ask("credential rename", { cred_id: id, name: spec["name"]! }, bind);
        if (differs("prices"))
          await setPrices(id, (before["prices"] ?? []) as unknown as readonly JsonObject[], described, bind);
        await disable("credential", "cred_id");
        break;
      case "budget":
        if (differs("limit") || differs("warn"))
          await setBudget(idOf("organization", null, parent!), parent!, described, bind);
        break;
      case "operator":
        if (differs("role")) await ask("operator set", { operator: id, role: spec["role"]! }, bind);
        break;
      case "token":
    }
  }

  async function setPrices(
    credential: string,
    before: readonly JsonObject[],
    { spec }: DescribedObject,
    bind: Parameters<typeof ask>[2],
  ): Promise<void> {
    const after = (spec["prices"] ?? []) as unknown as readonly JsonObject[];
    const remove = (from: unknown, above?: unknown) =>
      ask("credential price remove", { cred_id: credential, from, above } as JsonObject, bind);
    for (const from of new Set([...before, ...after].map((price) => price["from"]))) {
      let known = before.filter((price) => price["from"] === from);
      const wanted = after.filter((price) => price["from"] === from);
      const [was, is] = [known[0], wanted[0]];
      const isUnlike = (["currency", "per", "time_zone"] as const).some((name) => was?.[name] !== is?.[name]);
      if (was !== undefined && (is === undefined || isUnlike)) {
        await remove(from);
        known = [];
      }
      for (const { above, ...price } of wanted) {
        const same = known.some((other) => canonical(other) === canonical({ above: above!, ...price }));
        const step = above === 0 ? {} : { above: above! };
        if (!same) await ask("credential price set", { cred_id: credential, ...price, ...step }, bind);
      }
      for (const { above } of known) if (!wanted.some((price) => price["above"] === above)) await remove(from, above);
    }
  }

  return {
    issued,

    async set(change) {
      const { action, kind, parent, key, described, stored } = change;
      if (described === null) return;
      if (action === "create" || action === "replace") {
        await create(change, described);
        const { disabled: _, functions: __, sources: ___, shadow: ____, prices: _____, ...created } = described.spec;
        const fresh = { ...created, disabled: false, functions: {}, sources: {}, shadow: {}, prices: [] };
        await update(
          { ...change, stored: { ...change, spec: null, applied: null, id: idOf(kind, parent, key) } },
          described,
          fresh,
        );
        return;
      }
      if (action === "adopt") {
        const subject = { organizationId: organizationOf(change), subjectId: stored!.id, detail: {} };
        const { clock, actor } = given;
        const state = { ...bindOf(change, described), file, since };
        await store.recordAct({ ...actor, what: "state adopt", wallAt: clock.wall(), state }, subject);
      }
      await update(change, described, stored!.spec ?? {});
    },

    async remove({ action, kind, stored, fields }) {
      const { id } = stored!;
      // The key of a replaced object belongs to another one already, unless the old one goes first.
      const release = { release: id };
      if (action === "remove" && fields.length === 0) {
        const { clock, actor } = given;
        const subject = { organizationId: organizationOf(stored!), subjectId: id, detail: {} };
        const act = { ...actor, what: "state release", wallAt: clock.wall(), state: { ...release, file, since } };
        await store.recordAct(act, subject);
        return;
      }
      const [verb, input] = REMOVED_BY[kind];
      await ask(verb, { [input]: id }, release);
    },
  };

  function organizationOf({ kind, parent, id }: Pick<StateChange, "kind" | "parent" | "id">): string | null {
    if (kind === "organization") return id;
    return parent === null ? null : idOf("organization", null, parent);
  }
}

const REMOVED_BY: Readonly<Record<StateKind, readonly [verb: string, input: string]>> = {
  organization: ["org disable", "org"],
  workflow: ["workflow disable", "workflow"],
  credential: ["credential disable", "cred_id"],
  token: ["token revoke", "token_id"],
  budget: ["budget remove", "budget"],
  operator: ["operator revoke", "operator"],
};

/** What `workflow set` takes to get from some versions to others. */
function versionInputs(before: unknown, after: unknown, none: "latest" | "off"): readonly string[] {
  const [was, is] = [before ?? {}, after ?? {}] as Readonly<Record<string, string>>[];
  const ids = [...new Set([...Object.keys(was!), ...Object.keys(is!)])];
  return ids.filter((id) => was![id] !== is![id]).map((id) => `${id}=${is![id] ?? none}`);
}
