import { Type } from "../../../terms/schema/type.ts";
import { oneOf, orNull, rowsOf, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";
import type { FoundObject } from "../../ports.ts";

/** The kinds of objects that a search in the store finds. */
export const FOUND_KINDS = [
  "organization",
  "workflow",
  "token",
  "credential",
  "budget",
  "operator",
] as const satisfies readonly FoundObject["kind"][];

export default defineVerb({
  summary: "Show the kind, name and organization of ids",
  description: "Ids that the store does not have, such as those of runs, are left out.",
  example: "--id org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: {
    id: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
      minItems: 1,
      maxItems: 1_000,
      description: "An id",
    }),
  },
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: Type.Object({
    objects: rowsOf({ kind: oneOf(...FOUND_KINDS), id: text, name: orNull(text), organization_tuid: orNull(text) }),
  }),

  async run({ id: ids }, { store }) {
    const known = await (await store()).findByIds(ids);
    return {
      objects: [...known.values()].map(({ kind, id, name, organizationId }) => ({
        kind,
        id,
        name: name === "" ? null : name,
        organization_tuid: organizationId,
      })),
    };
  },

  nothing: { objects: "There is nothing with such an id." },
});
