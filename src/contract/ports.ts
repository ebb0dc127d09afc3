import type { JsonObject } from "../terms/json/json.ts";

/** A source as its callers see it. */
export interface ContractSource {
  readonly id: string;
  readonly title: string;
  readonly description: string | undefined;
  /** JSON Schemas. */
  readonly inputs: object;
  readonly output: object | undefined;
  readonly credentials: object | undefined;
  readonly credential: "none" | "optional" | "required";
  readonly charge: JsonObject;
  readonly limits: { readonly timeout_ms: number };
  /** The input that takes the number of an order whose result is fetched; missing if there is none. */
  readonly resumeInput: string | undefined;
}

/** A function as its callers see it. */
export interface ContractFunction {
  readonly id: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly inputs: object | undefined;
  readonly output: object | undefined;
  readonly limits: { readonly timeout_ms: number; readonly memory_mb: number };
}
