import type { Json } from "../terms/json.ts";

/** Documents of declarative files that were read and found right before. */
export interface KnownDocuments {
  /** What a text held that was compiled before by this very code; `undefined` for every other. */
  find(text: string): Json | undefined;
  /** A text that has been compiled now. */
  learn(text: string, value: Json): void;
}
