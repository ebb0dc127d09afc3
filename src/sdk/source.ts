import type { Context } from "../terms/caller.ts";
import type { ChargeModel } from "../terms/charge.ts";
import type { Charged, FailureKind } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json.ts";
import type { Http, Reply } from "./http.ts";
import type { JsonSchema, TypeOf } from "./schema.ts";

/**
 * A source: one question to one vendor. It declares itself once; filtering, validation, listing, redaction, its page and
 * its tests are all derived from the declaration.
 */
export interface SourceDeclaration<
  Inputs extends JsonSchema = JsonSchema,
  Credentials extends JsonSchema = JsonSchema,
> {
  /** `<vendor>__<source_name>`, lower snake case. */
  readonly id: string;
  /** A short name for people. */
  readonly title: string;
  /** What it answers, what "no record" means and what its data is, for the catalog's page. Markdown. */
  readonly description?: string;
  /** The vendor's own documentation. */
  readonly docs?: string;
  /** JSON Schema 2020-12 of one object. Its property names, through every branch, are what a request's inputs are reduced to. */
  readonly inputs: Inputs;
  /** The fields of the credential this source takes. Left out: it takes none. Nothing required: one is optional. */
  readonly credentials?: Credentials;
  /** What a record looks like, for the catalog's page and for tests. */
  readonly output?: JsonSchema;
  /** The only places its `http` may reach: `https://host[:port]`, or a pattern such as `https://*.registry.example`. */
  readonly origins?: readonly string[];
  /** From the arrival of the request; 15,000 unless said, 60,000 at the most. */
  readonly timeout_ms?: number;
  /** What the vendor allows. */
  readonly limits?: SourceLimits;
  /**
   * What the vendor bills. It counts for every request that is not `free` by itself. Left out: `per_call` for a source that
   * uses `http`, `free` for one that does not.
   */
  readonly charge?: ChargeModel | { readonly model: ChargeModel; readonly amount?: number; readonly currency?: string };
  /** For a source that answers from data of its own: where that data comes from. Shown on its page. */
  readonly data?: readonly DataOrigin[];
  /** Examples, documentation, tests and the simulated vendor at once. Or in `<name>.cases.json` beside the file. */
  readonly cases?: readonly SourceCase[];
  /** Notes of your own, which nothing reads. */
  readonly [note: `x-${string}`]: unknown;
  /** Asks the vendor. What it returns is the answer; what it throws is a failure. */
  run(call: SourceCall<TypeOf<Inputs>, TypeOf<Credentials>>): SourceAnswer | Promise<SourceAnswer>;
  /** Proves a credential by the cheapest call there is; `inputs` are empty. False, or a fault: it is not good. */
  verify?(call: SourceCall<JsonObject, TypeOf<Credentials>>): boolean | Promise<boolean>;
  readonly [asksAgain]?: boolean;
}

export type { ChargeModel };

export interface SourceLimits {
  /** Bytes of one reply after decoding; 10 MiB unless said, and never more. */
  readonly max_bytes?: number;
  /**
   * Calls of this source under way at once in one process. Further ones wait their turn, up to a second. Organizations
   * share the places; as long as only one calls, it has all.
   */
  readonly concurrency?: number;
  /**
   * Token buckets. A call that finds none left fails as `shed`: at once if the rate is per credential. If it is per
   * source, organizations share the tokens, and a call waits up to a second for one that comes back in this time.
   */
  readonly rate?: readonly RateLimit[];
}

export interface RateLimit {
  /** What the calls are counted by. */
  readonly per: "credential" | "source";
  /** So many calls */
  readonly max: number;
  /** in so many milliseconds. */
  readonly every_ms: number;
}

export interface DataOrigin {
  readonly name: string;
  readonly licence: string;
  /** The date of the data itself, `YYYY-MM` or `YYYY-MM-DD`, or what is known of it. */
  readonly date: string;
  readonly url?: string;
}

/**
 * Tells the resolved credential apart from every other one, of other organizations too, without showing it: what an
 * adapter of ours may keep between calls (a login's token) is kept under it. Absent: nothing may be kept. Not for
 * authors, and not enumerable.
 */
export const credentialScope: unique symbol = Symbol("datarun.credentialScope");

/** On a declaration: it asks again where the vendor says "not yet". What compiles files says so; it is not for authors. */
export const asksAgain: unique symbol = Symbol("datarun.asksAgain");

