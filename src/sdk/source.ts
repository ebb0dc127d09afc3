import type { CheckSteps } from "../terms/schema/author-schemas.ts";
import type { Context } from "../terms/caller.ts";
import type { ChargeModel } from "../terms/money/charge.ts";
import type { Charged, FailureKind } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";
import type { ListPath } from "../terms/xml/read-xml.ts";
import type { Http, Reply } from "./http.ts";
import type { JsonSchema, TypeOf } from "./schema.ts";

/**
 * A source is one question to one vendor. Filtering, validation, listing, redaction, its page and its tests are all
 * derived from this declaration.
 */
export interface SourceDeclaration<
  Inputs extends JsonSchema = JsonSchema,
  Credentials extends JsonSchema = JsonSchema,
> {
  /** `<vendor>__<source_name>`, lower snake case. */
  readonly id: string;
  /** A short name for people. */
  readonly title: string;
  /** Markdown for its page: what it answers, what "no record" means, and where its data comes from. */
  readonly description?: string;
  /** The vendor's own documentation. */
  readonly docs?: string;
  /**
   * JSON Schema 2020-12 of one object. A request's inputs are reduced to the properties that the schema names, in any
   * branch.
   */
  readonly inputs: Inputs;
  /** JSON Schema of the credential. If it is left out, the source takes none. If it requires no field, a credential is optional. */
  readonly credentials?: Credentials;
  /** JSON Schema of a record, for its page and for tests. */
  readonly output?: JsonSchema;
  /** The only origins that its `http` may reach: `https://host[:port]`, or a pattern such as `https://*.registry.example`. */
  readonly origins?: readonly string[];
  /**
   * The regions in which it may be used, as deployments name theirs in the setting `region`; by default all. Deployments
   * in others refuse its calls.
   */
  readonly regions?: readonly string[];
  /** Time limit in milliseconds, from the arrival of the request; 15,000 by default, at most 60,000. */
  readonly timeout_ms?: number;
  /** The limits that the vendor sets. */
  readonly limits?: SourceLimits;
  /** How the vendor's replies are read. */
  readonly reply?: ReplyReading;
  /**
   * What the vendor bills for every request that is not marked `free`. The default is `per_call` for a source that uses
   * `http`, and `free` for one that does not. `amount` and `currency` are the list price of one charge.
   */
  readonly charge?: ChargeModel | { readonly model: ChargeModel; readonly amount?: number; readonly currency?: string };
  /**
   * A call with the number of an order in this input fetches the result and orders nothing. Failures of its calls that
   * have an order's number are then `resumable`.
   */
  readonly resume?: { readonly input: string };
  /** The origins of the data that comes with a source and from which it answers. Shown on its page. */
  readonly data?: readonly DataOrigin[];
  /**
   * Inputs for tests with the real vendor (`source test --live`), for which it has a record. Use public ones, such as a
   * company's number; never a person's data.
   */
  readonly live?: { readonly inputs: JsonObject };
  /** Examples, which are also tests, documentation and the simulated vendor. They may be in `<name>.cases.json` beside the file. */
  readonly cases?: readonly SourceCase[];
  /** Notes of your own, which the service ignores. */
  readonly [note: `x-${string}`]: unknown;
  /** Asks the vendor. The value that it returns is the result; if it throws, the source fails. */
  run(call: SourceCall<TypeOf<Inputs>, TypeOf<Credentials>>): SourceAnswer | Promise<SourceAnswer>;
  /** Checks a credential with the cheapest call that the vendor offers; `inputs` are empty. It returns whether the credential is good. */
  verify?(call: SourceCall<JsonObject, TypeOf<Credentials>>): boolean | Promise<boolean>;
  readonly [asksAgain]?: boolean;
  readonly [listPaths]?: readonly ListPath[];
  readonly [billedRequestsMax]?: number;
}

export type { ChargeModel };

