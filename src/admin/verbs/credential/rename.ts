import { toWireCredential, wireCredential } from "../../credential-wire.ts";
import { unknownCredential } from "../../require.ts";
import { credentialInput, nameInput } from "../../shared-inputs.ts";
import { Type } from "../../../terms/schema/type.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Give a credential a name, or another one",
  description:
    "Lists show it beside the id. Two credentials may have the same name. Without a name, the credential has none afterwards. The audit trail keeps both names.",
  example: 'cred_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f "Main contract"',
  input: { cred_id: credentialInput, name: Type.Optional(nameInput("The new name of the credential")) },
  positional: ["cred_id", "name"],
  role: "operator",
  changes: true,
  needs: ["store"],

  result: wireCredential,

  async run({ cred_id, name = null }, { act, store }) {
    const credential = await (await store()).renameCredential(act, cred_id, name);
    if (credential === null) throw unknownCredential(cred_id);
    return toWireCredential(credential);
  },
});
