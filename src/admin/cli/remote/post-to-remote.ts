import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { systemClock } from "../../../terms/time/clock.ts";
import { Agent as PlainAgent, request as plainRequest } from "../../../terms/http/node-http.ts";
import { knownCode } from "../../../terms/known-error.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { JoinedBytes } from "../../../terms/json/joined-bytes.ts";
import type { Remote } from "./find-remote.ts";

export interface RemoteReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The time limit for connecting and sending. The verb itself may take minutes. */
const SEND_MS_MAX = 15_000;
/** The size limit of a buffered answer, and of one event. */
export const REPLY_BYTES_MAX = 256 * 1024 * 1024;

/** Reads the whole answer. @throws OperatorError if it is incomplete or too large */
export async function readReply(incoming: IncomingMessage, remote: Remote): Promise<RemoteReply> {
  const joined = new JoinedBytes();
  for await (const chunk of bytesOf(incoming, remote)) {
    if (joined.length + chunk.length > REPLY_BYTES_MAX) throw unreachable(remote, "the answer is too large");
    joined.add(chunk);
  }
  const { statusCode: status = 0, headers } = incoming;
  return { status, headers, text: joined.take().toString("utf8") };
}

/** The chunks of the answer. @throws OperatorError if the connection breaks before the end */
export async function* bytesOf(incoming: IncomingMessage, remote: Remote): AsyncGenerator<Buffer, void, void> {
  try {
    yield* incoming as AsyncIterable<Buffer>;
  } catch (error) {
    throw unreachable(remote, "it closed the connection", error);
  }
}

export function unreachable({ url }: Remote, reason: string, cause?: unknown): OperatorError {
  return new OperatorError("unavailable", `The service at ${url.href} does not answer (${reason}).`, { cause });
}

/**
 * Sends a request, and resolves when the answer's headers have arrived. Follows no redirect and uses no proxy, so that
 * the token goes only to the given address.
 * @throws OperatorError
 */
export function openReply(
  remote: Remote,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<IncomingMessage> {
  const { url, token } = remote;
  const isTls = url.protocol === "https:";
  const send = isTls ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const outgoing = send({
      agent: isTls ? new TlsAgent() : new PlainAgent(),
      hostname: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port,
      path: url.pathname.replace(/\/$/, "") + path,
      method: "POST",
      headers: {
        Host: url.host,
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        ...headers,
        "Content-Length": Buffer.byteLength(body),
      },
    });
    const cancel = systemClock.after(SEND_MS_MAX, () =>
      outgoing.destroy(unreachable(remote, "connecting takes too long")),
    );
    outgoing.on("finish", cancel);
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      cancel();
      reject(error instanceof OperatorError ? error : unreachable(remote, knownCode(error.code) ?? error.name, error));
    });
    outgoing.on("response", resolve);
    outgoing.end(body);
  });
}