/** What a source's `run` is given. */
export interface SourceCall<Inputs = JsonObject, Credentials = JsonObject> {
  /** Reduced to the declared names, valid by the schema, frozen. */
  readonly inputs: Inputs;
  /** The resolved credential, valid by its schema; `{}` for a source that takes none or where an optional one is absent. */
  readonly credentials: Credentials;
  /** The only way to the vendor. */
  readonly http: Http;
  /** `prod`, `test` or `dev`: what the request says of itself. */
  readonly context: Context;
  /** Where this deployment runs, by its setting `region`. */
  readonly region: string;
  /** Of the run. For the log, and for a vendor that wants a reference. */
  readonly transaction_id: string;
  readonly [credentialScope]?: string | undefined;
  /** Aborts at the deadline. Made only when it is asked for. */
  readonly signal: AbortSignal;
  /** To the service's log, under the transaction id. Never log inputs or credentials. */
  readonly log: CallLog;
  /**
   * Says that the vendor has taken the question up, and under which number of its own. The log holds that number, and so
   * does the `failure` of a workflow with `failure_details`. A deadline that passes from here on is a failure of kind
   * `pending`.
   */
  ordered(this: void, orderId?: string | number): void;
  /**
   * Waits so many milliseconds. Rejects when the call ends, and at once, as `pending`, where its deadline comes before.
   * Where cases are played, and in simulated runs, no time passes.
   */
  wait(this: void, ms: number): Promise<void>;
  /** A header for HTTP Basic authentication. */
  basic(this: void, user: string, password: string): { readonly authorization: string };
  /** Completed, nothing found, with something to say about it all the same. */
  noMatch(this: void, output?: JsonObject): NoMatch;
  /** For a vendor that reports failure inside a 200: ends the call as that kind. */
  fail(this: void, kind: FailureKind, options?: FailOptions): never;
}

export interface FailOptions {
  /** What the vendor charges for the answer that reports it: the last one of a request that is not `free`. */
  readonly charged?: Charged;
  /** For the log only. */
  readonly detail?: string;
}

export interface CallLog {
  info(message: string, fields?: JsonObject): void;
  warn(message: string, fields?: JsonObject): void;
}

/** `null` or `noMatch({…})`: no record. The reply itself: a record, the vendor's JSON unchanged. An object: a record. */
export type SourceAnswer = object | Reply | NoMatch | null;

export class NoMatch {
  readonly output: JsonObject;
  constructor(output: JsonObject = {}) {
    this.output = output;
  }
}

/** One example: what is asked, what the vendor is scripted to answer, and what must come out. */
export interface SourceCase {
  /** What the case shows. */
  readonly name: string;
  /** What is asked. */
  readonly inputs: JsonObject;
  /** Made up when left out. */
  readonly credentials?: JsonObject;
  /** `dev` unless said. */
  readonly context?: Context;
  /** What the vendor answers, in the order of the requests. None for a source that uses no `http`. */
  readonly reply?: ScriptedReply | readonly ScriptedReply[];
  /** What the vendor must have been sent. Only what is named is compared. */
  readonly request?: ExpectedRequest | readonly ExpectedRequest[];
  /** `{match, output}`, `{match, includes}` or `{failure, field}`. */
  readonly expect: CaseExpectation;
}

export interface ScriptedReply {
  /** 200 unless said. */
  readonly status?: number;
  /** Header fields of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** Waits that long first; past the source's deadline it is a timeout. */
  readonly delay_ms?: number;
  /** Instead of an answer: never answers, or closes the connection. */
  readonly fault?: "hang" | "reset" | "truncate";
}

export interface ExpectedRequest {
  /** Such as `POST`. */
  readonly method?: string;
  /** Without the query. */
  readonly path?: string;
  /** Equal to the whole query. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** Header fields that must be among those sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Compared as JSON when it is not a string. */
  readonly body?: unknown;
}

export type CaseExpectation =
  | {
      readonly match: boolean;
      /** Equal to the whole output. */ readonly output?: JsonObject;
      /** Contained in the output. */ readonly includes?: JsonObject;
    }
  | {
      readonly failure: string;
      /** The input field or credential field the message must name. */ readonly field?: string;
    };

/** Gives a source its types; it returns what it was given. A plain object is as good. */
export function defineSource<
  const Inputs extends JsonSchema,
  const Credentials extends JsonSchema = Record<never, never>,
>(declaration: SourceDeclaration<Inputs, Credentials>): SourceDeclaration<Inputs, Credentials> {
  return declaration;
}
