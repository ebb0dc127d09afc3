import type { Json, JsonObject } from "../../terms/json/json.ts";
import type { DraftedAuth } from "../draft-auth.ts";
import type { DraftRequest } from "../draft-request.ts";

/** The facts that an import contains as a draft has them. */
export interface DraftFacts {
  readonly description?: string | undefined;
  readonly docs?: string | undefined;
  readonly request: DraftRequest;
  readonly auth: DraftedAuth;
  readonly timeoutMs?: number | undefined;
  /** `xml`: the samples have the form in which rules see XML replies. JSON by default. */
  readonly format?: "xml" | undefined;
  /** The status of a reply with a record; 200 by default. */
  readonly status?: number | undefined;
  /** The documentation of a member of the sample: its types and a description. */
  readonly describe?: ((steps: readonly string[]) => JsonObject | undefined) | undefined;
  readonly errors?: DraftErrors | undefined;
}

/** The results of an import, for which `source new` need not ask. */
export interface Imported extends DraftFacts {
  readonly title?: string | undefined;
  readonly sample?: Json | undefined;
  /** Texts in the sample that belong to the vendor's format and are not data. */
  readonly words: ReadonlySet<string>;
  /** Other statuses in the document, as a hint for the reply without a record. */
  readonly otherStatuses?: readonly string[] | undefined;
  /** Notes for the author. They contain names, never values. */
  readonly notes: readonly string[];
}

/** Failures that the vendor reports in a reply. */
export interface DraftErrors {
  /** Rows of `errors`. */
  readonly rows: readonly JsonObject[];
  /** Replies of status 500 to which the first row applies, and so on, in the form of the sample. */
  readonly shown: readonly { readonly name: string; readonly sample: Json }[];
}

/** Options of an import, besides its file. */
export interface ImportChoices {
  /** Names of values that stay constant. All other values become inputs. */
  readonly fixed: ReadonlySet<string>;
  /** Examples of inputs by name. They replace examples from the import. */
  readonly examples: JsonObject;
  /** The login that fetches a temporary bearer token, if the request shows one. */
  readonly login?: DraftedAuth;
  /** Masks personal data in an example, and keeps its form. */
  readonly mask: (value: Json) => Json;
}
