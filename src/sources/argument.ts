import type { Http } from "../sdk/http.ts";
import { credentialScope, NoMatch, type CallLog, type FailOptions, type SourceCall } from "../sdk/source.ts";
import type { Door, MakeArgument, PlannedCall, RunnableSource } from "../run/ports.ts";
import type { Context } from "../terms/caller.ts";
import type { Clock } from "../terms/clock.ts";
import { Fault, FAULT_OF_KIND, isCharged, type FailureKind } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json.ts";

export interface ArgumentParts {
  readonly door: Door;
  /** Where the calls of a simulated workflow end. */
  readonly simulatedDoor: Door;
  readonly clock: Clock;
  readonly log: (call: PlannedCall, level: "info" | "warn", message: string, fields: JsonObject | undefined) => void;
}

const NO_FIELDS: JsonObject = Object.freeze({});

/**
 * Makes what an adapter is given. `http`, `signal` and `log` are made when they are read: most adapters read one of
 * them, and a signal costs more than the rest of the call's bookkeeping.
 */
export function createArgument(parts: ArgumentParts): MakeArgument {
  class Argument implements SourceCall {
    readonly inputs: JsonObject;
    readonly credentials: JsonObject;
    readonly #source: RunnableSource;
    readonly #call: PlannedCall;
    #http: Http | undefined;

    constructor(source: RunnableSource, call: PlannedCall, inputs: JsonObject) {
      this.#source = source;
      this.#call = call;
      this.inputs = inputs;
      this.credentials = call.credential?.fields.reveal() ?? NO_FIELDS;
    }

    get http(): Http {
      const door = this.#call.run.simulated ? parts.simulatedDoor : parts.door;
      return (this.#http ??= door.httpFor(this.#source, this.#call));
    }

    get context(): Context {
      return this.#call.run.context;
    }

    get region(): string {
      return this.#call.run.region;
    }

    get transaction_id(): string {
      return this.#call.run.transactionId;
    }

    /**
     * By a symbol: what keeps vendors' tokens needs it, authors do not. A simulated call has none, so that whatever is kept
     * by it is not kept of an invented vendor: each simulated call logs in anew, as its case says.
     */
    get [credentialScope](): string | undefined {
      return this.#call.run.simulated ? undefined : this.#call.credential?.scope;
    }

    get signal(): AbortSignal {
      this.#call.controller ??= new AbortController();
      return this.#call.controller.signal;
    }

    get log(): CallLog {
      const call = this.#call;
      return {
        info: (message, fields) => parts.log(call, "info", message, fields),
        warn: (message, fields) => parts.log(call, "warn", message, fields),
      };
    }

    // The three below are taken out of the argument by destructuring, so they must not need `this`.
    basic(user: string, password: string): { readonly authorization: string } {
      return { authorization: `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}` };
    }

    noMatch(output?: JsonObject): NoMatch {
      return new NoMatch(output);
    }

    fail(kind: FailureKind, options?: FailOptions): never {
      throw reportedFailure(kind, options);
    }
  }

  return (source, call, inputs) => new Argument(source, call, inputs);
}

function reportedFailure(kind: FailureKind, options: FailOptions = {}): Fault {
  const code = Object.hasOwn(FAULT_OF_KIND, kind) ? FAULT_OF_KIND[kind] : "source.adapter_raised";
  const detail = { problem: "it reports a failure", ...(options.detail === undefined ? {} : { said: options.detail }) };
  return new Fault(code, detail, { reported: isCharged(options.charged) ? { charged: options.charged } : {} });
}
