import { canonicalJson, type JsonObject } from "../../terms/json/json.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import type { StateKind } from "../ports.ts";
import { type DescribedObject, type StoredObject, textIn } from "./state-object.ts";

/** How the changes of one object are made. */
export interface ObjectWork {
  /** Asks a verb. Inputs that are `null` or undefined are left out. */
  ask(verb: string, input: Readonly<Record<string, unknown>>): Promise<JsonObject>;
  /** The id of the object with this key: an organization, or an object of the same organization. */
  idOf(kind: StateKind, key: string): string;
  /** The values of `env:NAME` and `file:PATH`. */
  readonly secrets: Readonly<Record<string, string>>;
}

interface CreatingVerb {
  readonly verb: string;
  /** The field of its result with the id of the object. */
  readonly id: string;
  /** The field of its result with the token, which is shown once. */
  readonly token?: string;
  input(object: DescribedObject, work: ObjectWork): Readonly<Record<string, unknown>>;
}

/** What creates an object, with everything that it cannot get afterwards. */
const CREATED_BY: Readonly<Record<StateKind, CreatingVerb>> = {
  organization: { verb: "org create", id: "organization_tuid", input: ({ spec }) => ({ name: spec["name"] }) },
  workflow: {
    verb: "workflow create",
    id: "workflow",
    input: ({ key, spec }) => {
      const { name, auto_credentials, failure_details, mask_credentials, simulated } = spec;
      return { name: name ?? key, auto_credentials, failure_details, mask_credentials, simulated };
    },
  },
  credential: { verb: "credential create", id: "cred_id", input: credentialInput },
  token: {
    verb: "token create",
    id: "token_id",
    token: "access_token",
    input: ({ key, spec, expiresIn }) => ({ name: spec["name"] ?? key, expires_in: expiresIn }),
  },
  budget: { verb: "budget set", id: "budget", input: budgetInput },
  operator: {
    verb: "operator create",
    id: "operator_id",
    token: "operator_token",
    input: ({ spec, expiresIn }) => ({ name: spec["name"], role: spec["role"], expires_in: expiresIn }),
  },
};

/** The noun of the verbs for existing objects, their input that names one, and the verb that takes it away. */
const VERBS_OF: Readonly<Record<StateKind, readonly [noun: string, input: string, removing: string]>> = {
  organization: ["org", "org", "disable"],
  workflow: ["workflow", "workflow", "disable"],
  credential: ["credential", "cred_id", "disable"],
  token: ["token", "token_id", "revoke"],
  budget: ["budget", "budget", "remove"],
  operator: ["operator", "operator", "revoke"],
};

/** Creates an object. `updateObject` then sets what its verb does not take. */
export async function createObject(
  object: DescribedObject,
  work: ObjectWork,
): Promise<{ readonly id: string; readonly token: string | null }> {
  const { verb, id, token, input } = CREATED_BY[object.kind];
  const made = await work.ask(verb, { org: organizationOf(object, work), ...input(object, work) });
  return { id: textIn(made, id), token: token === undefined ? null : textIn(made, token) };
}

/** What an object is after `createObject`, for `updateObject`. */
export function specOfNew({ spec }: DescribedObject): JsonObject {
  return { ...spec, disabled: false, functions: {}, sources: {}, shadow: {}, prices: [] };
}

/** Changes everything of an existing object that may change and differs. */
export async function updateObject(object: DescribedObject, before: JsonObject, work: ObjectWork): Promise<void> {
  const { kind, key, spec } = object;
  const id = work.idOf(kind, key);
  const differs = (field: string) =>
    Object.hasOwn(spec, field) && canonicalJson(spec[field]) !== canonicalJson(before[field]);
  switch (kind) {
    case "organization":
      if (differs("name")) await work.ask("org rename", { org: id, name: spec["name"] });
      break;
    case "workflow":
      await updateWorkflow(id, object, before, differs, work);
      break;
    case "credential":
      if (differs("name")) await work.ask("credential rename", { cred_id: id, name: spec["name"] });
      if (differs("prices")) await setPrices(id, pricesIn(before), pricesIn(spec), work);
      break;
    case "budget":
      if (differs("limit") || differs("warn"))
        await work.ask("budget set", { org: organizationOf(object, work), ...budgetInput(object, work) });
      break;
    case "operator":
      if (differs("role")) await work.ask("operator set", { operator: id, role: spec["role"] });
      break;
    case "token":
  }
  const [noun, input] = VERBS_OF[kind];
  if (differs("disabled"))
    await work.ask(`${noun} ${spec["disabled"] === true ? "disable" : "enable"}`, { [input]: id });
}

