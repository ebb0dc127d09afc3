import { Type } from "../../../terms/type.ts";
import { organizationInput } from "../../inputs.ts";
import { toWireOrganization, wireOrganization } from "../../organization-wire.ts";
import { unknownOrganization } from "../../require.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Disable an organization, so that all its tokens are refused with 401",
  description:
    "A running service refuses them within a second, or within five minutes if its database is unavailable. Runs in progress are completed. Nothing is deleted, and the organization can be enabled again.",
  example: "org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: Type.Object({ org: organizationInput }, { additionalProperties: false }),
  positional: ["org"],
  role: "operator",
  changes: true,
  revokes: true,
  needs: ["store"],

  result: wireOrganization,

  async run({ org }, { act, store }) {
    const organization = await (await store()).changeOrganization(act, org, { disabled: true });
    if (organization === null) throw unknownOrganization(org);
    return toWireOrganization(organization);
  },
});
