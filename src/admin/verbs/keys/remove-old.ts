import { Type } from "../../../terms/schema/type.ts";
import { RootKeyError } from "../../../credentials/root-key.ts";
import { removeOldRootKeys } from "../../../credentials/verify-keys.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { recordBeforeAndAfter } from "../../record-before-and-after.ts";
import { listOf, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Remove the files of root keys that nothing depends on any more",
  description: "Opens everything that is sealed first. If something cannot be opened, nothing is removed.",
  example: "",
  input: {},
  role: "owner",
  changes: true,
  needs: ["store", "keys"],

  result: Type.Object({ removed: listOf(text) }),

  async run(_input, call) {
    const removed = await removeOldRootKeys(await call.keys(), async (ids, remove) => {
      await recordBeforeAndAfter(call, { subjects: ids, detail: {} }, async () => (remove(), {}));
    }).catch((error: unknown) => {
      throw error instanceof RootKeyError ? new OperatorError("refused", error.message, { cause: error }) : error;
    });
    return { removed: [...removed] };
  },
});
