import type { Static } from "typebox";
import { isJsonObject, type JsonObject } from "../terms/json/json.ts";
import { Type } from "../terms/schema/type.ts";
import { givenOf, organizationInput } from "./shared-inputs.ts";
import { momentInput, toSpan } from "./ledger-inputs.ts";
import type { AuditQuery } from "./find-acts.ts";
import type { AuditEntry, ObjectFinder } from "./ports.ts";
import { anObject, oneOf, orNull, text, time, toWireTime } from "./result-schemas.ts";

/** Inputs and results of the audit trail. */

/** Selects entries; spread into a verb's input. */
export const auditFilterInputs = {
  org: Type.Optional(organizationInput),
  who: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Only acts of operators or users whose name begins with this",
    }),
  ),
  what: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Only acts with these words, such as "price" or "token revoke"',
    }),
  ),
  subject: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: "Only acts on the object with this id" }),
  ),
  from: Type.Optional(momentInput("Only acts then or later; a day begins at midnight UTC")),
  to: Type.Optional(momentInput("Only acts before then")),
};

const filterObject = Type.Object(auditFilterInputs);

/** @throws OperatorError for a day that does not exist, or an empty interval */
export function toAuditQuery(input: Static<typeof filterObject>): AuditQuery {
  const { org: organizationId, who, what, subject: subjectId } = input;
  return { ...givenOf({ organizationId, who, what, subjectId }), ...toSpan(input) };
}

/** Names are the current ones; `null` if the object has no name or no longer exists. */
export const wireEntry = Type.Object({
  id: text,
  at: time,
  who: text,
  via: oneOf("cli", "api", "service"),
  what: text,
  organization_tuid: orNull(text),
  organization: orNull(text),
  subject: text,
  subject_name: orNull(text),
  detail: anObject,
});

interface NamedEntry {
  readonly entry: AuditEntry;
  readonly organization: string | null;
  readonly subject: string | null;
}

/** Adds the names of organizations and objects to the entries. */
export async function withNames(
  finder: Pick<ObjectFinder, "findByIds">,
  entries: readonly AuditEntry[],
): Promise<readonly NamedEntry[]> {
  const known = await finder.findByIds(entries.flatMap(({ organizationId, subjectId }) => [organizationId, subjectId]));
  const nameOf = (id: string | null): string | null => (id === null ? null : known.get(id)?.name || null);
  return entries.map((entry) => ({
    entry,
    organization: nameOf(entry.organizationId),
    subject: nameOf(entry.subjectId),
  }));
}

export function toWireEntry({ entry, organization, subject }: NamedEntry) {
  return {
    id: entry.id,
    at: toWireTime(entry.wallAt),
    who: entry.who,
    via: entry.via,
    what: entry.what,
    organization_tuid: entry.organizationId,
    organization,
    subject: entry.subjectId,
    subject_name: subject,
    detail: toWireDetail(entry.detail),
  };
}

/** Converts stored times in Unix ms to the form of all other results. */
export function toWireDetail(detail: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(detail).map(([name, value]) => {
      if (isJsonObject(value)) return [name, toWireDetail(value)];
      const isTime = name.endsWith("_wall_at") && (value === null || typeof value === "number");
      return isTime ? [name.replace(/_wall_at$/, "_at"), toWireTime(value)] : [name, value];
    }),
  );
}
