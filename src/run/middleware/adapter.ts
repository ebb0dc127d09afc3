import type { Http } from "../../sdk/http.ts";
import {
  caseMoment,
  type CaseMoment,
  checkSteps,
  credentialScope,
  NoMatch,
  type CallLog,
  type FailOptions,
  type SourceCall,
} from "../../sdk/source.ts";
import type { CheckSteps } from "../../terms/schema/author-schemas.ts";
import type { Context } from "../../terms/caller.ts";
import type { Clock } from "../../terms/time/clock.ts";
import { asFault, Fault, FAULT_OF_KIND, isCharged, type FailureKind } from "../../terms/fault.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import { collectAnswer } from "../collect.ts";
import type { CallMiddleware, VendorClient, PlannedCall, RunnableSource, RunSource, Wait } from "../ports.ts";
import { createWait } from "./wait.ts";

export interface AdapterParts {
  readonly client: VendorClient;
  readonly clock: Clock;
  readonly log: (call: PlannedCall, level: "info" | "warn", message: string, fields: JsonObject | undefined) => void;
  /** Replaces real waiting, for calls in which no time passes. */
  readonly wait?: Wait;
  /** Fixes the time and the nonce of requests, for a case. */
  readonly moment?: CaseMoment;
}

const NO_FIELDS: JsonObject = Object.freeze({});

/** The innermost step: the adapter itself. Everything that it throws, at once or later, becomes a fault of this call. */
export function callAdapter(parts: AdapterParts): RunSource {
  const Argument = createSourceCallClass(parts);
  return async (source, call) => {
    let returned: unknown;
    try {
      returned = await source.declaration.run(new Argument(source, call));
    } catch (thrown) {
      const fault = asFault(thrown, "source.adapter_raised");
      // An order that was accepted before the run ended is not lost: a later run can fetch its result.
      if (fault.code !== "source.stopped" || call.order === null) throw fault;
      throw new Fault("source.pending", {}, { cause: fault });
    }
    return collectAnswer(returned, (bytes) => call.reserveBytes(bytes));
  };
}

/** Composes the middleware of calls, outermost first. Called once, at the start of the service. */
export function composeMiddleware(middleware: readonly CallMiddleware[], innermost: RunSource): RunSource {
  return middleware.reduceRight((next, wrap) => wrap(next), innermost);
}

/**
 * The argument of an adapter. `http`, `signal` and `log` are created when they are first read: most adapters read only
 * one of them, and a signal costs more than all other bookkeeping of the call.
 */
function createSourceCallClass(parts: AdapterParts): new (source: RunnableSource, call: PlannedCall) => SourceCall {
  const wait = parts.wait ?? createWait(parts.clock);
  return class Argument implements SourceCall {
    readonly inputs: JsonObject;
    readonly credentials: JsonObject;
    readonly #source: RunnableSource;
    readonly #call: PlannedCall;
    #http: Http | undefined;

    constructor(source: RunnableSource, call: PlannedCall) {
      this.#source = source;
      this.#call = call;
      this.inputs = call.inputs;
      this.credentials = call.credential?.fields.reveal() ?? NO_FIELDS;
    }

    get http(): Http {
      return (this.#http ??= parts.client.httpFor(this.#source, this.#call));
    }

    get context(): Context {
      return this.#call.run.intent.context;
    }

    get region(): string {
      return this.#call.run.intent.region;
    }

    get transaction_id(): string {
      return this.#call.run.intent.transactionId;
    }

    /** Under a symbol, because code that caches vendors' tokens needs it and authors do not. */
    get [credentialScope](): string | undefined {
      return this.#call.credential?.scope ?? undefined;
    }

    get [checkSteps](): CheckSteps | undefined {
      return this.#call.run.checkSteps;
    }

    get [caseMoment](): CaseMoment | undefined {
      return parts.moment;
    }

    get signal(): AbortSignal {
      return this.#call.signal;
    }

    get log(): CallLog {
      const call = this.#call;
      return {
        info: (message, fields) => parts.log(call, "info", message, fields),
        warn: (message, fields) => parts.log(call, "warn", message, fields),
      };
    }

    get ordered(): SourceCall["ordered"] {
      const call = this.#call;
      return (orderId) => {
        const id = orderId === undefined ? null : String(orderId);
        call.takeOrder(id);
        // Logged because a person who clarifies a charge with the vendor needs it.
        if (id !== null) parts.log(call, "info", "the vendor works on an order", { order_id: id });
      };
    }

    get wait(): SourceCall["wait"] {
      const call = this.#call;
      return (ms) => wait(call, ms);
    }

    // Adapters destructure the three below out of the argument, so they must not need `this`.
    basic(user: string, password: string): { readonly authorization: string } {
      return { authorization: `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}` };
    }

    noMatch(output?: JsonObject): NoMatch {
      return new NoMatch(output);
    }

    fail(kind: FailureKind, options?: FailOptions): never {
      throw reportedFailure(kind, options);
    }
  };
}

function reportedFailure(kind: FailureKind, options: FailOptions = {}): Fault {
  const code = Object.hasOwn(FAULT_OF_KIND, kind) ? FAULT_OF_KIND[kind] : "source.adapter_raised";
  const detail = { problem: "it reports a failure", ...(options.detail === undefined ? {} : { said: options.detail }) };
  return new Fault(code, detail, { reported: isCharged(options.charged) ? { charged: options.charged } : {} });
}
