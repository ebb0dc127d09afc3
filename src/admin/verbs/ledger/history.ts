import { Type } from "../../../terms/schema/type.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { alignedTo, canBeSummed, HISTORY_BY } from "../../../ledger/history/sum-history.ts";
import { toWireHistory, wireHistory } from "../../history-wire.ts";
import { filterInputs } from "../../ledger-inputs.ts";
import { requireFewSteps, stepInputs, STEPS_MAX, toSteps } from "../../ledger-steps.ts";
import { namesOf } from "../../names-of.ts";
import { renderHistory } from "../../render-history.ts";
import { numbersOf, toVersionFilter } from "../../recorded-versions.ts";
import {
  credentialInput,
  functionInput,
  givenOf,
  idInput,
  organizationInput,
  sourceInput,
  workflowInput,
} from "../../shared-inputs.ts";
import { defineVerb } from "../../verb.ts";
import { toWireTime } from "../../result-schemas.ts";

/** What no total has is computed from calls. */
const ROWS_MS_MAX = 25 * 60 * 60 * 1_000;
const GROUPS_MAX = 100;

export default defineVerb({
  summary: "Show how calls ended, how long they took and what they cost, by minute, hour or day",
  description: `Figures are those of \`ledger activity\` over any time: FAILED counts failures at the vendor or in the source, REJECTED what the service itself rejected, NO CREDENTIAL calls for which there was none. Percentiles are estimated from a histogram. \`function\`, \`token\`, and \`version\` without --source count runs, all others calls. A call belongs to the time at which its run started. --from and --to are extended to whole steps; at most ${STEPS_MAX.hour} hours or days are shown, and minutes of 24 hours. In a terminal, steps are shown if there is one group; --json has all. Simulated runs are left out.`,
  example: "--by source --from 2026-03-01 --to 2026-03-08",
  input: {
    by: Type.Optional(
      Type.Enum([...HISTORY_BY], {
        description:
          "What each group stands for; source by default. A version is one of --source or, without it, of --function",
      }),
    ),
    ...stepInputs,
    source: Type.Optional(sourceInput),
    vendor: Type.Optional(
      Type.String({
        pattern: "^[a-z][a-z0-9_]*$",
        maxLength: 128,
        description: "Sources of this vendor, which is the part of the id before the two underscores",
        "x-says": "must be a vendor, such as acme",
      }),
    ),
    org: Type.Optional(organizationInput),
    workflow: Type.Optional(workflowInput),
    credential: Type.Optional(credentialInput),
    token: Type.Optional(idInput("a token", "tok_")),
    function: Type.Optional(functionInput),
    source_version: filterInputs.source_version,
    function_version: filterInputs.function_version,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: `How many groups, those with the most calls; ${GROUPS_MAX} by default`,
      }),
    ),
  },
  role: "viewer",
  changes: false,
  needs: ["ledger", "store"],

  result: wireHistory,

  async run({ by = "source", limit = GROUPS_MAX, ...input }, { clock, ledger, store, note, onProgress }) {
    const { step, timeZone, ...asked } = toSteps(input, clock);
    const span = alignedTo(step, asked, timeZone);
    const selection = {
      by,
      ...givenOf({
        source: input.source,
        vendor: input.vendor,
        organizationId: input.org,
        workflowId: input.workflow,
        credentialId: input.credential,
        tokenId: input.token,
        functionId: input.function,
      }),
      ...(await toVersionFilter(input, store)),
    };
    if (by === "version" && (input.source ?? input.function) === undefined)
      throw new OperatorError("usage", "Give --source or --function too: a version is one of a source or a function.");
    requirePossible({ step, ...span }, canBeSummed(selection));
    const open = await ledger();
    const found = await open.history({ ...selection, ...span, step, timeZone, groupsMax: limit }, onProgress);
    const keys = found.groups.map(({ key }) => key);
    const named = await namesOf(by === "org" || by === "workflow" ? keys : [], store);
    const numberOf = await numbersOf(store, by === "version" ? keys.filter((key) => key !== "") : []);
    if (found.moreGroups > 0) note(`There are ${found.moreGroups} groups more: --limit, at most 1000, shows them.`);
    return {
      from: toWireTime(span.from),
      to: toWireTime(span.to),
      step,
      ...toWireHistory(found, ({ key }) => ({
        ...((by === "org" || by === "workflow") && { name: named.get(key)?.name || null }),
        ...(by === "version" && {
          number:
            input.source === undefined
              ? numberOf("function", input.function!, key)
              : numberOf("source", input.source, key),
        }),
      })),
    };
  },

  render: renderHistory,
});

/** @throws OperatorError for too many steps, or for options that exclude each other */
function requirePossible(steps: Parameters<typeof requireFewSteps>[0], summed: ReturnType<typeof canBeSummed>): void {
  if (summed === "never")
    throw new OperatorError(
      "usage",
      "Runs have no single source or credential, and calls no token: give another --by.",
    );
  requireFewSteps(steps);
  if (summed === "rows" && steps.to - steps.from > ROWS_MS_MAX)
    throw new OperatorError(
      "invalid",
      "With these options the time can be at most 24 hours: give fewer, or a shorter time.",
    );
}
