import { Type } from "../../../terms/type.ts";
import { proofOf } from "../../../credentials/seal.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Say that the first root key of DATARUN_ROOT_KEY is the deployment's, before anything is sealed",
  description:
    "The first start of a service on a new store says so by itself. This is for a deployment whose credentials are stored before that, and for one whose root key was lost before anything was sealed by it.",
  example: "",
  input: Type.Object({}, { additionalProperties: false }),
  changes: true,
  needs: ["store", "keys"],

  async run(_input, { act, store, keys }) {
    const { rootKeys, store: rows } = await keys({ unproven: true });
    if (rootKeys.files !== null) {
      throw new OperatorError(
        "refused",
        "The root keys of this store are files. To seal by DATARUN_ROOT_KEY instead: datarun keys rotate --adopt-root-key",
      );
    }
    if ((await rows.dataKeysAfter("", 1)).length > 0) {
      throw new OperatorError(
        "refused",
        'Something is sealed in this store already, and that says by which root key. Another one is taken by "datarun keys rotate", with both in DATARUN_ROOT_KEY.',
      );
    }
    const rootKey = rootKeys.current();
    await (await store()).registerRootKey(act, { id: rootKey.id, proof: proofOf(rootKey) }, true);
    return { root_key: rootKey.id };
  },
});
