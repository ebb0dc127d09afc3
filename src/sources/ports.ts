import type { Json } from "../terms/json/json.ts";

/** Documents of declarative files that have been read and found correct. */
export interface KnownDocuments {
  /** The document of a text that the same version of this code has found correct before; otherwise `undefined`. */
  find(text: string): KnownDocument | undefined;
  /** Stores a text whose source has just been found correct. */
  learn(text: string, known: KnownDocument): void;
}

export interface KnownDocument {
  readonly document: Json;
  /** The digest of the document without its cases. */
  readonly version: string;
}
