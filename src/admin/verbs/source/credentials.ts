import { PREFIX } from "../../../terms/ids.ts";
import { Type } from "../../../terms/schema/type.ts";
import { toWireCredential, wireCredential } from "../../credential-wire.ts";
import { sourceInput } from "../../shared-inputs.ts";
import { idOf, nextCursor, pagedById, readPage } from "../../pagination.ts";
import { rowsOf, text, yesOrNo } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

const { note: _, ...ofCredential } = wireCredential.properties;

export default defineVerb({
  summary: "List who has a credential for a source, newest first",
  description:
    "The credentials of all organizations, without their fields. This works for a source whose file is gone, too, so that its credentials can be deleted.",
  example: "companies_house__company_profile",
  input: { source: sourceInput, ...pagedById(PREFIX.credential) },
  positional: ["source"],
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: Type.Object({
    credentials: rowsOf({
      organization_tuid: text,
      organization: { ...text, description: "Its name" },
      organization_disabled: yesOrNo,
      ...ofCredential,
    }),
    ...nextCursor,
  }),
  columns: { credentials: ["organization_tuid", "organization", "cred_id", "name", "contexts", "default", "disabled"] },

  async run({ source, ...page }, { store, note }) {
    const open = await store();
    const { lines, next } = await readPage(page, note, idOf, (asked) => open.credentialsOfSource(source, asked));
    return {
      credentials: lines.map(({ organization, ...credential }) => ({
        organization_tuid: credential.organizationId,
        organization: organization.name,
        organization_disabled: organization.disabled,
        ...toWireCredential(credential),
      })),
      ...next,
    };
  },

  nothing: { credentials: "No organization has a credential for it." },
});
