import type { IncomingMessage, ServerResponse } from "node:http";
import { extname } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { causeOf } from "../../../operate/run-log.ts";
import type { Log } from "../../../operate/log.ts";
import { API_HEADERS } from "../api-headers.ts";
import { allowedHosts, refuseForeignHost } from "../refuse-foreign.ts";
import { Refusal, STATUS_OF } from "../refusal.ts";
import type { ConsoleFile } from "../ports.ts";

export interface ConsoleParts {
  /** The setting `admin_hosts`. */
  readonly hosts: readonly string[];
  readonly log: Log;
  /** Loads the files of the console. Called again after a failure. */
  load(): Promise<readonly ConsoleFile[]>;
}

export interface Console {
  /** Answers a request whose path is `/`, `/console` or below. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

const PREFIX = "/console/";
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};
/** The file's name changes with its content, so it can be cached for good. */
const IMMUTABLE = "private, max-age=31536000, immutable";
const zip = promisify(gzip);

interface Served {
  readonly type: string;
  readonly plain: Buffer;
  readonly zipped: Buffer;
  readonly isImmutable: boolean;
}

/**
 * Serves the console's page, script and style sheet. They are public and hold no data: the page requests everything
 * from the admin API, which authenticates. Every address below `/console/` returns the same page, which reads the
 * address.
 */
export function createConsole({ hosts, log, load }: ConsoleParts): Console {
  const allowed = allowedHosts(hosts);
  let loading: Promise<ReadonlyMap<string, Served>> | undefined;

  async function files(): Promise<ReadonlyMap<string, Served>> {
    loading ??= load().then(prepare);
    try {
      return await loading;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    refuseForeignHost(request.headers, allowed);
    if (request.method !== "GET" && request.method !== "HEAD")
      throw new Refusal("method_not_allowed", "The console is read with GET.", undefined, "GET, HEAD");
    const [path = ""] = (request.url ?? "").split("?");
    if (!path.startsWith(PREFIX)) {
      response.writeHead(308, { ...API_HEADERS, Location: PREFIX }).end();
      return;
    }
    const all = await files();
    const name = path.slice(PREFIX.length);
    const isFile = Object.hasOwn(TYPES, extname(name)) && !name.includes("/");
    const file = all.get(isFile ? name : "index.html");
    if (file === undefined) throw new Refusal("not_found", "The console has no such file. Load its page again.");
    send(request, response, file);
  }

  return {
    async handle(request, response) {
      try {
        await answer(request, response);
      } catch (thrown) {
        const isOurs = thrown instanceof Refusal;
        if (!isOurs) log.error({ event: "admin_request_failed", cause: causeOf(thrown) });
        const refusal = isOurs
          ? thrown
          : new Refusal("internal", "The console could not be loaded. The log has the cause.");
        if (response.headersSent) return;
        const { code, headers } = refusal;
        response.writeHead(STATUS_OF[code], {
          ...API_HEADERS,
          ...headers,
          "Content-Type": "text/plain; charset=utf-8",
        });
        response.end(`${refusal.message}\n`);
      }
    },
  };
}

async function prepare(files: readonly ConsoleFile[]): Promise<ReadonlyMap<string, Served>> {
  const served = files.map(async ({ name, text }) => {
    const plain = Buffer.from(text);
    const type = TYPES[extname(name)]!;
    return [name, { type, plain, zipped: await zip(plain), isImmutable: name !== "index.html" }] as const;
  });
  return new Map(await Promise.all(served));
}

function send(request: IncomingMessage, response: ServerResponse, { type, plain, zipped, isImmutable }: Served): void {
  const takesGzip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  const body = takesGzip ? zipped : plain;
  response.writeHead(200, {
    ...API_HEADERS,
    ...(isImmutable && { "Cache-Control": IMMUTABLE }),
    ...(takesGzip && { "Content-Encoding": "gzip" }),
    Vary: "Accept-Encoding",
    "Content-Type": type,
    "Content-Length": body.length,
  });
  response.end(body);
}
