import { Type } from "../terms/type.ts";
import { CONTEXTS } from "../terms/caller.ts";

/** Inputs that several verbs have in the same form. */

export const organizationInput = Type.String({
  pattern: "^org_",
  maxLength: 128,
  description: "Id of the organization (org_…)",
  "x-says": "must be the id of an organization (org_…)",
  "x-names": "organization",
});

export const workflowInput = Type.String({
  pattern: "^wfl_",
  maxLength: 128,
  description: "Id of the workflow (wfl_…)",
  "x-says": "must be the id of a workflow (wfl_…)",
  "x-names": "workflow",
});

export const credentialInput = Type.String({
  pattern: "^cred_",
  maxLength: 128,
  description: "Id of the credential (cred_…)",
  "x-says": "must be the id of a credential (cred_…)",
  "x-names": "credential",
});

export const sourceInput = Type.String({
  minLength: 1,
  maxLength: 128,
  description: "Id of the source, as `datarun source list` shows it",
  "x-names": "source",
});

export const operatorInput = Type.String({
  minLength: 1,
  maxLength: 128,
  description: "The operator's name, or id (opr_…)",
  "x-says": "must be the name or the id of an operator",
  "x-names": "operator",
});

/** As many as one run may ask. */
const SOURCES_MAX = 100;

export const sourcesInput = Type.Array(sourceInput, {
  maxItems: SOURCES_MAX,
  uniqueItems: true,
  description: "A source to ask",
});

export const functionInput = Type.String({
  minLength: 1,
  maxLength: 128,
  description: "Id of the function, as `datarun function list` shows it",
  "x-names": "function",
});

export const regionInput = Type.String({
  minLength: 1,
  maxLength: 60,
  description: "A region, as a deployment names its own in the setting `region`",
});

export const contextInput = Type.Enum([...CONTEXTS]);

/** No line breaks of any kind, and no other control characters. */
const ON_ONE_LINE = "[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*";

export function nameInput(description: string) {
  return Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: `^(?=.*\\S)${ON_ONE_LINE}$`,
    description,
    "x-says": "must be a name of 1 to 200 characters on one line, not all of them blank",
  });
}
