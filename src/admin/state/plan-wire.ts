import { Type } from "../../terms/schema/type.ts";
import { anything, count, listOf, oneOf, orNull, text, yesOrNo } from "../result-schemas.ts";
import type { OpenedPlan } from "./open-plan.ts";
import { createsObject, type StateAction, type StateChange, takesAway } from "./plan-state.ts";
import { keysOf, KINDS } from "./state-object.ts";

/** Inputs and results of the verbs of state files. */

/** As large as a request of the admin API may be, with the rest of the input. */
const STATE_CHARS_MAX = 1_000_000;

export const stateInputs = {
  state: Type.String({ maxLength: STATE_CHARS_MAX, description: "The state file, in YAML or JSON", "x-file": true }),
  prune: Type.Optional(
    Type.Boolean({
      description:
        "Disable, revoke or remove objects with a key that the file does not describe, and those it replaces",
    }),
  ),
};

const ACTIONS = ["create", "adopt", "update", "replace", "remove"] as const satisfies readonly StateAction[];

const wireChange = Type.Object({
  action: oneOf(...ACTIONS),
  kind: oneOf(...KINDS),
  object: { ...text, description: "The key of the organization, if it has one, and that of the object" },
  id: orNull(text),
  drift: { ...yesOrNo, description: "The object was changed since a file was last applied" },
  needs_prune: { ...yesOrNo, description: "It takes something away, so that it needs `prune`" },
  fields: listOf(Type.Object({ field: text, before: anything, after: anything })),
});

export const wirePlan = {
  changes: listOf(wireChange),
  kept: {
    ...listOf(Type.Object({ kind: text, object: text, id: text })),
    description: "Objects with a key that the file does not describe, which stay without `prune`",
  },
  drifted: { ...count, description: "How many changes undo what was changed since a file was last applied" },
  file_digest: { ...text, description: "SHA-256 of the file" },
  store_digest: { ...text, description: "Changes whenever an object with a key changes" },
};

export function toWireChange(change: StateChange) {
  const { action, kind, id, drift, fields } = change;
  return {
    action,
    kind,
    object: keysOf(change),
    id,
    drift,
    needs_prune: takesAway(change),
    fields: fields.map(({ field, before, after }) => ({ field, before, after })),
  };
}

export function toWirePlan({ plan, parsed, state }: OpenedPlan) {
  return {
    changes: plan.changes.map(toWireChange),
    kept: plan.kept.map((object) => ({ kind: object.kind, object: keysOf(object), id: object.id })),
    drifted: plan.changes.filter(({ drift }) => drift).length,
    file_digest: parsed.digest,
    store_digest: state.digest,
  };
}

/** Where the values of new credentials are: `env:NAME` and `file:PATH`. */
export function neededSecrets({ plan }: OpenedPlan): readonly string[] {
  const created = plan.changes.filter((change) => change.kind === "credential" && createsObject(change));
  const places = created.flatMap(({ described }) =>
    Object.values((described?.spec["fields"] ?? {}) as Readonly<Record<string, string>>),
  );
  return [...new Set(places.map((place) => place.slice(2, -1)))];
}
