import type { Static } from "typebox";
import { type UnknownCharge, type UnknownFilter, cursorOfCharge } from "../ledger/read/unknown-charges.ts";
import { Type } from "../terms/schema/type.ts";
import { momentInput, toSpan } from "./ledger-inputs.ts";
import {
  credentialInput,
  givenOf,
  organizationInput,
  requireTimeZone,
  sourceInput,
  timeZoneInput,
} from "./shared-inputs.ts";
import type { LedgerAnswers } from "../ledger/read/ledger-reader.ts";

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
export function toUnknownFilter(input: Static<typeof unknownFilter>): UnknownFilter {
  const { source, org: organizationId, credential: credentialId } = input;
  const timeZone = requireTimeZone(input.time_zone ?? "UTC");
  return { ...toSpan(input, timeZone), ...givenOf({ source, organizationId, credentialId }) };
}

const CHARGES_AT_ONCE = 1_000;

/** Reads the unknown charges page by page, oldest first, at most `max` of them. */
export async function allUnknownCharges(
  reader: Pick<LedgerAnswers, "unknown">,
  filter: UnknownFilter,
  max = Infinity,
): Promise<readonly UnknownCharge[]> {
  const found: UnknownCharge[] = [];
  for (let after: string | undefined; ; after = cursorOfCharge(found.at(-1)!)) {
    const limit = Math.min(CHARGES_AT_ONCE, max - found.length);
    const page = limit === 0 ? [] : await reader.unknown({ limit, filter, ...(after !== undefined && { after }) });
    found.push(...page);
    if (page.length < CHARGES_AT_ONCE) return found;
  }
}
