import type { Charged, SourceFailureKind } from "../terms/fault.ts";

/**
 * The sources that a function can call, by id, each with the types of its `inputs` and its `output`. `datarun types`
 * adds them in the project's `datarun-env.d.ts`. Without that file, every source has the types of an unknown one.
 */
// oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-empty-interface -- it is extended by declarations
export interface Sources {}

/** `true` for a text whose value is known only when the function runs. */
type IsComputed<Id extends string> = Readonly<Record<never, never>> extends Readonly<Record<Id, 1>> ? true : false;

/** The id of a source: one of `Sources`, or a text that is computed. */
export type SourceId<Id extends string> = [keyof Sources] extends [never]
  ? Id
  : Id extends keyof Sources
    ? Id
    : IsComputed<Id> extends true
      ? Id
      : keyof Sources;

type InputsOf<Id extends string> = Id extends keyof Sources ? Sources[Id]["inputs" & keyof Sources[Id]] : object;

/** The arguments of `run` after the id. The inputs may be left out if the source requires none. */
export type SourceArguments<Id extends string> =
  Readonly<Record<never, never>> extends InputsOf<Id> ? [inputs?: InputsOf<Id>] : [inputs: InputsOf<Id>];

/** What a call of a source led to. The type of `output` is known for a source of `Sources`. */
export type SourceOutcome<Id extends string = string> = Id extends keyof Sources
  ? KnownOutcome<Sources[Id]["output" & keyof Sources[Id]]>
  : UnknownOutcome;

interface OutcomeFields {
  readonly message: string;
  readonly response_time_ms: number;
}

interface UnknownOutcome extends OutcomeFields {
  readonly success: boolean;
  readonly match: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any -- a source's output has whatever shape the author reads
  readonly output: any;
  /** Why the source failed; absent if it did not. A function may branch on it. */
  readonly failure?: SourceFailure;
  /** The same as `failure.order_id`. */
  readonly order_id?: string;
}

type KnownOutcome<Output> = Found<Output> | NotFound<Output> | Failed<Output>;

interface Found<Output> extends OutcomeFields {
  readonly success: true;
  readonly match: true;
  readonly output: Output;
  readonly failure?: never;
  readonly order_id?: never;
}

interface NotFound<Output> extends OutcomeFields {
  readonly success: true;
  readonly match: false;
  /** What the source says more about "no record". Its schema describes records only: a field may be absent, or another. */
  readonly output: Optional<Output> & { readonly [name: string]: unknown };
  readonly failure?: never;
  readonly order_id?: never;
}

interface Failed<Output> extends OutcomeFields {
  readonly success: false;
  readonly match: false;
  /** Empty. */
  readonly output: Absent<Output>;
  /** Why the source failed. A function may branch on it. */
  readonly failure: SourceFailure;
  /** The same as `failure.order_id`. */
  readonly order_id?: string;
}

/** Of each alternative of an output. */
type Optional<Output> = Output extends unknown ? Partial<Output> : never;
type Absent<Output> = Output extends unknown ? { readonly [Name in keyof Output]?: never } : never;

export interface SourceFailure {
  readonly kind: SourceFailureKind;
  /** Whether another call of the source may succeed without placing a second order. Each call can be billed. */
  readonly retryable: boolean;
  /** Whether the vendor has charged for the failed call. */
  readonly charged: Charged;
  /** The vendor's number for an order that it has accepted. */
  readonly order_id?: string;
  /** `true` if a later call with `order_id` as an input can fetch the result without a new order. */
  readonly resumable?: true;
}
