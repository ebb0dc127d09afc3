import { AUTH_WORDS, DRAFT_METHODS_LIST } from "../sources/declarative/draft-words.ts";
import { CHARGE_MODELS } from "../terms/money/charge.ts";
import { Type } from "../terms/schema/type.ts";

const option = (description: string, placeholder?: string) =>
  Type.Optional(
    Type.String({ maxLength: 4_000, description, ...(placeholder !== undefined && { "x-placeholder": placeholder }) }),
  );

/** The options of `source new` that answer a draft's questions. Questions without an option are asked interactively. */
export const draftOptions = {
  title: option("A short title for people"),
  docs: option("The address of the vendor's documentation"),
  method: option(`${DRAFT_METHODS_LIST}; GET by default`),
  url: option("Address of the request, with inputs in braces"),
  body: option("JSON body of the request, with inputs in braces"),
  auth: option(`${AUTH_WORDS}; none by default. OAuth logs in with client credentials or with a password`),
  sample: option("A file with one sample reply as JSON or XML; - for standard input", "FILE"),
  nobody: option(
    "The vendor's reply for no record: a status, or a file with the reply if its status is 200",
    "STATUS|FILE",
  ),
  charge: option(`${CHARGE_MODELS.join(", ")}; per_call by default`),
};
