import { Type } from "../../../terms/type.ts";
import { toWireCredential, wireCredential } from "../../credential-wire.ts";
import { credentialInput } from "../../inputs.ts";
import { unknownCredential } from "../../require.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Disable a credential, so that no run uses it",
  description:
    "A running service stops using it within a second. If it is a default, it stays one. It can be enabled again.",
  example: "cred_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: Type.Object({ cred_id: credentialInput }, { additionalProperties: false }),
  positional: ["cred_id"],
  role: "operator",
  changes: true,
  revokes: true,
  needs: ["store"],

  result: wireCredential,

  async run({ cred_id }, { act, store }) {
    const credential = await (await store()).setCredentialDisabled(act, cred_id, true);
    if (credential === null) throw unknownCredential(cred_id);
    return toWireCredential(credential);
  },
});
