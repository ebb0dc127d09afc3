import { proofOf } from "../../../credentials/seal.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Register the first root key of DATARUN_ROOT_KEY as the deployment's, before anything is sealed",
  description:
    "The first start of a service on a new store does this by itself. Use this command to store credentials before that start, or if the registered root key was lost before anything was sealed with it.",
  example: "",
  input: {},
  role: "owner",
  terminalOnly: true,
  changes: true,
  needs: ["store", "keys"],

  async run(_input, { act, store, keys }) {
    const { rootKeys, store: rows } = await keys({ unproven: true });
    if (rootKeys.files !== null) {
      throw new OperatorError(
        "refused",
        "The root keys of this store are files. To use DATARUN_ROOT_KEY instead: datarun keys rotate --adopt-root-key",
      );
    }
    if ((await rows.dataKeysAfter("", 1)).length > 0) {
      throw new OperatorError(
        "refused",
        'Credentials are already sealed in this store, so its root key is known. To change it, run "datarun keys rotate" with both keys in DATARUN_ROOT_KEY.',
      );
    }
    const rootKey = rootKeys.current();
    await (await store()).registerRootKey(act, { id: rootKey.id, proof: proofOf(rootKey) }, true);
    return { root_key: rootKey.id };
  },
});
