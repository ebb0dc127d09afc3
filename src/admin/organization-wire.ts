import type { Organization } from "./ports.ts";
import { text, time, toWireTime, yesOrNo } from "./result-schemas.ts";
import { Type } from "../terms/schema/type.ts";

export const wireOrganization = Type.Object({
  organization_tuid: text,
  name: text,
  disabled: yesOrNo,
  created_at: time,
});

export function toWireOrganization(organization: Organization) {
  return {
    organization_tuid: organization.id,
    name: organization.name,
    disabled: organization.disabled,
    created_at: toWireTime(organization.createdWallAt),
  };
}
