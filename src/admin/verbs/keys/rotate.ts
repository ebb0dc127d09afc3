import { Type } from "../../../terms/schema/type.ts";
import { rotateKeys } from "../../../credentials/rotate-keys.ts";
import { proofOf } from "../../../credentials/seal.ts";
import { toUnreadableWire, wireUnreadable } from "../../credential-wire.ts";
import { count, listOf, text, yesOrNo } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Rotate the root key, while services run",
  description:
    "With the embedded store a new root key is created, or with --adopt-root-key the first one of DATARUN_ROOT_KEY is used. With a shared database the first key of DATARUN_ROOT_KEY is used. Every data key is wrapped with that key. If the command is interrupted, run it again. Afterwards `keys verify` lists older root keys that nothing depends on any more.",
  example: "--new-data-keys",
  input: {
    new_data_keys: Type.Optional(
      Type.Boolean({ description: "Also give every organization a new data key and seal its credentials again" }),
    ),
    adopt_root_key: Type.Optional(
      Type.Boolean({ description: "With the embedded store, use DATARUN_ROOT_KEY instead of key files" }),
    ),
  },
  role: "owner",
  terminalOnly: ["adopt_root_key"],
  changes: true,
  needs: ["store", "keys"],
  interrupted: "The changes so far stay, and services continue. Give the same command again to complete it.",
  nothing: { unreadable: "Everything that is sealed can be opened." },

  result: Type.Object({
    root_key: text,
    made_root_key: yesOrNo,
    data_keys_rewrapped: count,
    data_keys_made: count,
    credentials_resealed: count,
    unreadable: listOf(wireUnreadable),
  }),

  async run({ new_data_keys = false, adopt_root_key = false }, { act, store, keys, onProgress }) {
    const parts = await keys({ adopt: adopt_root_key });
    const report = await rotateKeys(parts, {
      newDataKeys: new_data_keys,
      onProgress: ({ step, done, of }) => onProgress(step, done, of),
    });
    const result = {
      root_key: report.rootKeyId,
      made_root_key: report.createdRootKey,
      data_keys_rewrapped: report.dataKeysRewrapped,
      data_keys_made: report.dataKeysCreated,
      credentials_resealed: report.credentialsResealed,
      unreadable: report.unreadable.map(toUnreadableWire),
    };
    const open = await store();
    // A root key from the environment is registered too: a store without data keys is verified against the
    // registration.
    const rootKey = parts.rootKeys.current();
    if (parts.rootKeys.files === null)
      await open.registerRootKey(act, { id: rootKey.id, proof: proofOf(rootKey) }, true);
    await open.recordAct(act, { organizationId: null, subjectId: report.rootKeyId, detail: result });
    return result;
  },
});
