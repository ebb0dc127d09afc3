import type { NamedCredential, NotedCredential } from "./ports.ts";
import { count, listOf, orNull, text, time, toWireTime, yesOrNo } from "./result-schemas.ts";
import { Type } from "../terms/schema/type.ts";
import type { ReferencedField } from "../credentials/references/secret-references.ts";
import type { Unreadable } from "../credentials/sealed-rows.ts";

export const wireCredential = Type.Object({
  cred_id: text,
  name: orNull(text),
  source: text,
  contexts: listOf(text),
  regions: listOf(text),
  default: yesOrNo,
  disabled: yesOrNo,
  created_at: time,
  note: Type.Optional(orNull(text)),
  // Null for a credential that was stored before field names were recorded.
  fields: Type.Optional(orNull(listOf(text))),
  references: Type.Optional(
    Type.Record(Type.String(), text, { description: "Where the values of fields are that are kept elsewhere" }),
  ),
});

export const wireReference = Type.Object({
  field: text,
  reference: text,
  age_s: { ...orNull(count), description: "Seconds since the value was read; null if it cannot be read" },
  problem: orNull(text),
});

/** A field whose value is kept elsewhere; never the value. */
export function toWireReference({ field, reference, ageMs, problem }: ReferencedField) {
  return { field, reference, age_s: ageMs === null ? null : Math.round(ageMs / 1_000), problem };
}

/** A credential in a result: its fields by name only. */
export function toWireCredential(credential: NamedCredential & Partial<NotedCredential>) {
  return {
    cred_id: credential.id,
    name: credential.name,
    source: credential.source,
    contexts: credential.contexts.length === 0 ? ["every"] : credential.contexts,
    regions: credential.regions.length === 0 ? ["every"] : credential.regions,
    default: credential.isDefault,
    disabled: credential.disabled,
    created_at: toWireTime(credential.createdWallAt),
    ...(credential.note === undefined ? {} : { note: credential.note }),
    ...(credential.fieldNames === undefined ? {} : { fields: credential.fieldNames }),
    ...(credential.references === undefined ? {} : { references: credential.references }),
  };
}

export const wireUnreadable = Type.Object({ id: text, organization: text, reason: text });

/** A data key or credential that cannot be opened, as verbs show it. */
export function toUnreadableWire({ id, organizationId, reason }: Unreadable) {
  return { id, organization: organizationId, reason };
}
