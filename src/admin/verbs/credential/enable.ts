import { Type } from "../../../terms/type.ts";
import { toWireCredential, wireCredential } from "../../credential-wire.ts";
import { credentialInput } from "../../inputs.ts";
import { unknownCredential } from "../../require.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Enable a credential that was disabled",
  example: "cred_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: Type.Object({ cred_id: credentialInput }, { additionalProperties: false }),
  positional: ["cred_id"],
  role: "operator",
  changes: true,
  needs: ["store"],

  result: wireCredential,

  async run({ cred_id }, { act, store }) {
    const credential = await (await store()).setCredentialDisabled(act, cred_id, false);
    if (credential === null) throw unknownCredential(cred_id);
    return toWireCredential(credential);
  },
});
