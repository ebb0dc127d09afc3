import { Type } from "../../../terms/schema/type.ts";
import { newId } from "../../../terms/ids.ts";
import { nameInput } from "../../shared-inputs.ts";
import { text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Create an organization",
  description:
    "Tokens, workflows and credentials belong to one organization and are never seen by another. Names need not be unique.",
  example: '"Acme Lending"',
  input: { name: nameInput("The name of the organization for people") },
  positional: ["name"],
  role: "operator",
  changes: true,
  makesStore: true,
  needs: ["store"],

  result: Type.Object({ organization_tuid: text }),

  async run({ name }, { act, store }) {
    const id = newId("organization", act.wallAt);
    await (await store()).createOrganization(act, { id, name, createdWallAt: act.wallAt });
    return { organization_tuid: id };
  },
});
