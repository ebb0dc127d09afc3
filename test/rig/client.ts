import { Agent, request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";

/** One answer as it came, with nothing interpreted. */
export interface Reply {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  /** Name, value, name, value: as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly text: string;
  json(): any; // oxlint-disable-line typescript/no-explicit-any -- tests read what they assert
}

export interface Sending {
  readonly method: string;
  readonly path: string;
  /** `undefined` leaves a field out. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string | Buffer | undefined;
  /** Aborting it is a client that goes away. */
  readonly signal?: AbortSignal | undefined;
}

/** A client that adds nothing of its own but `Host`, `Connection` and the length of the body. */
export function createClient(url: string, maxSockets = 64) {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets });

  return {
    send({ method, path, headers, body, signal }: Sending): Promise<Reply> {
      const fields = Object.entries(headers).filter(
        (entry): entry is [string, string | string[]] => entry[1] !== undefined,
      );
      const length = body === undefined ? [] : [["content-length", String(Buffer.byteLength(body))]];
      return new Promise((resolve, reject) => {
        const outgoing = request({
          agent,
          hostname,
          port,
          method,
          path,
          headers: Object.fromEntries([...length, ...fields]) as OutgoingHttpHeaders,
          ...(signal === undefined ? {} : { signal }),
        });
        outgoing.on("error", reject);
        outgoing.on("response", (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
          incoming.on("error", reject);
          incoming.on("end", () => {
            const text = Buffer.concat(chunks).toString("utf8");
            resolve({
              statusCode: incoming.statusCode!,
              headers: incoming.headers,
              rawHeaders: incoming.rawHeaders,
              text,
              json: () => JSON.parse(text),
            });
          });
        });
        outgoing.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}

export type Client = ReturnType<typeof createClient>;
