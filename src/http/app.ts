import type { IncomingMessage } from "node:http";
import { UNAUTHENTICATED, type ByteBudget } from "../terms/concurrency/byte-budget.ts";
import type { Clock } from "../terms/time/clock.ts";
import { asFault, Fault } from "../terms/fault.ts";
import { bodyCheckOf, type CheckBody } from "./parse-body.ts";
import type { ClientExchange } from "./client-connection.ts";
import { ClientGone } from "./incoming-body.ts";
import type { RefusalObserver } from "./ports.ts";
import { readCallerIds } from "./request-ids.ts";
import { PARSED_BODY_FACTOR, receiveRun, type ReceiveParts } from "./receive-run.ts";
import { errorBody, sendJson, statusOf, type FaultStatuses } from "./send-response.ts";
import { methodsOf, type ReadRoute, type Route, type RouteOffers, type RunRoute } from "./route.ts";
import { dataRoute } from "./routes/data.ts";
import { funcRoute } from "./routes/func.ts";
import { statusRoute } from "./routes/status.ts";
import { UnauthenticatedBodies } from "./unauthenticated-bodies.ts";

/** The public endpoints. */
export const ROUTES: readonly Route[] = [dataRoute, funcRoute, statusRoute];

export interface AppParts extends Omit<ReceiveParts, "unauthenticated">, FaultStatuses {
  /** The parts of the service that endpoints may use. */
  readonly offers: RouteOffers;
  /** The memory budget for all callers. */
  readonly budget: ByteBudget;
  /** The most memory that one request may use: its body and its run. */
  readonly requestMemoryBytesMax: number;
  readonly clock: Clock;
  /** Makes the id of a request that starts no run, `req_…`. */
  readonly newRequestId: () => string;
  readonly observer: RefusalObserver;
  /** True once the service is stopping: connections are then closed after their answer. */
  readonly isStopping: () => boolean;
}

interface RefusalOptions {
  /** The id of the request's run, if one was started. */
  readonly requestId?: string | undefined;
  readonly allow?: string;
}

type Handler = (exchange: ClientExchange) => void;

interface OpenedRoute {
  readonly methods: readonly string[];
  /** The methods joined for the header `Allow`. */
  readonly allow: string;
  readonly handle: Handler;
}

/** The most large bodies of unauthenticated callers in memory at once; fewer if the memory budget is small. */
export const UNAUTHENTICATED_BODIES_MAX = 16;

/** Large bodies may use half of the memory of unauthenticated callers; the other half is for small bodies. */
function unauthenticatedBodiesMax({ budget, bodyBytesMax }: AppParts): number {
  const fit = Math.floor(budget.unauthenticatedBytesMax / (2 * PARSED_BODY_FACTOR * bodyBytesMax));
  return Math.min(UNAUTHENTICATED_BODIES_MAX, Math.max(1, fit));
}

/** Serves the public routes, and answers everything else. */
export function createApp(parts: AppParts, routes: readonly Route[] = ROUTES): Handler {
  const receiving = { ...parts, unauthenticated: new UnauthenticatedBodies(unauthenticatedBodiesMax(parts)) };
  const opened: ReadonlyMap<string, OpenedRoute> = new Map(routes.map((route) => [route.path, open(route)]));

  function open(route: Route): OpenedRoute {
    const methods = methodsOf(route);
    return { methods, allow: methods.join(", "), handle: route.method === "GET" ? reading(route) : running(route) };
  }

  function reading(route: ReadRoute): Handler {
    const body = route.makeBody(parts.offers);
    return ({ request, response }) =>
      sendJson(response, 200, parts.newRequestId(), body, {
        close: parts.isStopping(),
        headOnly: request.method === "HEAD",
      });
  }

  function running(route: RunRoute): Handler {
    const check = bodyCheckOf(route.body.schema);
    return (exchange) => void run(route, check, exchange);
  }

  async function run(route: RunRoute, check: CheckBody, exchange: ClientExchange): Promise<void> {
    const { response } = exchange;
    const arrivedAt = parts.clock.now();
    const memory = parts.budget.open(UNAUTHENTICATED, parts.requestMemoryBytesMax);
    // A single listener, because every request pays for it. It handles a client that hangs up, and later one that has read
    // its answer.
    let onClose = (): void => {};
    let requestId: string | undefined;
    response.on("close", () => onClose());
    try {
      const received = await receiveRun(exchange, memory, check, receiving);
      // The client may have hung up during the token look-up. `close` was emitted then, so a run would never learn of it.
      if (response.destroyed) return;
      const started = route.start(received, arrivedAt, parts.offers);
      exchange.connection.markStarted();
      requestId = started.transactionId;
      onClose = started.clientGone;
      const answer = await started.answer;
      if (!response.destroyed) sendJson(response, 200, requestId, answer, { close: parts.isStopping() });
    } catch (thrown) {
      // The client hung up while it was sending its body: no run was started, and no answer can be sent.
      if (thrown instanceof ClientGone) return;
      memory.release();
      refuse(exchange, asFault(thrown, "request.unexpected"), { requestId });
    } finally {
      // The answer stays in memory until the client has read it.
      if (response.closed) memory.release();
      else onClose = () => memory.release();
    }
  }

  function refuse(exchange: ClientExchange, fault: Fault, refusing: RefusalOptions = {}): void {
    const { request, response, body } = exchange;
    const { requestId = parts.newRequestId(), allow } = refusing;
    parts.observer.refused({ requestId, path: pathOf(request), fault, ...readCallerIds(request) });
    if (response.destroyed || response.headersSent) return;
    sendJson(response, statusOf(fault, parts), requestId, errorBody(fault, requestId), {
      // A body that was not read to its end blocks the next request on this connection.
      close: body.isArriving || parts.isStopping(),
      headOnly: request.method === "HEAD",
      ...(allow === undefined ? {} : { allow }),
    });
  }

  return (exchange) => {
    const { request } = exchange;
    const route = opened.get(pathOf(request));
    if (route === undefined) return refuse(exchange, new Fault("request.not_found"));
    const { methods, allow, handle } = route;
    if (!methods.includes(request.method ?? "")) return refuse(exchange, new Fault("request.method"), { allow });
    handle(exchange);
  };
}

/** The path as sent, without the query: a query has no meaning to any endpoint and must not be logged. */
export function pathOf(request: IncomingMessage): string {
  const url = request.url ?? "";
  const query = url.indexOf("?");
  return query === -1 ? url : url.slice(0, query);
}
