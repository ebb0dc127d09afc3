import type { Unreadable } from "../credentials/sealed-rows.ts";
import { Type } from "../terms/schema/type.ts";
import { text } from "./result-schemas.ts";

export const wireUnreadable = Type.Object({ id: text, organization: text, reason: text });

/** A data key or credential that cannot be opened, as verbs show it. */
export function toUnreadableWire({ id, organizationId, reason }: Unreadable) {
  return { id, organization: organizationId, reason };
}
