import { organizationInput } from "../../shared-inputs.ts";
import { toWireOrganization, wireOrganization } from "../../organization-wire.ts";
import { requireOrganization } from "../../require.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Show an organization's name and state",
  example: "org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: { org: organizationInput },
  positional: ["org"],
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: wireOrganization,

  async run({ org }, { store }) {
    return toWireOrganization(await requireOrganization(await store(), org));
  },
});
