import type { Static } from "typebox";
import type { JsonObject } from "../terms/json/json.ts";
import { Type } from "../terms/schema/type.ts";
import { SHORT_DIGEST } from "../terms/version.ts";
import { count, listOf, oneOf, orNull, text, time, toWireTime, yesOrNo } from "./result-schemas.ts";
import type { AdminStore, NamedWorkflow } from "./ports.ts";
import { numbersOf, type NumberOf } from "./recorded-versions.ts";

const wireVersion = Type.Object({
  kind: oneOf("function", "source", "shadow"),
  id: text,
  number: orNull(count),
  digest: text,
  percent: Type.Number(),
});

export const wireWorkflow = Type.Object({
  workflow: text,
  name: text,
  disabled: yesOrNo,
  auto_credentials: yesOrNo,
  failure_details: yesOrNo,
  mask_credentials: yesOrNo,
  simulated: yesOrNo,
  versions: {
    ...listOf(wireVersion),
    description: "The versions that its runs use in place of the loaded ones, and the percentage of runs that do",
  },
  created_at: time,
});

/** The settings of a workflow that may change, as inputs of verbs. */
export const workflowSettings = {
  auto_credentials: Type.Optional(
    Type.Boolean({ description: "If no credential is named, use the newest active stored one" }),
  ),
  failure_details: Type.Optional(
    Type.Boolean({
      description:
        "Failed status entries say what kind of failure it was, whether to repeat it, and whether it was charged; on for a new workflow",
    }),
  ),
  mask_credentials: Type.Optional(
    Type.Boolean({ description: "Credentials sent in the request are masked in the answer's config" }),
  ),
};

export async function toWireWorkflow(workflow: NamedWorkflow, store: Pick<AdminStore, "versionsOf" | "findVersion">) {
  const [wire] = await toWireWorkflows([workflow], store);
  return wire!;
}

export async function toWireWorkflows(
  workflows: readonly NamedWorkflow[],
  store: Pick<AdminStore, "versionsOf" | "findVersion">,
) {
  const digests = workflows.flatMap(sharesOf).map(({ share }) => share.version);
  const numberOf = await numbersOf(async () => store, digests);
  return workflows.map((workflow) => toWire(workflow, numberOf));
}

/** The versions that a workflow names, in the order of the kinds. */
function sharesOf({ versions }: NamedWorkflow) {
  if (versions === null) return [];
  const kinds = [
    ["function", versions.functions],
    ["source", versions.sources],
    ["shadow", versions.shadow],
  ] as const;
  return kinds.flatMap(([kind, shares]) => Object.entries(shares).map(([id, share]) => ({ kind, id, share })));
}

/** The versions of a workflow as a person would set them, such as `dfunc_x=12, dfunc_y=13@10%`. */
export function versionsText(versions: readonly JsonObject[]): string {
  return versions
    .map((each) => {
      const { kind, id, number, digest, percent } = each as Static<typeof wireVersion>;
      const version = number ?? digest.slice(0, SHORT_DIGEST);
      return `${kind === "shadow" ? "shadow " : ""}${id}=${version}${percent < 100 ? `@${percent}%` : ""}`;
    })
    .join(", ");
}

function toWire(workflow: NamedWorkflow, numberOf: NumberOf) {
  return {
    workflow: workflow.id,
    name: workflow.name,
    disabled: workflow.disabled,
    auto_credentials: workflow.autoCredentials,
    failure_details: workflow.failureDetails,
    mask_credentials: workflow.maskCredentials,
    simulated: workflow.simulated,
    versions: sharesOf(workflow).map(({ kind, id, share: { version: digest, percent } }) => ({
      kind,
      id,
      number: numberOf(kind === "source" ? "source" : "function", id, digest),
      digest,
      percent,
    })),
    created_at: toWireTime(workflow.createdWallAt),
  };
}
