import { Type } from "../../../../terms/type.ts";
import { credentialInput } from "../../../inputs.ts";
import { toWirePrice, wirePrice } from "../../../price-wire.ts";
import { unknownCredential } from "../../../require.ts";
import { listed } from "../../../result-schemas.ts";
import { defineVerb } from "../../../verb.ts";

export default defineVerb({
  summary: "List the prices of a credential, the newest first, each followed by its steps",
  description:
    "Without a price that has begun, the list price of the source holds. The audit trail has what was replaced or removed.",
  example: "cred_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: Type.Object({ cred_id: credentialInput }, { additionalProperties: false }),
  positional: ["cred_id"],
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: listed("prices", Type.Object(wirePrice)),

  async run({ cred_id }, { store }) {
    const open = await store();
    if ((await open.credential(cred_id)) === null) throw unknownCredential(cred_id);
    return { prices: (await open.prices(cred_id)).map(toWirePrice) };
  },
});
