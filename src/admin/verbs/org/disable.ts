import { disableAndEnable } from "../../disable-and-enable.ts";
import { organizationInput } from "../../shared-inputs.ts";
import { toWireOrganization, wireOrganization } from "../../organization-wire.ts";
import { unknownOrganization } from "../../require.ts";

const verbs = disableAndEnable({
  name: "org",
  id: organizationInput,
  example: "org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  disable: {
    summary: "Disable an organization, so that all its tokens are refused with 401",
    description:
      "A running service refuses them within a second, or within five minutes if its database is unavailable. Runs in progress are completed. Nothing is deleted, and the organization can be enabled again.",
  },
  enable: {
    summary: "Enable an organization that was disabled",
    description: "Tokens that were revoked or have expired, and workflows that were disabled, are not restored.",
  },
  result: wireOrganization,
  set: (store, act, id, disabled) => store.changeOrganization(act, id, { disabled }),
  toWire: toWireOrganization,
  unknown: unknownOrganization,
});

export default verbs.disable;
export const { enable } = verbs;
