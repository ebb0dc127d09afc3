/** Functions as the engine runs them, and their access to the engine. */

export interface FunctionCatalog {
  find(id: string): RunnableFunction | undefined;
}

export interface RunnableFunction {
  readonly id: string;
  /** The digest of its code and declaration. */
  readonly version: string;
  readonly timeoutMs: number;
  /** The names that it declares for its inputs; empty if it declares none. It gets every input, declared or not. */
  readonly inputNames: readonly string[];
  /** The names that it declares for its output; empty if it declares none. */
  readonly outputNames: readonly string[];
  /**
   * Runs it in a separate isolate, where its contract is checked before and after. Resolves with the JSON text of the
   * object that it returned, or with `null` if it returned nothing. @throws Fault `function.*`
   */
  run(job: FunctionJob, host: FunctionHost): Promise<string | null>;
}

export interface FunctionJob {
  /** Organizations never share an isolate. */
  readonly organizationId: string;
  /** Simulated and real runs never share an isolate. */
  readonly simulated: boolean;
  readonly transactionId: string;
  readonly deadlineAt: number;
  /** JSON text of `{inputs, extra, config, context, region, transaction_id}`. */
  readonly argument: string;
  /**
   * A shadow run uses only capacity that is free, in a process without real runs. It fails with `function.overloaded` if
   * there is none, or as soon as real runs need it.
   */
  readonly isShadow?: boolean;
}

/** A function's access to the service. Only JSON text is passed. */
export interface FunctionHost {
  /** Never rejects. */
  runSource(source: string, inputsJson: string): Promise<FunctionReply>;
  /** Records a named step's result, already JSON. */
  pipe(name: string, json: string): void;
  /**
   * Reserves memory for bytes that are kept until the run is answered. Returns false if there is none; then they must not
   * be kept.
   */
  reserveBytes(bytes: number): boolean;
  /** `debug` messages may contain inputs; a production log does not show them. */
  log(level: "debug" | "info" | "warn", message: string): void;
}

export interface FunctionReply {
  /** JSON text of a `SourceOutcome`. */
  readonly json: string;
  /** Must be called when the reply is no longer kept: the function has received it, or does not need it. */
  release(): void;
}
