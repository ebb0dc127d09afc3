import type { Agent } from "node:http";
import { Agent as SecureAgent, request as requestSecure } from "node:https";
import type { SecureContext } from "node:tls";
import { Agent as PlainAgent, request as requestPlain } from "../terms/node-http.ts";
import type { CollectorReply } from "./span-exporter.ts";

const TIMEOUT_MS = 10_000;
/** What is read of a reply. */
const REPLY_BYTES_MAX = 64 * 1024;
const NO_REPLY: CollectorReply = { status: 0, rejected: 0 };

/** Posts OTLP over HTTP in its JSON form. `endpoint`: the collector's address without `/v1/traces`. */
export class SpanPost {
  readonly #url: URL;
  readonly #agent: Agent | SecureAgent;

  /** `secureContext`: whom it trusts; Node's own authorities if it is missing. */
  constructor(endpoint: string, secureContext?: SecureContext) {
    this.#url = new URL(`${endpoint.replace(/\/+$/, "")}/v1/traces`);
    this.#agent =
      this.#url.protocol === "https:"
        ? new SecureAgent({ keepAlive: true, maxSockets: 1, ...(secureContext !== undefined && { secureContext }) })
        : new PlainAgent({ keepAlive: true, maxSockets: 1 });
  }

  /** Never rejects: a collector that cannot be reached is one without a reply. */
  readonly post = (body: string): Promise<CollectorReply> =>
    new Promise((resolve) => {
      const send = this.#url.protocol === "https:" ? requestSecure : requestPlain;
      const bytes = Buffer.from(body);
      const request = send(this.#url, {
        method: "POST",
        agent: this.#agent,
        headers: { "content-type": "application/json", "content-length": bytes.length },
        signal: AbortSignal.timeout(TIMEOUT_MS),
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

  close(): void {
    this.#agent.destroy();
  }
}

/** A collector may take a request and say that it does not keep all of its spans. */
function rejectedIn(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: unknown } };
    const count = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  } catch {
    return 0;
  }
}
