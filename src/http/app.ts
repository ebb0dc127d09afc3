import type { IncomingMessage } from "node:http";
import type { StartedRun } from "../run/under-way.ts";
import { NOT_YET_KNOWN, type ByteBudget } from "../terms/byte-budget.ts";
import type { Clock } from "../terms/clock.ts";
import { asFault, Fault } from "../terms/fault.ts";
import type { Turn } from "./connection.ts";
import type { EdgeObserver } from "./ports.ts";
import { RefusalTurns } from "./refusal-turns.ts";
import { receiveRun, type ReceivedRun, type ReceiveParts } from "./receive-run.ts";
import { errorBody, sendJson, statusOf, type FaultStatuses } from "./reply.ts";
import type { CheckBody } from "./request-schema.ts";
import { UnfinishedBodies } from "./unfinished-bodies.ts";

/** How a POST becomes a run: its schema, and what starts it. */
export interface RunRoute {
  readonly check: CheckBody;
  start(received: ReceivedRun, arrivedAt: number): StartedRun;
}

export interface AppParts extends Omit<ReceiveParts, "strangers">, FaultStatuses {
  readonly data: RunRoute;
  readonly func: RunRoute;
  readonly statusBody: string;
  /** What may be held in memory for all callers. */
  readonly budget: ByteBudget;
  /** The most that one request may hold of it: its body, and what its run may. */
  readonly heldBytesMax: number;
  readonly clock: Clock;
  readonly observer: EdgeObserver;
  /** True once the service is ending: connections are then closed with their answer. */
  readonly isStopping: () => boolean;
}

interface Refusing {
  /** In whose turn: the organization's, once it is known. */
  readonly owner?: string;
  readonly allow?: string;
}

type Handler = (turn: Turn) => void | Promise<void>;

interface Route {
  /** As `Allow` lists them. */
  readonly methods: string;
  readonly handle: Handler;
}

/** The three routes of the public edge, and the answer to everything else. */
export function createApp(parts: AppParts): Handler {
  const turns = new RefusalTurns(parts.clock, parts.isStopping);
  const receiving = { ...parts, strangers: new UnfinishedBodies() };
  const data: Handler = (turn) => run(parts.data, turn);
  const func: Handler = (turn) => run(parts.func, turn);
  const routes: ReadonlyMap<string, Route> = new Map([
    ["/data", { methods: "POST", handle: data }],
    ["/func", { methods: "POST", handle: func }],
    ["/status", { methods: "GET, HEAD", handle: status }],
  ]);

  function status({ request, response }: Turn): void {
    sendJson(response, 200, parts.statusBody, { close: parts.isStopping(), headOnly: request.method === "HEAD" });
  }

  async function run(route: RunRoute, turn: Turn): Promise<void> {
    const { request, response } = turn;
    const arrivedAt = parts.clock.now();
    const held = parts.budget.open(NOT_YET_KNOWN, parts.heldBytesMax);
    try {
      const received = await receiveRun(turn, held, route.check, receiving);
      // It may have hung up while its token was looked up: that has been told already, and nobody waits for this run.
      if (response.destroyed) return;
      const started = route.start(received, arrivedAt);
      response.on("close", started.clientGone);
      const body = await started.answer;
      if (!response.destroyed) sendJson(response, 200, body, { close: parts.isStopping() });
    } catch (thrown) {
      // The client went away while it was sending: there is nothing to answer, and nothing was run.
      if (request.destroyed && !request.complete && !(thrown instanceof Fault)) return;
      held.release();
      refuse(turn, asFault(thrown, "request.unexpected"), { owner: held.owner });
    } finally {
      // Whoever does not read its answer goes on holding it.
      if (response.closed) held.release();
      else response.once("close", () => held.release());
    }
  }

  function refuse(turn: Turn, fault: Fault, { owner = NOT_YET_KNOWN, allow }: Refusing = {}): void {
    const { request, response, connection } = turn;
    parts.observer.refused(pathOf(request), fault);
    if (response.destroyed || response.headersSent) return;
    const send = () => sendRefusal(turn, fault, allow);
    connection.refused();
    response.once("close", () => turns.remove(owner, send));
    turns.add(owner, send);
  }

  function sendRefusal(turn: Turn, fault: Fault, allow: string | undefined): void {
    const { request, response, body } = turn;
    // A body that was not read to its end stands in the way of the next request on this connection.
    const unread = body.isComing;
    // Who waits to be told to go on with its body has not sent it.
    const isComing = unread && request.headers.expect === undefined;
    sendJson(response, statusOf(fault, parts), errorBody(fault), {
      close: unread || parts.isStopping(),
      ...(isComing ? { unread: { turn, bytesMax: PASSING_BODIES * parts.bodyLimits.bodyBytesMax } } : {}),
      headOnly: request.method === "HEAD",
      ...(allow === undefined ? {} : { allow }),
    });
  }

  return (turn) => {
    const { request } = turn;
    const route = routes.get(pathOf(request));
    if (route === undefined) return refuse(turn, new Fault("request.not_found"));
    if (!route.methods.split(", ").includes(request.method ?? "")) {
      return refuse(turn, new Fault("request.method"), { allow: route.methods });
    }
    return route.handle(turn);
  };
}

/** How much of an unwanted body is taken in, as a multiple of what a wanted one may measure. */
const PASSING_BODIES = 8;

/** The path as it was sent, without the query, which means nothing here and is not logged. */
function pathOf(request: IncomingMessage): string {
  const url = request.url ?? "";
  const query = url.indexOf("?");
  return query === -1 ? url : url.slice(0, query);
}
