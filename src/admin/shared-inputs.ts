import { Type } from "../terms/schema/type.ts";
import { isTimeZone, canonicalTimeZone } from "../terms/time/calendar.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { CONTEXTS } from "../terms/caller.ts";

/** Inputs that several verbs share. */

/** Only the members that have a value: a filter, for instance, has no member for an option that is not given. */
export function givenOf<Members extends object>(
  members: Members,
): { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Name in keyof Members]?: Exclude<Members[Name], undefined> };
}

/** @param what the object with its article, such as `an organization` */
export function idInput(what: string, prefix: string) {
  return Type.String({
    pattern: `^${prefix}`,
    maxLength: 128,
    description: `Id of the ${what.slice(what.indexOf(" ") + 1)} (${prefix}…)`,
    "x-says": `must be the id of ${what} (${prefix}…)`,
  });
}

export const organizationInput = idInput("an organization", "org_");

export const workflowInput = idInput("a workflow", "wfl_");

export const credentialInput = idInput("a credential", "cred_");

export const sourceInput = Type.String({
  minLength: 1,
  maxLength: 128,
  description: "Id of the source, as `datarun source list` shows it",
});

export const vendorInput = Type.String({
  minLength: 1,
  maxLength: 128,
  description: "The part of a source's id before the two underscores",
});

export const operatorInput = Type.String({
  minLength: 1,
  maxLength: 128,
  description: "The operator's name, or id (opr_…)",
  "x-says": "must be the name or the id of an operator",
});

/** The maximum of sources in one run. */
const SOURCES_MAX = 100;

export const sourcesInput = Type.Array(sourceInput, {
  maxItems: SOURCES_MAX,
  uniqueItems: true,
  description: "A source to call",
});

export const functionInput = Type.String({
  minLength: 1,
  maxLength: 128,
  description: "Id of the function, as `datarun function list` shows it",
});

export const regionInput = Type.String({
  minLength: 1,
  maxLength: 60,
  description: "A region, as a deployment names its own in the setting `region`",
});

export const contextInput = Type.Enum([...CONTEXTS]);

/**
 * Line breaks and other control characters, characters that change the direction of the text around them, and invisible
 * ones. With these, one name can look like another, or change the sentence in which it is shown.
 */
const UNSEEN = "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800";
const SEEN = `^(?=.*\\S)[^${UNSEEN}]*$`;
const SEEN_SAYS = "on one line, not all of them blank, and none of them invisible or changing the direction of text";

export function nameInput(description: string) {
  return Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: SEEN,
    description,
    "x-says": `must be a name of 1 to 200 characters ${SEEN_SAYS}`,
  });
}

export function noteInput(description: string, maxLength: number) {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: SEEN,
    description,
    "x-says": `must be 1 to ${maxLength} characters ${SEEN_SAYS}`,
  });
}

export function timeZoneInput(description: string) {
  return Type.String({ maxLength: 64, description, "x-placeholder": "ZONE" });
}

/** The time zone in its canonical spelling. @throws OperatorError if there is no zone of this name */
export function requireTimeZone(name: string): string {
  if (!isTimeZone(name)) throw new OperatorError("invalid", `There is no time zone ${name}.`);
  return canonicalTimeZone(name);
}
