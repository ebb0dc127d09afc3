import { Type } from "../../../terms/type.ts";
import { toWireCredential, wireCredential } from "../../credential-wire.ts";
import { organizationInput } from "../../inputs.ts";
import { requireOrganization } from "../../require.ts";
import { idOf, nextPlace, pagedById, readPage } from "../../pages.ts";
import { listOf } from "../../result-schemas.ts";
import { PREFIX } from "../../../terms/ids.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "List the vendor credentials of an organization, newest first",
  description: "Their fields are never shown. Deleted credentials are not listed; the ledger still refers to them.",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: Type.Object({ org: organizationInput, ...pagedById(PREFIX.credential) }, { additionalProperties: false }),
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: Type.Object({ credentials: listOf(wireCredential), ...nextPlace }),

  async run({ org, ...page }, { store, note }) {
    const open = await store();
    await requireOrganization(open, org);
    const { lines, next } = await readPage(page, note, idOf, (asked) => open.credentials(org, asked));
    return { credentials: lines.map(toWireCredential), ...next };
  },
});
