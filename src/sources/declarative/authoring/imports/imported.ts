import type { Json, JsonObject } from "../../../../terms/json.ts";
import type { DraftedAuth } from "../draft-auth.ts";
import type { DraftRequest } from "../draft-request.ts";

/** What could be read of a request that somebody else wrote down: the questions of `source new` that it answers. */
export interface Imported {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly docs?: string | undefined;
  readonly request: DraftRequest;
  readonly auth: DraftedAuth;
  readonly timeoutMs?: number | undefined;
  readonly sample?: Json | undefined;
  /** The status of the sample, where it is not 200. */
  readonly status?: number | undefined;
  /** Texts of the sample that are words of the vendor's format and no data. */
  readonly words: ReadonlySet<string>;
  readonly describe?: ((steps: readonly string[]) => JsonObject | undefined) | undefined;
  /** The statuses besides success that the document tells of, for whoever is asked what "nobody" looks like. */
  readonly otherStatuses?: readonly string[] | undefined;
  /** What its author should know of what was taken over, and how. Names only, never a value. */
  readonly notes: readonly string[];
}

/** What an importer may be told besides its file. */
export interface ImportChoices {
  /** Names of values that stay in the request as they are; every other value becomes an input. */
  readonly fixed: ReadonlySet<string>;
  /** Examples of inputs, by name, in place of those that are found. */
  readonly examples: JsonObject;
  /** Hides what an example tells of somebody, and keeps its form. */
  readonly mask: (value: Json) => Json;
}
