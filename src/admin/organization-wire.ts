import type { Organization } from "./ports.ts";
import { toWireTime } from "./wire-time.ts";

export function toWireOrganization(organization: Organization) {
  return {
    organization_tuid: organization.id,
    name: organization.name,
    disabled: organization.disabled,
    created_at: toWireTime(organization.createdWallAt),
  };
}
