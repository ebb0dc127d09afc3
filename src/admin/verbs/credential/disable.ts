import { toWireCredential, wireCredential } from "../../credential-wire.ts";
import { disableAndEnable } from "../../disable-and-enable.ts";
import { credentialInput } from "../../shared-inputs.ts";
import { unknownCredential } from "../../require.ts";

const verbs = disableAndEnable({
  name: "cred_id",
  id: credentialInput,
  example: "cred_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  disable: {
    summary: "Disable a credential, so that no run uses it",
    description:
      "A running service stops using it within a second. If it is a default, it stays one. It can be enabled again.",
  },
  enable: { summary: "Enable a credential that was disabled" },
  result: wireCredential,
  set: (store, act, id, disabled) => store.setCredentialDisabled(act, id, disabled),
  toWire: toWireCredential,
  unknown: unknownCredential,
});

export default verbs.disable;
export const { enable } = verbs;