/** Disables or revokes an object, or removes a budget. */
export async function removeObject({ kind, id }: StoredObject, ask: ObjectWork["ask"]): Promise<void> {
  const [noun, input, removing] = VERBS_OF[kind];
  await ask(`${noun} ${removing}`, { [input]: id });
}

function organizationOf({ parent }: DescribedObject, { idOf }: ObjectWork): string | null {
  return parent === null ? null : idOf("organization", parent);
}

function credentialInput({ spec }: DescribedObject, { secrets }: ObjectWork): Readonly<Record<string, unknown>> {
  const fields = Object.entries(spec["fields"] as Readonly<Record<string, string>>);
  const references = Object.entries(spec["references"] as Readonly<Record<string, string>>);
  return {
    source: spec["source"],
    ...(fields.length > 0 && {
      fields: Object.fromEntries(fields.map(([name, from]) => [name, valueOf(from, secrets)])),
    }),
    ...(references.length > 0 && { ref: references.map(([name, reference]) => `${name}=${reference}`) }),
    default: spec["default"],
    context: spec["contexts"],
    region: spec["regions"],
    name: spec["name"],
    note: spec["note"],
  };
}

/** @throws OperatorError without its value */
function valueOf(from: string, secrets: ObjectWork["secrets"]): string {
  const name = from.slice(2, -1);
  if (Object.hasOwn(secrets, name)) return secrets[name]!;
  throw new OperatorError("invalid", `The value of ${from} is not given.`);
}

function budgetInput({ spec }: DescribedObject, { idOf }: ObjectWork): Readonly<Record<string, unknown>> {
  const { workflow, credential, source, per, time_zone, currency, warn } = spec;
  const [amount = ""] = textIn(spec, "limit").split(" ");
  const refer = (kind: StateKind, key: unknown) => (typeof key === "string" ? idOf(kind, key) : null);
  return {
    workflow: refer("workflow", workflow),
    source,
    credential: refer("credential", credential),
    per,
    time_zone,
    ...(typeof currency === "string" ? { amount, currency } : { calls: Number(amount) }),
    warn,
  };
}

async function updateWorkflow(
  workflow: string,
  { spec }: DescribedObject,
  before: JsonObject,
  differs: (field: string) => boolean,
  { ask }: ObjectWork,
): Promise<void> {
  const names = ["name", "auto_credentials", "failure_details", "mask_credentials"].filter(differs);
  const changed = {
    ...Object.fromEntries(names.map((name) => [name, spec[name]])),
    ...(differs("functions") && { function: versionInputs(before["functions"], spec["functions"], "latest") }),
    ...(differs("sources") && { source: versionInputs(before["sources"], spec["sources"], "latest") }),
  };
  if (Object.keys(changed).length > 0) await ask("workflow set", { workflow, ...changed });
  for (const shadow of versionInputs(before["shadow"], spec["shadow"], "off")) {
    const [version = "", percent] = shadow.split("@");
    const sample = percent === undefined ? {} : { shadow_sample: Number(percent.replace("%", "")) };
    await ask("workflow set", { workflow, shadow: [version], ...sample });
  }
}

/** What `workflow set` takes to get from some versions to others. */
function versionInputs(before: unknown, after: unknown, none: "latest" | "off"): readonly string[] {
  const [was, is] = [before ?? {}, after ?? {}] as Readonly<Record<string, string>>[];
  const ids = [...new Set([...Object.keys(was!), ...Object.keys(is!)])];
  return ids.filter((id) => was![id] !== is![id]).map((id) => `${id}=${is![id] ?? none}`);
}

function pricesIn(spec: JsonObject): readonly JsonObject[] {
  return (spec["prices"] ?? []) as unknown as readonly JsonObject[];
}

async function setPrices(
  credential: string,
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  { ask }: ObjectWork,
): Promise<void> {
  const remove = (from: unknown, above?: unknown) =>
    ask("credential price remove", { cred_id: credential, from, above });
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
      const same = known.some((other) => canonicalJson(other) === canonicalJson({ above: above!, ...price }));
      const step = above === 0 ? {} : { above };
      if (!same) await ask("credential price set", { cred_id: credential, ...price, ...step });
    }
    for (const { above } of known) if (!wanted.some((price) => price["above"] === above)) await remove(from, above);
  }
}
