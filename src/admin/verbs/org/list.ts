import { Type } from "../../../terms/type.ts";
import { defineVerb } from "../../verb.ts";
import { toWireTime } from "../../wire-time.ts";

export default defineVerb({
  summary: "List the organizations, newest first",
  example: "--json",
  input: Type.Object({}, { additionalProperties: false }),
  changes: false,
  needs: ["store"],

  async run(_, { store }) {
    const organizations = await (await store()).organizations();
    return {
      organizations: organizations.map(({ id, name, createdWallAt }) => ({
        organization_tuid: id,
        name,
        created_at: toWireTime(createdWallAt),
      })),
    };
  },
});
