import type { Static } from "typebox";
import type { UnknownCharge, UnknownFilter } from "../ledger/read/unknown-charges.ts";
import { Type } from "../terms/schema/type.ts";
import { momentInput, requireTime, toMoment } from "./ledger-inputs.ts";
import { credentialInput, organizationInput, requireTimeZone, sourceInput, timeZoneInput } from "./shared-inputs.ts";

/** The name of an unknown charge: run, number of the call, and number of the request, or 0 for the call itself. */
export const UNKNOWN_CHARGE = /^trx_[^:]{1,124}:\d{1,9}:\d{1,9}$/;

export function chargeOf({ transaction_id: id, ordinal, attempt }: UnknownCharge): string {
  return `${id}:${ordinal}:${attempt ?? 0}`;
}

/** Inputs of verbs that select unknown charges. */
export const unknownFilterInputs = {
  source: Type.Optional(sourceInput),
  from: Type.Optional(momentInput("Requests that were sent then or later; a day begins at midnight of --time-zone")),
  to: Type.Optional(momentInput("Requests that were sent before then")),
  time_zone: Type.Optional(timeZoneInput("The time zone of days, such as Europe/Berlin; UTC by default")),
  org: Type.Optional(organizationInput),
  credential: Type.Optional(credentialInput),
};

const unknownFilter = Type.Object(unknownFilterInputs);

/** @throws OperatorError for a day that does not exist, or an empty interval */
export function toUnknownFilter({
  source,
  from,
  to,
  time_zone,
  org,
  credential,
}: Static<typeof unknownFilter>): UnknownFilter {
  const timeZone = requireTimeZone(time_zone ?? "UTC");
  return requireTime({
    ...(from !== undefined && { from: toMoment(from, timeZone) }),
    ...(to !== undefined && { to: toMoment(to, timeZone) }),
    ...(source !== undefined && { source }),
    ...(org !== undefined && { organizationId: org }),
    ...(credential !== undefined && { credentialId: credential }),
  });
}
