import { Agent as SecureAgent, request as requestSecure } from "node:https";
import type { SecureContext } from "node:tls";
import { JoinedBytes, piecesMax } from "../json/joined-bytes.ts";
import { Agent as PlainAgent, request as requestPlain } from "./node-http.ts";

/** Far more than the keys of an identity provider or a secret take. */
const REPLY_BYTES_MAX = 1_048_576;
const PIECES_MAX = piecesMax(REPLY_BYTES_MAX);
const CONNECTIONS_MAX = 16;

/** What `fetch` is used for here. */
export interface FetchOptions {
  readonly method: string;
  readonly headers: Record<string, string>;
  /** A text or a form. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/**
 * `fetch` for servers that the operator has named: an identity provider, a store of secrets. Certificates are checked
 * against the given authorities, as a vendor's is. A reply that is too large is cut off. Redirects are not followed.
 * @param proxy `http://host:port` of a proxy for HTTPS; plain HTTP is sent directly
 */
export function createBoundedFetch(
  secureContext?: SecureContext,
  proxy?: string,
): (address: string, options: FetchOptions) => Promise<Response> {
  const plain = new PlainAgent({ maxSockets: CONNECTIONS_MAX });
  const secure = new SecureAgent({
    maxSockets: CONNECTIONS_MAX,
    ...(secureContext !== undefined && { secureContext }),
    ...(proxy !== undefined && { proxyEnv: { HTTPS_PROXY: proxy } }),
  });

  return (address, { method, headers, body, signal }) => {
    const url = new URL(address);
    const isSecure = url.protocol === "https:";
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const request = (isSecure ? requestSecure : requestPlain)(url, {
      method,
      headers,
      agent: isSecure ? secure : plain,
      ...(signal !== undefined && { signal }),
    });
    // The signal carries the reason for which it was aborted.
    const fail = (error: Error) => reject(signal?.aborted === true ? signal.reason : error);
    request.on("error", fail);
    request.on("response", (reply) => {
      const joined = new JoinedBytes();
      reply.on("data", (chunk: Buffer) => {
        joined.add(chunk);
        if (joined.length > REPLY_BYTES_MAX) request.destroy(new Error(`more than ${REPLY_BYTES_MAX} bytes`));
        else if (joined.pieces > PIECES_MAX) request.destroy(new Error(`more than ${PIECES_MAX} chunks`));
      });
      reply.on("error", fail);
      reply.on("end", () => {
        const { statusCode: status = 500, headers: fields } = reply;
        const head = { status, headers: { "content-type": fields["content-type"] ?? "" } };
        try {
          resolve(new Response(joined.length === 0 ? null : joined.take(), head));
        } catch (error) {
          // A status below 200 or above 599, or a body that its status does not allow.
          reject(error);
        }
      });
    });
    request.end(body instanceof URLSearchParams ? body.toString() : (body as string | undefined));
    return promise;
  };
}
