import { Type } from "../../../terms/schema/type.ts";
import { verifyKeys } from "../../../credentials/verify-keys.ts";
import { toUnreadableWire, wireUnreadable } from "../../credential-wire.ts";
import { count, listOf, rowsOf, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Open everything that is sealed, and show which root keys are still needed",
  description:
    "If something cannot be opened, it is listed with the reason, and the exit code is 1. `keys discard` removes a data key that is lost.",
  example: "",
  input: {},
  role: "viewer",
  changes: false,
  needs: ["keys"],

  result: Type.Object({
    data_keys: count,
    credentials: count,
    unreadable: listOf(wireUnreadable),
    root_keys_in_use: rowsOf({ id: text, data_keys: count }),
    removable: listOf(text),
  }),

  async run(_input, { keys }) {
    const found = await verifyKeys(await keys({ unproven: true }));
    return {
      data_keys: found.dataKeys,
      credentials: found.credentials,
      unreadable: found.unreadable.map(toUnreadableWire),
      root_keys_in_use: [...found.rootKeysInUse].map(([id, data_keys]) => ({ id, data_keys })),
      removable: [...found.removable],
    };
  },

  nothing: {
    unreadable: "Everything that is sealed can be opened.",
    root_keys_in_use: "No root key is needed: nothing is sealed.",
    removable: "There is no old root key that could be removed.",
  },
  hasFailed: ({ unreadable }) => unreadable.length > 0,
});
