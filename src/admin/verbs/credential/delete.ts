import { Type } from "../../../terms/schema/type.ts";
import { credentialInput } from "../../shared-inputs.ts";
import { unknownCredential } from "../../require.ts";
import { text, yesOrNo } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Delete a credential, for good",
  description: "Its encrypted fields are erased from the store. Its id remains known, because the ledger refers to it.",
  example: "cred_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: { cred_id: credentialInput },
  positional: ["cred_id"],
  role: "operator",
  changes: true,
  needs: ["store"],

  result: Type.Object({ cred_id: text, deleted: yesOrNo }),

  async run({ cred_id }, { act, store }) {
    const credential = await (await store()).deleteCredential(act, cred_id);
    if (credential === null) throw unknownCredential(cred_id);
    return { cred_id: credential.id, deleted: true };
  },
});
