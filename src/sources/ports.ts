import type { Json } from "../terms/json.ts";

/** Documents of declarative files that have been read and found correct. */
export interface KnownDocuments {
  /** The document of a text that this very code has compiled before; otherwise `undefined`. */
  find(text: string): Json | undefined;
  /** Remembers a text that has just been compiled. */
  learn(text: string, value: Json): void;
}
