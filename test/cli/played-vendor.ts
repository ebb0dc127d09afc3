import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** A vendor on loopback that answers as the first record of a source's cases, and with one field more if it has changed. */
export async function playVendor(
  t: TestContext,
  replies: readonly Reply[],
  changed: boolean,
): Promise<{ origin: string; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const reply = replies[Math.min(heard.length, replies.length - 1)] ?? {};
    heard.push(`${request.method} ${request.url}`);
    const body = changed ? { ...(reply.body as object), brand_new: 1 } : reply.body;
    const headers = Object.entries(reply.headers ?? {}).map(([name, value]) => [
      name,
      value.replace(/^https:\/\/[^/]+/, `http://${request.headers.host}`),
    ]);
    response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...Object.fromEntries(headers) });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

/** What `datarun prove` writes about a source. */
export interface Proof {
  readonly digest: string;
  readonly date: string;
  readonly build: string;
  readonly match: boolean;
  readonly replies: readonly { readonly status: number; readonly shape: Record<string, string> }[];
  readonly output: Record<string, string>;
}
