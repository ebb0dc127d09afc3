import { Type } from "../../../terms/schema/type.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { oneOf, orNull, rowsOf, text } from "../../result-schemas.ts";
import { applyState } from "../../state/apply-state.ts";
import { openPlan } from "../../state/open-plan.ts";
import { stateInputs, toWireChange, wirePlan } from "../../state/plan-wire.ts";
import { takesAway } from "../../state/plan-state.ts";
import { renderChanges } from "../../state/render-changes.ts";
import { nameOf } from "../../state/state-object.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Change the store until it is as a state file describes it",
  description:
    'It is what "datarun apply -f FILE" does after it has read the values of credentials where the command is typed. Each change is made by the verb for it, checked and recorded like that verb, and its audit entry has the digest of the file. If one fails, those before it are made, and applying the file again continues. New tokens are in the result, and are shown only there.',
  example: "--state state.yaml --set-env env:CH_API_KEY=CH_API_KEY",
  input: {
    ...stateInputs,
    store_digest: Type.Optional(
      Type.String({
        pattern: "^[0-9a-f]{64}$",
        description: "`store_digest` of a plan: refuses if an object with a key has changed since",
        "x-says": "must be the store_digest of a plan",
      }),
    ),
    secrets: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "The values that a plan needs, by where they are: env:NAME or file:PATH",
      }),
    ),
  },
  role: "owner",
  changes: true,
  makesStore: true,
  needs: ["store", "sources", "functions", "storedVersions", "sealer", "ledger"],
  interrupted: "The changes so far are made. Apply the file again to continue.",

  result: Type.Object({
    changes: wirePlan.changes,
    file_digest: text,
    issued: {
      ...rowsOf({ kind: oneOf("token", "operator"), object: text, id: text, token: text }),
      description: "New tokens, which are shown only here",
    },
    problem: { ...orNull(text), description: "Why the next change failed; the changes before it are made" },
  }),

  async run({ state, prune = false, store_digest, secrets = {} }, call) {
    const { act, actor, clock, onProgress, sources, functions, storedVersions, sealer, ledger } = call;
    const store = await call.store();
    // Read first, so that a change while the store is read is noticed too.
    const lastChange = await store.lastChange();
    const opened = await openPlan(state, prune, store, sources, act.wallAt);
    const { plan, parsed } = opened;
    if (store_digest !== undefined && store_digest !== opened.state.digest)
      throw new OperatorError("refused", "The store has changed since the plan was made. Make a new plan.");
    const blocked = prune ? undefined : plan.changes.find(takesAway);
    if (blocked !== undefined)
      throw new OperatorError(
        "refused",
        `${nameOf(blocked)} cannot change so: another is created, and ${blocked.id} is no longer used. That needs --prune. Nothing was changed.`,
      );
    const own = plan.changes.find(
      (change) => change.kind === "operator" && takesAway(change) && change.stored?.spec?.["name"] === actor.who,
    );
    if (own !== undefined && actor.via === "api")
      throw new OperatorError(
        "refused",
        `${nameOf(own)} applies this file, and would be revoked. Nothing was changed.`,
      );
    const given = {
      clock,
      actor,
      note: () => {},
      store: async () => store,
      sources,
      functions,
      storedVersions,
      sealer,
      ledger,
    };
    const values = Object.fromEntries(Object.entries(secrets).map(([place, value]) => [place, String(value)]));
    const compare = async () => (await openPlan(state, prune, store, sources, act.wallAt)).plan;
    const parts = { store, given, file: parsed.digest, lastChange, compare, secrets: values, onProgress };
    const { done, issued, problem } = await applyState(plan, opened.state, parts);
    return {
      changes: done.map(toWireChange),
      file_digest: parsed.digest,
      issued: issued.map(({ kind, name, id, token }) => ({ kind, object: name, id, token })),
      problem: problem?.message ?? null,
    };
  },

  hasFailed: ({ problem }) => problem !== null,

  render({ changes, issued, problem }) {
    const tokens = issued.map(({ kind, object, id, token }) => `${kind} ${object} ${id}: ${token}\n`).join("");
    const end = problem === null ? (changes.length === 0 ? "Nothing to do.\n" : "") : `Failed: ${problem}\n`;
    return `${renderChanges(changes, true)}${tokens}${end}`;
  },
});
