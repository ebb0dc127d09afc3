import type { Http, HttpOptions, Reply } from "../sdk/http.ts";
import type { PlannedCall, RunnableSource } from "../run/ports.ts";
import { Fault, faultOfDeadline } from "../terms/fault.ts";
import { isJsonObject, type JsonObject } from "../terms/json/json.ts";
import {
  isHeaderValue,
  HeaderValueError,
  buildRequest,
  followRedirect,
  type OutgoingRequest,
} from "./exchange/outgoing-request.ts";
import { type VendorReply, isRedirect } from "./exchange/vendor-reply.ts";
import { type VendorUrlCache, TargetTooLong } from "./exchange/vendor-urls.ts";
import { TARGET_CHARACTERS_MAX } from "../terms/http/request-target.ts";
import type { Clock } from "../terms/time/clock.ts";

/** Sends one request of a call. Rejects with a Fault. */
export type SendHttpRequest = (request: OutgoingRequest, options: HttpOptions) => Promise<VendorReply>;

export interface SourceHttpParts {
  readonly clock: Clock;
  /** Limits the header fields of a request. */
  readonly headerBytesMax: number;
  readonly urls: VendorUrlCache;
  readonly source: RunnableSource;
  readonly call: PlannedCall;
  readonly send: SendHttpRequest;
}

const NO_OPTIONS: HttpOptions = {};

function ignore(): void {}

/** The `http` of one source call. */
export class SourceHttp implements Http {
  readonly #parts: SourceHttpParts;

  constructor(parts: SourceHttpParts) {
    this.#parts = parts;
  }

  get(url: string, options?: HttpOptions): Promise<Reply> {
    return this.request("GET", url, options);
  }

  post(url: string, options?: HttpOptions): Promise<Reply> {
    return this.request("POST", url, options);
  }

  put(url: string, options?: HttpOptions): Promise<Reply> {
    return this.request("PUT", url, options);
  }

  request(method: string, url: string, options: HttpOptions = NO_OPTIONS): Promise<Reply> {
    const answer = this.#request(method, url, options);
    // If the adapter never awaits its request, the rejection must not count as unhandled.
    answer.catch(ignore);
    return answer;
  }

  async #request(method: string, url: string, options: HttpOptions): Promise<Reply> {
    const { urls: addresses, headerBytesMax, call, clock, send } = this.#parts;
    try {
      let request = buildRequest(method, addresses.read(url), options, headerBytesMax);
      for (;;) {
        if (!call.maySend) throw new Fault("source.stopped");
        if (clock.now() >= call.deadlineAt) throw faultOfDeadline(call);
        const reply = await send(request, options);
        if (!isRedirect(reply.status) || options.answers?.includes(reply.status) === true) return reply;
        request = followRedirect(request, reply, addresses);
      }
    } catch (thrown) {
      throw thrown instanceof Fault ? thrown : this.#faultOfUnsendable(thrown);
    }
  }

  /**
   * The fault for a request that cannot be built. Usually the author made a mistake. But a header field that cannot be sent
   * usually contains an input or a credential, and a URL that is too long usually contains an input. The caller can correct
   * these, so the fault names the field.
   */
  #faultOfUnsendable(thrown: unknown): Fault {
    const { call, source } = this.#parts;
    if (thrown instanceof HeaderValueError) {
      const value = thrown.takeValue();
      const field = fieldWithForbiddenCharacter(call.credential?.fields.reveal(), value);
      if (field !== null) {
        const at = (name: string) => ({ problem: `credential field ${name} holds a character that cannot be sent` });
        const isDeclared = source.credentialNames?.includes(field) === true;
        const told = call.credential?.rule === "inline" ? { told: at(field) } : {};
        return new Fault("source.credential_missing", at(isDeclared ? field : "*"), { cause: thrown, ...told });
      }
      const input = fieldWithForbiddenCharacter(call.rawInputs, value);
      if (input !== null && source.inputNames.includes(input)) {
        const problem = "holds a character that cannot be sent";
        return new Fault("source.input_invalid", { field: input, problem }, { cause: thrown });
      }
    }
    if (thrown instanceof TargetTooLong) {
      const field = longestInput(call.rawInputs, source.inputNames);
      const problem = "is too long for an address";
      if (field !== null) return new Fault("source.input_invalid", { field, problem }, { cause: thrown });
    }
    return new Fault("source.adapter_raised", {}, { cause: thrown });
  }
}

/**
 * The name of the input that most likely made the URL too long: the longest text, if it is long enough to be the cause.
 */
function longestInput(inputs: JsonObject, names: readonly string[]): string | null {
  let longest = { name: null as string | null, length: TARGET_CHARACTERS_MAX / 16 };
  for (const name of names) {
    const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (typeof value === "string" && value.length > longest.length) longest = { name, length: value.length };
  }
  return longest.name;
}

/** The name of the field whose value brought a forbidden character into a header. */
function fieldWithForbiddenCharacter(fields: JsonObject | undefined, headerValue: string): string | null {
  if (!isJsonObject(fields)) return null;
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "string" && !isHeaderValue(value) && headerValue.includes(value)) return name;
  }
  return null;
}
