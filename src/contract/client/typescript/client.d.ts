/** The types of one source. */
export interface SourceTypes {
  readonly inputs: object;
  readonly output: object;
  readonly credentials: object;
}

/** The types of one function. */
export interface FunctionTypes {
  readonly inputs: object;
  readonly output: object;
}

export interface ClientOptions {
  /** The address of the service, such as `https://data.example.com`. */
  readonly url: string;
  readonly token: string;
  readonly workflow: string;
  /**
   * How long to wait for an answer, in milliseconds. By default 10 seconds longer than the slowest source of the request
   * may take.
   */
  readonly timeoutMs?: number | undefined;
  /** In place of the global `fetch`, which keeps connections open. */
  readonly fetch?: ((url: string, init: object) => Promise<unknown>) | undefined;
}

export interface RequestOptions {
  /**
   * Your own id of this request, 1 to 64 printable ASCII characters, new for each request. The operator finds the run by
   * it, also if no answer has arrived. Invented if left out. It does not prevent a second run.
   */
  readonly requestId?: string | undefined;
  readonly timeoutMs?: number | undefined;
  /** Aborts the request. What was sent to vendors by then may be billed. */
  readonly signal?: AbortSignalLike | undefined;
}

/** An `AbortSignal`, of whatever library. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export type Context = "prod" | "test" | "dev";

/** How a source is requested: with the organization's credential, a stored one, or the fields of one. */
export type SourceEntry<Credentials> =
  | true
  | { readonly credentials?: Credentials | undefined; readonly cred_id?: string | undefined };

/** The requested sources. */
export type Selection<Sources extends Record<keyof Sources, SourceTypes>> = {
  readonly [Id in keyof Sources]?: SourceEntry<Sources[Id]["credentials"]> | undefined;
};

type Inputs<Sources extends Record<keyof Sources, SourceTypes>, Id> = Id extends keyof Sources
  ? Sources[Id]["inputs"]
  : never;
type KeysIn<Type> = Type extends unknown ? keyof Type : never;
type RequiredIn<Type, Key extends keyof Type = keyof Type> = Key extends Key
  ? undefined extends Type[Key]
    ? never
    : Key
  : never;
type ValueIn<Type, Key> = Type extends unknown
  ? Key extends keyof Type
    ? Exclude<Type[Key], undefined>
    : never
  : never;
type Names<Sources extends Record<keyof Sources, SourceTypes>, Id> = Id extends keyof Sources
  ? KeysIn<Inputs<Sources, Id>>
  : never;
type RequiredNames<Sources extends Record<keyof Sources, SourceTypes>, Id> = Id extends keyof Sources
  ? RequiredIn<Inputs<Sources, Id>>
  : never;
type Intersection<Union> = (Union extends unknown ? (value: Union) => void : never) extends (value: infer All) => void
  ? All
  : never;
type Boxed<Sources extends Record<keyof Sources, SourceTypes>, Id, Name> = Id extends keyof Sources
  ? Name extends KeysIn<Inputs<Sources, Id>>
    ? { readonly value: ValueIn<Inputs<Sources, Id>, Name> }
    : never
  : never;
type Unboxed<Box> = Box extends { readonly value: infer Value } ? Value : never;
/** What all sources accept under a name; if no value suits them all, what one of them accepts. */
type ValueFor<Sources extends Record<keyof Sources, SourceTypes>, Id, Name> = [
  Unboxed<Intersection<Boxed<Sources, Id, Name>>>,
] extends [never]
  ? Unboxed<Boxed<Sources, Id, Name>>
  : Unboxed<Intersection<Boxed<Sources, Id, Name>>>;
type IsUnion<Type, Whole = Type> = [Type] extends [never]
  ? false
  : Type extends unknown
    ? [Whole] extends [Type]
      ? false
      : true
    : false;
type Merged<Sources extends Record<keyof Sources, SourceTypes>, Id> = {
  readonly [Name in RequiredNames<Sources, Id>]: ValueFor<Sources, Id, Name>;
} & {
  readonly [Name in Exclude<Names<Sources, Id>, RequiredNames<Sources, Id>>]?: ValueFor<Sources, Id, Name> | undefined;
};

/** Makes sources that do not exist errors. */
type Known<Sources extends Record<keyof Sources, SourceTypes>, Chosen> = string extends keyof Chosen
  ? unknown
  : { readonly [Id in Exclude<keyof Chosen, keyof Sources>]: never };

/** The inputs of all requested sources together. Other names are errors, because the service would drop them. */
export type InputsOf<Sources extends Record<keyof Sources, SourceTypes>, Id> = string extends Id
  ? Readonly<Record<string, unknown>>
  : [Names<Sources, Id>] extends [never]
    ? Readonly<Record<string, never>>
    : IsUnion<Id> extends true
      ? Merged<Sources, Id>
      : Inputs<Sources, Id>;

/** A request of `/data`. Answers of `retryable` and `resume` are such requests too. */
export interface DataRequest<
  Sources extends Record<keyof Sources, SourceTypes>,
  Chosen extends Selection<Sources>,
