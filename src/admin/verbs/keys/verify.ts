import { Type } from "typebox";
import { verifyKeys } from "../../../credentials/verify-keys.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Open everything that is sealed, and say which root keys are still needed",
  example: "",
  input: Type.Object({}, { additionalProperties: false }),
  changes: false,

  async run(_input, { keys }) {
    const found = await verifyKeys(await keys());
    return {
      data_keys: found.dataKeys,
      credentials: found.credentials,
      unreadable: found.unreadable.map(({ id, reason }) => ({ id, reason })),
      root_keys_in_use: [...found.rootKeysInUse].map(([id, data_keys]) => ({ id, data_keys })),
      removable: [...found.removable],
    };
  },
});
