import { Agent as PlainAgent, request as plainRequest, type IncomingHttpHeaders } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { systemClock } from "../../terms/clock.ts";
import { knownCode } from "../../terms/known-error.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import type { Remote } from "./find-remote.ts";

export interface RemoteReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** How long it may take to connect and to send. The verb itself may take minutes. */
const SEND_MS_MAX = 15_000;
const REPLY_BYTES_MAX = 256 * 1024 * 1024;

/** Follows no redirect and uses no proxy: the token goes to the address that was given, and nowhere else. */
export function postToRemote({ url, token }: Remote, path: string, body: string): Promise<RemoteReply> {
  const isTls = url.protocol === "https:";
  const send = isTls ? tlsRequest : plainRequest;
  const unreachable = (reason: string, cause?: unknown) =>
    new OperatorError("unavailable", `The service at ${url.href} does not answer (${reason}).`, { cause });
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
        "Content-Length": Buffer.byteLength(body),
      },
    });
    const cancel = systemClock.after(SEND_MS_MAX, () => outgoing.destroy(unreachable("it takes too long to connect")));
    outgoing.on("finish", cancel);
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      cancel();
      reject(error instanceof OperatorError ? error : unreachable(knownCode(error.code) ?? error.name, error));
    });
    outgoing.on("response", (incoming) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      incoming.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > REPLY_BYTES_MAX) incoming.destroy(unreachable("its answer is too large"));
        else chunks.push(chunk);
      });
      incoming.on("error", (error) =>
        reject(error instanceof OperatorError ? error : unreachable("it hung up", error)),
      );
      incoming.on("end", () => {
        const { statusCode: status = 0, headers } = incoming;
        resolve({ status, headers, text: Buffer.concat(chunks).toString("utf8") });
      });
    });
    outgoing.end(body);
  });
}
