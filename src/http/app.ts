import type { IncomingMessage } from "node:http";
import { NOT_YET_KNOWN, type ByteBudget } from "../terms/byte-budget.ts";
import type { Clock } from "../terms/clock.ts";
import { asFault, Fault } from "../terms/fault.ts";
import { bodyCheckOf } from "./check-body.ts";
import type { Exchange } from "./connection.ts";
import { ClientGone } from "./incoming-body.ts";
import type { RefusalObserver } from "./ports.ts";
import { readCallerIds } from "./request-ids.ts";
import { PARSED_TIMES, receiveRun, type CheckBody, type ReceiveParts } from "./receive-run.ts";
import { errorBody, sendJson, statusOf, type FaultStatuses } from "./reply.ts";
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
  readonly heldBytesMax: number;
  readonly clock: Clock;
  /** Makes the id of a request that starts no run, `req_…`. */
  readonly newRequestId: () => string;
  readonly observer: RefusalObserver;
  /** True once the service is stopping: connections are then closed after their answer. */
  readonly isStopping: () => boolean;
}

interface Refusing {
  /** The id of the request's run, if one was started. */
  readonly requestId?: string | undefined;
  readonly allow?: string;
}

type Handler = (exchange: Exchange) => void;

interface Opened {
  readonly methods: readonly string[];
  /** The methods joined for the header `Allow`. */
  readonly allow: string;
  readonly handle: Handler;
}

/** The most large bodies of unauthenticated callers in memory at once; fewer if the memory budget is small. */
export const UNAUTHENTICATED_BODIES_MAX = 16;

/** Large bodies may use half of the memory of unauthenticated callers; the other half is for small bodies. */
function unauthenticatedBodiesMax({ budget, bodyBytesMax }: AppParts): number {
  const fit = Math.floor(budget.unauthenticatedBytesMax / (2 * PARSED_TIMES * bodyBytesMax));
  return Math.min(UNAUTHENTICATED_BODIES_MAX, Math.max(1, fit));
}

/** Serves the public routes, and answers everything else. */
export function createApp(parts: AppParts, routes: readonly Route[] = ROUTES): Handler {
  const receiving = { ...parts, unauthenticated: new UnauthenticatedBodies(unauthenticatedBodiesMax(parts)) };
  const opened: ReadonlyMap<string, Opened> = new Map(routes.map((route) => [route.path, open(route)]));

  function open(route: Route): Opened {
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

  async function run(route: RunRoute, check: CheckBody, exchange: Exchange): Promise<void> {
    const { response } = exchange;
    const arrivedAt = parts.clock.now();
    const held = parts.budget.open(NOT_YET_KNOWN, parts.heldBytesMax);
    // A single listener, because every request pays for it. It handles a client that hangs up, and later one that has read
    // its answer.
    let onClose = (): void => {};
    let requestId: string | undefined;
    response.on("close", () => onClose());
    try {
      const received = await receiveRun(exchange, held, check, receiving);
      // The client may have hung up during the token look-up. `close` was emitted then, so a run would never learn of it.
      if (response.destroyed) return;
      const started = route.start(received, arrivedAt, parts.offers);
      exchange.connection.started();
      requestId = started.transactionId;
      onClose = started.clientGone;
      const answer = await started.answer;
      if (!response.destroyed) sendJson(response, 200, requestId, answer, { close: parts.isStopping() });
    } catch (thrown) {
      // The client hung up while it was sending its body: no run was started, and no answer can be sent.
      if (thrown instanceof ClientGone) return;
      held.release();
      refuse(exchange, asFault(thrown, "request.unexpected"), { requestId });
    } finally {
      // The answer stays in memory until the client has read it.
      if (response.closed) held.release();
      else onClose = () => held.release();
    }
  }

  function refuse(exchange: Exchange, fault: Fault, refusing: Refusing = {}): void {
    const { request, response, body } = exchange;
    const { requestId = parts.newRequestId(), allow } = refusing;
    parts.observer.refused({ requestId, path: pathOf(request), fault, ...readCallerIds(request) });
    if (response.destroyed || response.headersSent) return;
    sendJson(response, statusOf(fault, parts), requestId, errorBody(fault, requestId), {
      // A body that was not read to its end blocks the next request on this connection.
      close: body.isComing || parts.isStopping(),
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
