import { observeDeployment } from "../../attention/observe-deployment.ts";
import { toWireAttention, wireAttention, findAttention } from "../../attention/find-attention.ts";
import { Type } from "../../../terms/schema/type.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Show what needs attention, the most urgent first",
  description:
    "Charges to be settled, budgets that are nearly used, sources that fail or have become slow, credentials that are missing or that their vendors refuse, failed logins. With --remote also the state of the running service: whether it accepts runs, which sources it is not calling for now, and the state of its ledger. The thresholds are those of the alerts in deploy/prometheus.",
  example: "",
  input: {},
  role: "viewer",
  changes: false,
  needs: ["store", "ledger", "serviceState"],

  result: Type.Object({ attention: wireAttention }),

  async run(_input, call) {
    const seen = await observeDeployment(call);
    if (seen.service === null)
      call.note("The state of a running service is missing here: request it from the service with --remote.");
    // In a mistyped folder, an empty result would look healthy.
    if (seen.service === null && seen.missing.length === 2) throw new OperatorError("not_found", seen.missing[0]!);
    for (const says of seen.missing) call.note(`Could not be checked: ${says}`);
    return { attention: toWireAttention(findAttention(seen)) };
  },

  nothing: { attention: "Nothing needs attention." },
  render: ({ attention }, typed) =>
    attention.length === 0
      ? "Nothing needs attention.\n"
      : attention
          .map(
            ({ severity, says, command }) =>
              `${severity === "critical" ? "!" : "-"} ${says}${command === null ? "" : `\n  ${typed(command)}`}\n`,
          )
          .join(""),
});
