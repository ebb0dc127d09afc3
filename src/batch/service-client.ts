import type { IncomingMessage } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { Agent as PlainAgent, request as plainRequest } from "../terms/http/node-http.ts";
import { isJsonObject, type JsonObject, readJsonExactly } from "../terms/json/json.ts";
import { JoinedBytes } from "../terms/json/joined-bytes.ts";
import { knownCode } from "../terms/known-error.ts";
import { textIn } from "./json-member.ts";

/** The public port of a service, and who asks. */
export interface ServiceAccess {
  readonly url: URL;
  readonly token: string;
  readonly workflow: string;
}

/**
 * What came of a request.
 *
 * - `answered`: a run ended, and this is its answer.
 * - `refused`: the service will never run this request. Nothing was run.
 * - `busy`: nothing was run, and the same request may be sent again.
 * - `unsure`: it may have been run.
 * - `stopped`: nothing was run, and no other request would be.
 */
export type RequestOutcome =
  | { readonly kind: "answered"; readonly status: number; readonly body: JsonObject }
  | { readonly kind: "refused"; readonly reasons: readonly string[] }
  | { readonly kind: "busy" | "unsure" | "stopped"; readonly reason: string };

export interface ServiceClient {
  post(path: "/data" | "/func", body: JsonObject, ref: string): Promise<RequestOutcome>;
  /** Closes the connections. */
  close(): void;
}

const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** Longer than any run, and than the time for which the service lets it wait. */
const SILENT_MS_MAX = 10 * 60_000;
/** Nothing was run after these, whoever sent them: the request was refused before it was read to its end. */
const TO_BE_SENT_AGAIN = new Set([408, 429]);
/** The request itself is at fault. */
const NEVER_ACCEPTED = new Set([413, 422, 431]);
const NOTHING_RUN = new Set(["overloaded", "unavailable"]);

/** Uses no proxy and follows no redirect, so that the token goes only to the given address. */
export function createServiceClient({ url, token, workflow }: ServiceAccess, concurrency: number): ServiceClient {
  const isTls = url.protocol === "https:";
  const agent = new (isTls ? TlsAgent : PlainAgent)({ keepAlive: true, maxSockets: concurrency });
  const send = isTls ? tlsRequest : plainRequest;
  return {
    post(path, body, ref) {
      const bytes = Buffer.from(JSON.stringify(body));
      return new Promise((resolve) => {
        let isConnected = false;
        const outgoing = send({
          agent,
          hostname: url.hostname.replace(/^\[|\]$/g, ""),
          port: url.port,
          path: url.pathname.replace(/\/$/, "") + path,
          method: "POST",
          headers: {
            Host: url.host,
            "X-Service-Access-Token": token,
            "X-Service-Workflow": workflow,
            "X-Request-Id": ref,
            "Content-Type": "application/json",
            "Content-Length": bytes.length,
          },
        });
        outgoing.on("socket", (socket) => {
          if (outgoing.reusedSocket) isConnected = true;
          else socket.once(isTls ? "secureConnect" : "connect", () => (isConnected = true));
        });
        outgoing.setTimeout(SILENT_MS_MAX, () => outgoing.destroy(new Error("it does not answer")));
        outgoing.on("error", (error: NodeJS.ErrnoException) => {
          const reason = knownCode(error.code) ?? error.message;
          // As long as there is no connection, nothing was sent.
          resolve({ kind: isConnected ? "unsure" : "busy", reason: `the service cannot be reached (${reason})` });
        });
        outgoing.on("response", (incoming) => void readOutcome(incoming).then(resolve));
        outgoing.end(bytes);
      });
    },
    close: () => agent.destroy(),
  };
}

async function readOutcome(incoming: IncomingMessage): Promise<RequestOutcome> {
  const status = incoming.statusCode ?? 0;
  const joined = new JoinedBytes();
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      if (joined.length + chunk.length > ANSWER_BYTES_MAX) throw new RangeError("too large");
      joined.add(chunk);
    }
    return outcomeOf(status, readJsonExactly(joined.take().toString("utf8")));
  } catch {
    incoming.destroy();
    return outcomeOf(status, null);
  }
}

/** @param body `null` if it is not complete, or not JSON */
export function outcomeOf(status: number, body: unknown): RequestOutcome {
  if (status === 200 && isJsonObject(body)) return { kind: "answered", status, body };
  const error = isJsonObject(body) && isJsonObject(body["error"]) ? body["error"] : {};
  const code = typeof error["code"] === "string" ? error["code"] : null;
  const reason = typeof error["message"] === "string" ? error["message"] : `status ${status}`;
  if (TO_BE_SENT_AGAIN.has(status)) return { kind: "busy", reason };
  if (NEVER_ACCEPTED.has(status)) return { kind: "refused", reasons: detailsOf(error, reason) };
  if (status >= 500) {
    // A proxy says 502 or 504 also after it has passed the request on.
    if (code !== null && NOTHING_RUN.has(code)) return { kind: "busy", reason };
    return code === "no_sources" ? { kind: "refused", reasons: [reason] } : { kind: "unsure", reason };
  }
  if (status === 401) return { kind: "stopped", reason };
  if (status >= 300)
    return { kind: "stopped", reason: `${reason} (status ${status}): it is not the address of a service` };
  return { kind: "unsure", reason: "the answer cannot be read" };
}

function detailsOf({ details }: JsonObject, reason: string): readonly string[] {
  if (!Array.isArray(details) || details.length === 0) return [reason];
  return details.map((each) => (isJsonObject(each) ? `${textIn(each, "path")} ${textIn(each, "message")}` : reason));
}
