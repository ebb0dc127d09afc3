import type { Agent } from "node:http";
import { Agent as SecureAgent, request as requestSecure } from "node:https";
import type { SecureContext } from "node:tls";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Agent as PlainAgent, request as requestPlain } from "../terms/node-http.ts";

/** Where and how one signal is sent. */
export interface OtlpTarget {
  readonly url: string;
  /** Secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly gzip: boolean;
  /** From sending a request to the end of its reply. */
  readonly timeoutMs: number;
}

/** What a collector made of a request. `status`: 0 if there was no reply. `rejected`: how many of its items it did not take. */
export interface CollectorReply {
  readonly status: number;
  readonly rejected: number;
}

const compress = promisify(gzip);
/** What is read of a reply. */
const REPLY_BYTES_MAX = 64 * 1024;
const NO_REPLY: CollectorReply = { status: 0, rejected: 0 };

/** Posts OTLP over HTTP in its JSON form. */
export class OtlpPost {
  readonly #target: OtlpTarget;
  readonly #url: URL;
  readonly #agent: Agent | SecureAgent;

  /** `secureContext`: whom it trusts; Node's own authorities if it is missing. */
  constructor(target: OtlpTarget, secureContext?: SecureContext) {
    this.#target = target;
    this.#url = new URL(target.url);
    this.#agent =
      this.#url.protocol === "https:"
        ? new SecureAgent({ keepAlive: true, maxSockets: 1, ...(secureContext !== undefined && { secureContext }) })
        : new PlainAgent({ keepAlive: true, maxSockets: 1 });
  }

  /** Never rejects: a collector that cannot be reached is one without a reply. */
  readonly post = async (body: string): Promise<CollectorReply> => {
    const bytes = this.#target.gzip ? await compress(body) : Buffer.from(body);
    return this.#send(bytes);
  };

  #send(bytes: Buffer): Promise<CollectorReply> {
    return new Promise((resolve) => {
      const send = this.#url.protocol === "https:" ? requestSecure : requestPlain;
      const request = send(this.#url, {
        method: "POST",
        agent: this.#agent,
        headers: {
          ...this.#target.headers,
          "content-type": "application/json",
          ...(this.#target.gzip && { "content-encoding": "gzip" }),
          "content-length": bytes.length,
        },
        signal: AbortSignal.timeout(this.#target.timeoutMs),
      });
      request.on("error", () => resolve(NO_REPLY));
      request.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (piece: string) => {
          if (text.length <= REPLY_BYTES_MAX) text += piece;
          else response.destroy();
        });
        response.on("error", () => resolve(NO_REPLY));
        response.on("close", () => resolve({ status: response.statusCode ?? 0, rejected: rejectedIn(text) }));
      });
      request.end(bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A collector may take a request and say that it does not keep all that is in it. */
function rejectedIn(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as {
      partialSuccess?: { rejectedSpans?: unknown; rejectedDataPoints?: unknown };
    };
    const count = Number(partialSuccess?.rejectedSpans ?? partialSuccess?.rejectedDataPoints ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  } catch {
    return 0;
  }
}
