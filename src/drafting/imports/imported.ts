import type { Json, JsonObject } from "../../terms/json.ts";
import type { DraftedAuth } from "../draft-auth.ts";
import type { DraftRequest } from "../draft-request.ts";

/** What an import has found out, so that `source new` need not ask for it. */
export interface Imported {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly docs?: string | undefined;
  readonly request: DraftRequest;
  readonly auth: DraftedAuth;
  readonly timeoutMs?: number | undefined;
  readonly sample?: Json | undefined;
  readonly format?: "xml" | undefined;
  /** The status of the sample, if it is not 200. */
  readonly status?: number | undefined;
  /** Texts in the sample that are words of the vendor's format, not data. */
  readonly words: ReadonlySet<string>;
  readonly describe?: ((steps: readonly string[]) => JsonObject | undefined) | undefined;
  /** The other statuses that the document mentions, which help to say how a reply without a record looks. */
  readonly otherStatuses?: readonly string[] | undefined;
  /** What the author should know about the import. Contains names, and never a value. */
  readonly notes: readonly string[];
}

/** Choices for an import, besides its file. */
export interface ImportChoices {
  /** Names of values that are kept in the request; every other value becomes an input. */
  readonly fixed: ReadonlySet<string>;
  /** Examples of inputs, by name, which replace those that are found. */
  readonly examples: JsonObject;
  /** The login behind a temporary bearer token that the request shows. */
  readonly login?: DraftedAuth;
  /** Hides personal data in an example, and keeps its form. */
  readonly mask: (value: Json) => Json;
}
