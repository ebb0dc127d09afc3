import type { FunctionHost } from "../../run/ports.ts";
import { Fault } from "../../terms/fault.ts";
import { knownClass } from "../../terms/known-error.ts";
import type { Bundle } from "../bundled.ts";
import { CALLS_AT_ONCE, CALLS_MAX, JSON_BYTES, LOGS_MAX, PIPES_MAX } from "../inside/bridge-limits.ts";
import type { FromChild, CallReplyMessage, ChildRunKind } from "./messages.ts";

export interface PoolJob {
  readonly what: ChildRunKind;
  readonly bundle: Bundle;
  /** The organization that owns the run; empty while a file is loaded. */
  readonly organizationId: string;
  /** The key from `isolateKey`, made of organization and bundle. */
  readonly isolate: string;
  readonly memoryMb: number;
  readonly deadlineAt: number;
  /** The time limit that the message of a timeout names. */
  readonly timeoutMs: number;
  readonly argument: string;
  /** See `FunctionJob`. */
  readonly isShadow?: boolean;
}

/** Sends to the run's process. `written` is called when the message is no longer in this process. */
type SendReply = (message: CallReplyMessage, written: () => void) => void;

export type RunMessage = Extract<FromChild, { readonly id: number }>;

/**
 * A run as the service sees it, from the queue to its end. Whatever happens in the child process, the run ends exactly
 * once, and sends nothing to the host afterwards.
 */
export class Running {
  readonly id: number;
  readonly job: Omit<PoolJob, "argument">;
  readonly ended: Promise<string | null>;
  readonly #host: FunctionHost;
  readonly #settle: { resolve: (json: string | null) => void; reject: (fault: Fault) => void };
  #argument: string;
  #isSettled = false;
  #calls = 0;
  #activeCalls = 0;
  #pipes = 0;
  #pipeCharacters = 0;
  #logs = 0;

  constructor(id: number, { argument, ...job }: PoolJob, host: FunctionHost) {
    this.id = id;
    this.job = job;
    this.#argument = argument;
    this.#host = host;
    const { promise, resolve, reject } = Promise.withResolvers<string | null>();
    this.ended = promise;
    this.#settle = { resolve, reject };
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Returns the argument and releases it. */
  takeArgument(): string {
    const argument = this.#argument;
    this.#argument = "";
    return argument;
  }

  succeed(json: string | null): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#settle.resolve(json);
  }

  /** The client gets the message of the fault; the cause is only logged. */
  fail(fault: Fault): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    if (fault.cause instanceof AuthorError) this.#logError("the function failed", fault.cause.message);
    else if (fault.cause instanceof Error) this.#host.log("warn", `the function failed: ${fault.cause.message}`);
    this.#settle.reject(fault);
  }

  /** The message of an author's error may contain anything: an error of `JSON.parse` quotes its input. */
  #logError(what: string, words: string): void {
    this.#host.log("warn", `${what}: ${knownClass(/^\w{1,60}/.exec(words)?.[0]) ?? "an error of its own"}`);
    this.#host.log("debug", `${what}: ${words}`);
  }

  /**
   * Handles a message of the process. Returns false if the message violates the protocol of the bridge, which only a
   * compromised prelude does.
   */
  receive(message: RunMessage, reply: SendReply): boolean {
    if (this.#isSettled) return true;
    switch (message.type) {
      case "call":
        return this.#call(message, reply);
      case "pipe":
        this.#pipes += 1;
        if (message.failure === undefined) this.#pipeCharacters += message.json.length;
        if (this.#pipes > PIPES_MAX || this.#pipeCharacters > JSON_BYTES) return false;
        this.#host.pipe(message.name, message.json);
        if (message.failure !== undefined) this.#logError("the step failed", message.failure);
        return true;
      case "log":
        this.#logs += 1;
        if (this.#logs > 2 * LOGS_MAX) return true;
        this.#host.log(message.level, message.text);
        return true;
      case "done":
        if (message.json !== null && message.json.length > JSON_BYTES) return false;
        if (message.json === null || this.#host.reserveBytes(Buffer.byteLength(message.json)))
          this.succeed(message.json);
        else this.fail(new Fault("function.no_room"));
        return true;
      case "failed":
        this.fail(faultOf(message));
        return true;
      case "lost":
        this.fail(new Fault("function.memory", {}, { cause: new Error(message.text) }));
        return true;
      default:
        return true;
    }
  }

  #call(message: Extract<RunMessage, { type: "call" }>, send: SendReply): boolean {
    this.#calls += 1;
    this.#activeCalls += 1;
    if (this.#calls > CALLS_MAX || this.#activeCalls > CALLS_AT_ONCE || message.inputs.length > JSON_BYTES)
      return false;
    void this.#host.runSource(message.source, message.inputs).then(({ json, release: taken }) => {
      this.#activeCalls -= 1;
      if (this.#isSettled) taken();
      else send({ type: "reply", id: this.id, call: message.call, json }, taken);
    });
    return true;
  }
}

function faultOf({ why, text, detail }: Extract<RunMessage, { type: "failed" }>): Fault {
  if (why === "inputs") return new Fault("function.input_invalid", { problem: text });
  if (why === "contract")
    return new Fault(
      "function.contract",
      { problem: text },
      detail === undefined ? {} : { cause: new AuthorError(detail) },
    );
  return new Fault(why === "memory" ? "function.memory" : "function.raised", {}, { cause: new AuthorError(text) });
}

/** An error of the function itself, for the log only. */
class AuthorError extends Error {
  override readonly name = "AuthorError";
}

/** Runs with equal keys may use one isolate one after another. Simulated and real runs never have equal keys. */
export function isolateKey(organizationId: string, bundle: string, simulated = false): string {
  return `${organizationId}${simulated ? "/simulated" : ""}/${bundle}`;
}
