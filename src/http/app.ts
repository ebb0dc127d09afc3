import type { IncomingMessage } from "node:http";
import { NOT_YET_KNOWN, type ByteBudget } from "../terms/byte-budget.ts";
import type { Clock } from "../terms/clock.ts";
import { asFault, Fault } from "../terms/fault.ts";
import { bodyCheckOf } from "./check-body.ts";
import type { Turn } from "./connection.ts";
import type { EdgeObserver } from "./ports.ts";
import { RefusalTurns } from "./refusal-turns.ts";
import { readCallerIds } from "./request-ids.ts";
import { receiveRun, type CheckBody, type ReceiveParts } from "./receive-run.ts";
import { errorBody, sendJson, statusOf, type FaultStatuses } from "./reply.ts";
import { methodsOf, type ReadRoute, type Route, type RouteOffers, type RunRoute } from "./route.ts";
import { dataRoute } from "./routes/data.ts";
import { funcRoute } from "./routes/func.ts";
import { statusRoute } from "./routes/status.ts";
import { StrangersBodies } from "./strangers-bodies.ts";

/** The public endpoints. */
export const ROUTES: readonly Route[] = [dataRoute, funcRoute, statusRoute];

export interface AppParts extends Omit<ReceiveParts, "strangers">, FaultStatuses {
  /** What the endpoints use. */
  readonly offers: RouteOffers;
  /** The memory budget for all callers. */
  readonly budget: ByteBudget;
  /** The most memory that one request may use: its body and its run. */
  readonly heldBytesMax: number;
  readonly clock: Clock;
  /** An id for a request that starts no run. */
  readonly newRequestId: () => string;
  readonly observer: EdgeObserver;
  /** True once the service is stopping: connections are then closed after their answer. */
  readonly isStopping: () => boolean;
}

interface Refusing {
  /** The organization in whose turn the refusal is sent, once it is known. */
  readonly owner?: string;
  /** That of its run, if it has started one. */
  readonly requestId?: string | undefined;
  readonly allow?: string;
}

type Handler = (turn: Turn) => void | Promise<void>;

interface Opened {
  readonly methods: readonly string[];
  /** The methods, as in the header. */
  readonly allow: string;
  readonly handle: Handler;
}

/** Serves the public routes, and answers everything else. */
export function createApp(parts: AppParts, routes: readonly Route[] = ROUTES): Handler {
  const turns = new RefusalTurns(parts.clock, parts.isStopping);
  const receiving = { ...parts, strangers: new StrangersBodies() };
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
    return (turn) => run(route, check, turn);
  }

  async function run(route: RunRoute, check: CheckBody, turn: Turn): Promise<void> {
    const { request, response } = turn;
    const arrivedAt = parts.clock.now();
    const held = parts.budget.open(NOT_YET_KNOWN, parts.heldBytesMax);
    // One listener for two reasons, because every request has it: its client may hang up, or read its answer to the end.
    let onClose = (): void => {};
    let requestId: string | undefined;
    response.on("close", () => onClose());
    try {
      const received = await receiveRun(turn, held, check, receiving);
      // The client may have hung up while its token was looked up. That was reported already, and nobody waits for this run.
      if (response.destroyed) return;
      const started = route.start(received, arrivedAt, parts.offers);
      turn.connection.started();
      requestId = started.transactionId;
      onClose = started.clientGone;
      const answer = await started.answer;
      if (!response.destroyed) sendJson(response, 200, requestId, answer, { close: parts.isStopping() });
    } catch (thrown) {
      // The client hung up while it was sending: nobody can be answered, and nothing was run.
      if (request.destroyed && !request.complete && !(thrown instanceof Fault)) return;
      held.release();
      refuse(turn, asFault(thrown, "request.unexpected"), { owner: held.owner, requestId });
    } finally {
      // The answer stays in memory until the client has read it.
      if (response.closed) held.release();
      else onClose = () => held.release();
    }
  }

  function refuse(turn: Turn, fault: Fault, refusing: Refusing = {}): void {
    const { request, response, connection } = turn;
    const { owner = NOT_YET_KNOWN, requestId = parts.newRequestId(), allow } = refusing;
    parts.observer.refused({ requestId, path: pathOf(request), fault, ...readCallerIds(request) });
    if (response.destroyed || response.headersSent) return;
    const send = () => sendRefusal(turn, fault, requestId, allow);
    connection.refused();
    response.once("close", () => turns.remove(owner, send));
    turns.add(owner, send);
  }

  function sendRefusal(turn: Turn, fault: Fault, requestId: string, allow: string | undefined): void {
    const { request, response, body } = turn;
    // A body that was not read to its end blocks the next request on this connection.
    const unread = body.isComing;
    // A client that waits for `100 Continue` has not sent its body.
    const isComing = unread && request.headers.expect === undefined;
    sendJson(response, statusOf(fault, parts), requestId, errorBody(fault, requestId), {
      close: unread || parts.isStopping(),
      ...(isComing ? { unread: { turn, bytesMax: DISCARDED_BODIES * parts.bodyLimits.bodyBytesMax } } : {}),
      headOnly: request.method === "HEAD",
      ...(allow === undefined ? {} : { allow }),
    });
  }

  return (turn) => {
    const { request } = turn;
    const route = opened.get(pathOf(request));
    if (route === undefined) return refuse(turn, new Fault("request.not_found"));
    const { methods, allow, handle } = route;
    return methods.includes(request.method ?? "") ? handle(turn) : refuse(turn, new Fault("request.method"), { allow });
  };
}

/** How much of an unwanted body is read and discarded, as a multiple of the largest allowed body. */
const DISCARDED_BODIES = 8;

/** The path as it was sent, without the query, which has no meaning and is not logged. */
export function pathOf(request: IncomingMessage): string {
  const url = request.url ?? "";
  const query = url.indexOf("?");
  return query === -1 ? url : url.slice(0, query);
}
