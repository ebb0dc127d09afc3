import { Agent as SecureAgent, request as requestSecure } from "node:https";
import type { SecureContext } from "node:tls";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Agent as PlainAgent, request as requestPlain } from "../terms/http/node-http.ts";

/** Destination and options for one signal. */
export interface OtlpTarget {
  readonly url: string;
  /** May contain secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly gzip: boolean;
  /** From the start of a request to the end of its reply. */
  readonly timeoutMs: number;
}

/** The response of a collector. `status`: 0 without a reply. `rejected`: number of items that it did not accept. */
export interface CollectorReply {
  readonly status: number;
  readonly rejected: number;
}

const compress = promisify(gzip);
/** Bytes of a reply that are read at most. */
const REPLY_BYTES_MAX = 64 * 1024;
const NO_REPLY: CollectorReply = { status: 0, rejected: 0 };

export interface OtlpPost {
  /** Posts OTLP over HTTP in JSON. Never rejects: an unreachable collector results in `NO_REPLY`. */
  readonly post: (body: string) => Promise<CollectorReply>;
  readonly close: () => void;
}

/** @param secureContext the trusted certificate authorities; Node's own if missing */
export function openOtlpPost(target: OtlpTarget, secureContext?: SecureContext): OtlpPost {
  const url = new URL(target.url);
  const isSecure = url.protocol === "https:";
  const options = { keepAlive: true, maxSockets: 1 };
  const agent = isSecure
    ? new SecureAgent({ ...options, ...(secureContext !== undefined && { secureContext }) })
    : new PlainAgent(options);
  const send = isSecure ? requestSecure : requestPlain;

  function sendBytes(bytes: Buffer): Promise<CollectorReply> {
    return new Promise((resolve) => {
      const request = send(url, {
        method: "POST",
        agent,
        headers: {
          ...target.headers,
          "content-type": "application/json",
          ...(target.gzip && { "content-encoding": "gzip" }),
          "content-length": bytes.length,
        },
        signal: AbortSignal.timeout(target.timeoutMs),
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

  return {
    post: async (body) => sendBytes(target.gzip ? await compress(body) : Buffer.from(body)),
    close: () => agent.destroy(),
  };
}

/** A collector may accept a request and still report rejected items. */
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
