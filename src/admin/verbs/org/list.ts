import { Type } from "../../../terms/type.ts";
import { toWireOrganization, wireOrganization } from "../../organization-wire.ts";
import { listed } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "List the organizations, newest first",
  example: "--json",
  input: Type.Object({}, { additionalProperties: false }),
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: listed("organizations", wireOrganization),

  async run(_, { store }) {
    const organizations = await (await store()).organizations();
    return { organizations: organizations.map(toWireOrganization) };
  },
});