> extends RequestOptions {
  readonly sources: Chosen & Known<Sources, Chosen>;
  readonly inputs: InputsOf<Sources, keyof Chosen>;
  /** `dev` if left out. It limits which stored credentials may be used. */
  readonly context?: Context | undefined;
}

export type Charged = "yes" | "no" | "unknown";

export interface SourceFailure<Kind extends string> {
  /** One of these kinds, or one that a later version adds. */
  readonly kind: Kind | (string & {});
  /** Whether another call may succeed without placing a second order. It can be billed again. */
  readonly retryable: boolean;
  readonly charged: Charged;
  /** The vendor's number of an order that it has accepted. */
  readonly order_id?: string;
  /** Whether `resume` can fetch the result of the order. */
  readonly resumable?: boolean;
}

export interface FunctionFailure<Kind extends string> extends SourceFailure<Kind> {
  /** The source of the order. */
  readonly order_source?: string;
}

interface Outcome {
  /** For people; do not parse it. */
  readonly message: string;
  readonly response_time_ms: number;
}

/** The source has found a record. */
export interface Found<Output> extends Outcome {
  readonly success: true;
  readonly match: true;
  readonly output: Output;
}

/** The source has found no record, which is a valid result. Its output may say more. */
export interface NotFound<Output> extends Outcome {
  readonly success: true;
  readonly match: false;
  readonly output: Partial<Output>;
}

/** The source did not complete. */
export interface Failed<Kind extends string> extends Outcome {
  readonly success: false;
  readonly match: false;
  readonly output: Readonly<Record<string, never>>;
  /** Missing if `failure_details` of the workflow is turned off. */
  readonly failure?: SourceFailure<Kind>;
}

export type SourceResult<Output, Kind extends string> = Found<Output> | NotFound<Output> | Failed<Kind>;

export interface Succeeded<Output> extends Outcome {
  readonly success: true;
  readonly output: Output;
  readonly pipes: Readonly<Record<string, unknown>>;
}

export interface FunctionFailed<Output, Kind extends string> extends Outcome {
  readonly success: false;
  readonly output: Partial<Output>;
  readonly pipes: Readonly<Record<string, unknown>>;
  readonly failure?: FunctionFailure<Kind>;
}

export type FunctionResult<Output, Kind extends string> = Succeeded<Output> | FunctionFailed<Output, Kind>;

interface Answer {
  /** The id of the run. */
  readonly transaction_id: string;
  /** The request's id at the service, by which the operator finds it. */
  readonly requestId: string;
  /** The id that was sent with the request. */
  readonly clientRequestId: string;
  /** `mode` is `simulated` if the data is invented. */
  readonly config: { readonly context: string; readonly mode?: "simulated"; readonly [name: string]: unknown };
  readonly response_time_ms: number;
}

export interface DataAnswer<
  Sources extends Record<keyof Sources, SourceTypes>,
  Chosen extends Selection<Sources>,
  Kind extends string = string,
> extends Answer {
  readonly results: {
    readonly [Id in keyof Chosen]: SourceResult<Id extends keyof Sources ? Sources[Id]["output"] : object, Kind>;
  };
}

export interface FunctionAnswer<Output, Kind extends string = string> extends Answer {
  readonly result: FunctionResult<Output, Kind>;
}

export interface FunctionOptions<Sources extends Record<keyof Sources, SourceTypes>> extends RequestOptions {
  /** Credentials for sources that the function asks. */
  readonly sources?: Selection<Sources> | undefined;
  readonly context?: Context | undefined;
  /** Further top-level fields, which are passed to the function. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** Asks the service. It never repeats a request by itself, because each run can be billed. */
export interface Client<
  Sources extends Record<keyof Sources, SourceTypes>,
  Functions extends Record<keyof Functions, FunctionTypes>,
  SourceKind extends string,
  FunctionKind extends string,
> {
  /** Asks all these sources at once. @throws DatarunError */
  data<const Chosen extends Selection<Sources>>(
    request: DataRequest<Sources, Chosen>,
  ): Promise<DataAnswer<Sources, Chosen, SourceKind>>;
  /** Runs one function. @throws DatarunError */
  func<Id extends keyof Functions>(
    id: Id,
    inputs: Functions[Id]["inputs"],
    options?: FunctionOptions<Sources>,
  ): Promise<FunctionAnswer<Functions[Id]["output"], FunctionKind>>;
}

/** What the service has refused, or why no answer has arrived. */
export class DatarunError extends Error {
  private constructor();
  /**
   * A code of the service, such as `unauthenticated`, `invalid_request`, `overloaded` or `internal`; or `timeout`,
   * `connection`, `aborted`, `unreadable`.
   */
  readonly code: string;
  /** The HTTP status; `null` if no answer has arrived. */
  readonly status: number | null;
  /** The request's id at the service; `null` if no answer has arrived. */
  readonly requestId: string | null;
  /** The id that was sent with the request. The operator finds its run by it, if there is one. */
  readonly clientRequestId: string;
  /** What is wrong with the request, by JSON pointers into its body. */
  readonly details: readonly { readonly path: string; readonly message: string }[];
  /** Whether the service is at its limit for now, and has run nothing. */
  readonly retryable: boolean;
  /** Whether vendors may have been called, and may bill that. */
  readonly mayHaveRun: boolean;
}
