import type { Unreadable } from "../credentials/sealed-rows.ts";

/** A data key or a credential that cannot be opened, as verbs show it. */
export function toUnreadableWire({ id, organizationId, reason }: Unreadable) {
  return { id, organization: organizationId, reason };
}