export interface SourceLimits {
  /** Largest size of one reply after decoding, in bytes; by default and at most `limits.expert.reply_decoded_bytes`. */
  readonly max_bytes?: number;
  /**
   * Most calls of this source in progress at once, in the whole deployment. Further ones wait, for up to a second.
   * Organizations share the slots; one that calls alone may use all.
   */
  readonly concurrency?: number;
  /**
   * Most calls in a period, in the whole deployment. Beyond it a call fails as `shed`: at once if the rate is per
   * credential; if it is per source, organizations share the calls, and a call waits for a period that begins within a
   * second.
   */
  readonly rate?: readonly RateLimit[];
}

export interface ReplyReading {
  /**
   * Accepts replies that violate HTTP/1.1, as Node's lenient parser does. `reply.lenient` of YAML files lists them.
   * `check --production` reports it.
   */
  readonly lenient?: boolean;
}

export interface RateLimit {
  /**
   * What the calls are counted by. An inline credential is counted by its declared properties, or by those with
   * `x-identity: true` in its schema, if there are some.
   */
  readonly per: "credential" | "source";
  /** Number of calls allowed in `every_ms`. */
  readonly max: number;
  /**
   * Length of a period, in milliseconds: 100 to 366 days, by the store's clock; a day begins at midnight UTC.
   */
  readonly every_ms: number;
}

export interface DataOrigin {
  readonly name: string;
  readonly licence: string;
  /** The date of the data itself, `YYYY-MM` or `YYYY-MM-DD`; any other text if no date is known. */
  readonly date: string;
  readonly url?: string;
  /** Age in days beyond which `check --production` reports the data. */
  readonly max_age_days?: number;
  /** Set if an operator may replace the data by a file in the folder that the setting `catalog_data` names. */
  readonly file?: DataFile;
}

export interface DataFile {
  /** The name of the file in that folder. */
  readonly name: string;
  /**
   * Reads and checks the file at `path`. If its data is newer, the source answers from it afterwards. Resolves to the date
   * of the data, `YYYY-MM-DD`, and whether it is used. Rejects with an error whose message is a sentence for the operator.
   */
  replace(path: string): Promise<{ readonly date: string; readonly used: boolean }>;
}

/**
 * On a call: a key that differs for every credential of every organization, and does not reveal the credential. Compiled
 * YAML sources keep state between calls under this key, such as the token of a login. If the key is absent, they must keep
 * none. The property is not for authors, and not enumerable.
 */
export const credentialScope: unique symbol = Symbol("datarun.credentialScope");
/** On a call: the steps that validations of the run may still take. Compiled YAML sources read it. */
export const checkSteps: unique symbol = Symbol("datarun.checkSteps");

/** On a call of a case: the time and the nonce of its requests. Compiled YAML sources read it. */
export const caseMoment: unique symbol = Symbol("datarun.caseMoment");
export interface CaseMoment {
  readonly wallMs?: number | undefined;
  readonly nonce?: string | undefined;
}

/** On a declaration: the source polls. Set by the compiler of YAML files; not for authors. */
export const asksAgain: unique symbol = Symbol("datarun.asksAgain");

/** On a declaration: its `reply.lists`. Set by the compiler of YAML files; not for authors. */
export const listPaths: unique symbol = Symbol("datarun.listPaths");

/** On a declaration: the most requests of a call that the vendor can bill. Set by the compiler of YAML files; not for authors. */
export const billedRequestsMax: unique symbol = Symbol("datarun.billedRequestsMax");

