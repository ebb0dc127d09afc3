import { nameInput, organizationInput } from "../../shared-inputs.ts";
import { toWireOrganization, wireOrganization } from "../../organization-wire.ts";
import { unknownOrganization } from "../../require.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Give an organization another name",
  description: "Its id and everything that belongs to it stay the same. The audit trail keeps both names.",
  example: 'org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f "Acme Lending Ltd"',
  input: { org: organizationInput, name: nameInput("The new name of the organization") },
  positional: ["org", "name"],
  role: "operator",
  changes: true,
  needs: ["store"],

  result: wireOrganization,

  async run({ org, name }, { act, store }) {
    const organization = await (await store()).changeOrganization(act, org, { name });
    if (organization === null) throw unknownOrganization(org);
    return toWireOrganization(organization);
  },
});
