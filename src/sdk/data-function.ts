import type { Context } from "../terms/caller.ts";
import type { Json, JsonObject } from "../terms/json/json.ts";
import type { SourceArguments, SourceId, SourceOutcome } from "./known-sources.ts";
import type { JsonSchema, TypeOf } from "./schema.ts";
import type { CallLog } from "./source.ts";

/**
 * A data function combines the results of several sources into one. It runs in an isolate without the APIs of Node, and
 * reaches sources only through `run`.
 */
export interface FunctionDeclaration<Inputs extends JsonSchema = JsonSchema, Output extends JsonSchema = JsonSchema> {
  /** `dfunc_` and lower snake case. */
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  /** JSON Schema of the inputs. Inputs that violate it are refused before any source is called. */
  readonly inputs?: Inputs;
  /** JSON Schema of `output`. An output that violates it is a failure. */
  readonly output?: Output;
  /** Time limit in milliseconds, from the arrival of the request; 30,000 by default, at most 60,000. */
  readonly timeout_ms?: number;
  /** Memory limit of the isolate in MB; 64 by default, at most 512. */
  readonly memory_mb?: number;
  readonly cases?: readonly FunctionCase[];
  run(call: FunctionCall<InputsOf<Inputs>>): FunctionAnswer | Promise<FunctionAnswer>;
}

/** The type of the inputs according to the function's own schema; any object if it declares none. */
type InputsOf<Schema> = [keyof Schema] extends [never] ? JsonObject : TypeOf<Schema>;

export interface FunctionCall<Inputs = JsonObject> {
  /** The inputs as sent, not reduced to declared names. */
  readonly inputs: Inputs;
  /** The top-level fields of the request that are not part of the contract. Never the access token or the workflow. */
  readonly extra: JsonObject;
  /** The request's `config` with `context` and `organization_tuid`, without any `credentials`. */
  readonly config: JsonObject;
  readonly context: Context;
  readonly region: string;
  readonly transaction_id: string;
  /** Calls one source through the same engine as `/data`. A failure of the source is an outcome, not a rejection. */
  run<const Id extends string>(source: SourceId<Id>, ...inputs: SourceArguments<Id>): Promise<SourceOutcome<Id>>;
  /**
   * Runs a named step. Its result or failure is recorded in `pipes` of the answer, and kept if the function fails later.
   */
  pipe<Value>(name: string, step: () => Value | Promise<Value>): Promise<Value>;
  readonly log: CallLog;
}

/** The fields of the function's answer. Standard mode sends `output` and `pipes`; passthrough sends all of them. */
export type FunctionAnswer =
  | void
  | null
  | undefined
  | {
      readonly output?: object;
      readonly pipes?: object;
      /** `false` is a business failure: the partial output is kept. */
      readonly success?: boolean;
      readonly message?: string;
      readonly [name: string]: unknown;
    };

/** One example: the inputs, the scripted outcome of each source, and the expected result. */
export interface FunctionCase {
  readonly name: string;
  readonly inputs: JsonObject;
  readonly extra?: JsonObject;
  /** More fields of the request's `config`, such as `sources`. */
  readonly config?: JsonObject;
  readonly context?: Context;
  /**
   * By source id: one outcome, or several in the order of the calls. A source without an entry really runs if it needs
   * no vendor.
   */
  readonly sources?: Readonly<Record<string, ScriptedOutcome | readonly ScriptedOutcome[]>>;
  readonly expect: {
    /** `true` by default. */
    readonly success?: boolean;
    readonly output?: Json;
    /** Contained in the output. */
    readonly includes?: Json;
    /** Contained in the pipes. */
    readonly pipes?: Json;
    /** Contained in the message. */
    readonly message?: string;
    /** The sources that were called, in any order. */
    readonly called?: readonly string[];
  };
}

export interface ScriptedOutcome {
  readonly match?: boolean;
  readonly output?: JsonObject;
  /** The kind of a failure instead of a result: `timeout`, `vendor_5xx`, `credential` and so on. */
  readonly failure?: string;
}

/** Adds the types of a function, and returns its argument. A plain object works as well. */
export function defineFunction<
  const Inputs extends JsonSchema = Record<never, never>,
  const Output extends JsonSchema = Record<never, never>,
>(declaration: FunctionDeclaration<Inputs, Output>): FunctionDeclaration<Inputs, Output> {
  return declaration;
}