/** The argument of a source's `run`. */
export interface SourceCall<Inputs = JsonObject, Credentials = JsonObject> {
  /** The inputs, reduced to the declared names, checked against the schema, and frozen. */
  readonly inputs: Inputs;
  /** The resolved credential, checked against its schema; `{}` if the source takes none, or if an optional one is absent. */
  readonly credentials: Credentials;
  /** Sends requests to the vendor. There is no other way to reach it. */
  readonly http: Http;
  /** The purpose of the run, by the request: `prod`, `test` or `dev`. */
  readonly context: Context;
  /** The region of this deployment, from its setting `region`. */
  readonly region: string;
  /** The id of the run, for the log and for a vendor that wants a reference. */
  readonly transaction_id: string;
  readonly [credentialScope]?: string | undefined;
  readonly [checkSteps]?: CheckSteps | undefined;
  readonly [caseMoment]?: CaseMoment | undefined;
  /** Aborts when the call has ended, at the deadline or earlier. Created only when it is read. */
  readonly signal: AbortSignal;
  /** Writes to the service's log, with the transaction id. Never log inputs or credentials. */
  readonly log: CallLog;
  /**
   * Reports that the vendor has accepted an order, and its number, which is on the ledger, in the log and in `failure`.
   * From now on no failure is `retryable`, and if the deadline passes, it has the kind `pending`.
   */
  ordered(this: void, orderId?: string | number): void;
  /**
   * Waits `ms` milliseconds. Rejects when the call ends. Rejects at once, with the kind `pending`, if the deadline would
   * come first. In cases and in simulated runs no time passes.
   */
  wait(this: void, ms: number): Promise<void>;
  /** Returns the header for HTTP Basic authentication. */
  basic(this: void, user: string, password: string): { readonly authorization: string };
  /** The result "no record", with an output that says more about it. */
  noMatch(this: void, output?: JsonObject): NoMatch;
  /** Ends the call with a failure of this kind, for a vendor that reports failures inside a reply with status 200. */
  fail(this: void, kind: FailureKind, options?: FailOptions): never;
}

export interface FailOptions {
  /** Whether the vendor charges for the reply with this failure: the last reply to a request that is not `free`. */
  readonly charged?: Charged;
  /** Only for the log. */
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

/** One example: the inputs, the scripted replies of the vendor, and the expected result. */
export interface SourceCase {
  /** A short description of the case. */
  readonly name: string;
  /** The inputs of the call. */
  readonly inputs: JsonObject;
  /** Invented if left out. */
  readonly credentials?: JsonObject;
  /** `dev` by default. */
  readonly context?: Context;
  /** For a YAML file: the time of its requests, `2015-08-30T12:36:00Z`. The present by default. */
  readonly at?: string;
  /** For a YAML file: the nonce and the request id of its requests. Random by default. */
  readonly nonce?: string;
  /** The vendor's replies, in the order of the requests. None for a source that does not use `http`. */
  readonly reply?: ScriptedReply | readonly ScriptedReply[];
  /** The requests that the vendor must have received. Only the fields given here are compared. */
  readonly request?: ExpectedRequest | readonly ExpectedRequest[];
  /** The expected result: `{match, output}`, `{match, includes}` or `{failure, field}`. One of `match` and `failure` is required. */
  readonly expect: CaseExpectation;
}

export interface ScriptedReply {
  /** 200 by default. */
  readonly status?: number;
  /** Header fields of the reply. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** Milliseconds to wait before the reply. If that is past the source's deadline, the call times out. */
  readonly delay_ms?: number;
  /** A failure instead of a reply: `hang` never replies, `reset` closes the connection, `truncate` closes it during the reply. */
  readonly fault?: "hang" | "reset" | "truncate";
}

export interface ExpectedRequest {
  /** The method, such as `POST`. */
  readonly method?: string;
  /** The path without the query. */
  readonly path?: string;
  /** The whole query. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** Header fields that must be among those sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body. It is compared as JSON if it is not a string. */
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
      /** The input or credential field that the message must name. */ readonly field?: string;
    };

/** Adds the types of a source, and returns its argument. A plain object works as well. */
export function defineSource<
  const Inputs extends JsonSchema,
  const Credentials extends JsonSchema = Record<never, never>,
>(declaration: SourceDeclaration<Inputs, Credentials>): SourceDeclaration<Inputs, Credentials> {
  return declaration;
}
