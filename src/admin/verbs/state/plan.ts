import { Type } from "../../../terms/schema/type.ts";
import { listOf, text } from "../../result-schemas.ts";
import { openPlan } from "../../state/open-plan.ts";
import { neededSecrets, stateInputs, toWirePlan, wirePlan } from "../../state/plan-wire.ts";
import { renderChanges } from "../../state/render-changes.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Compare a state file with the store, and show what applying it would change",
  description:
    'Nothing is changed. "datarun apply -f FILE --plan" does the same, and has exit codes for a pipeline. Values of credentials are never shown.',
  example: "--state state.yaml",
  input: stateInputs,
  role: "viewer",
  changes: false,
  needs: ["store", "sources"],

  result: Type.Object({
    ...wirePlan,
    secrets: { ...listOf(text), description: "Where the values of new credentials are: `env:NAME` or `file:PATH`" },
  }),

  async run({ state, prune = false }, { store, sources, act }) {
    const opened = await openPlan(state, prune, await store(), sources, act.wallAt);
    return { ...toWirePlan(opened), secrets: [...neededSecrets(opened)] };
  },

  render: ({ changes }) => (changes.length === 0 ? "Nothing to do.\n" : renderChanges(changes, false)),
});
