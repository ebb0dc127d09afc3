import type { IncomingMessage } from "node:http";
import type { AdminApi } from "../admin/http/admin-api.ts";
import { sendJson } from "../operate/admin-server.ts";
import { readBody } from "../operate/read-body.ts";
import type { RecentRuns } from "../simulation/recent-runs.ts";
import { CannotSimulate, failuresFromJson, type Failures, type KnownSources } from "../simulation/usual-failures.ts";
import { Fault, FAULTS } from "../terms/fault.ts";
import type { Json } from "../terms/json/json.ts";

export interface MockPagesParts {
  readonly runs: RecentRuns;
  readonly sources: KnownSources;
  /** The failures that the mock was started with. */
  readonly first: Failures;
  readonly failures: () => Failures;
  readonly set: (failures: Failures) => void;
}

/** The largest body that is accepted, in bytes. */
const BODY_BYTES_MAX = 65_536;

/**
 * What a mock has for tests in place of the admin API: the requests that it received, and the failures of its vendors.
 */
export function mockPages({ runs, sources, first, failures, set }: MockPagesParts): AdminApi {
  const now = () => ({ simulate: Object.fromEntries(failures()) });
  const setAndShow = (next: Failures) => {
    set(next);
    return now();
  };
  const pages = new Map<string, Readonly<Record<string, (body: Json | undefined) => object>>>([
    ["/api/runs", { GET: () => ({ runs: runs.list() }), DELETE: () => ({ forgotten: runs.forget() }) }],
    [
      "/api/simulate",
      {
        GET: now,
        PUT: (body) => setAndShow(failuresFromJson(body, sources)),
        DELETE: () => setAndShow(first),
      },
    ],
  ]);
  return {
    async handle(request, response) {
      const [path = ""] = (request.url ?? "").split("?");
      const answers = pages.get(path);
      if (answers === undefined) throw new Fault("request.not_found");
      const method = request.method === "HEAD" ? "GET" : (request.method ?? "");
      if (!Object.hasOwn(answers, method)) {
        response.setHeader("Allow", Object.keys(answers).join(", "));
        throw new Fault("request.method");
      }
      const body = await readJson(request);
      try {
        sendJson(response, 200, answers[method]!(body));
      } catch (thrown) {
        if (!(thrown instanceof CannotSimulate)) throw thrown;
        const { status, kind } = FAULTS["request.invalid"];
        sendJson(response, status, { error: { code: kind, message: thrown.message } });
      }
    },
    failedLogins: () => 0,
    stop: async () => {},
  };
}

/** @throws Fault `request.invalid` */
async function readJson(request: IncomingMessage): Promise<Json | undefined> {
  const bytes = await readBody(request, BODY_BYTES_MAX);
  if (bytes === null) throw new Fault("request.invalid");
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(bytes.toString()) as Json;
  } catch (cause) {
    throw new Fault("request.invalid", {}, { cause });
  }
}
