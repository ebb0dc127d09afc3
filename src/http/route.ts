import type { FunctionRequest } from "../run/function-run.ts";
import type { RunRequest, StartedRun } from "../run/active-run.ts";
import type { ReceivedRun } from "./receive-run.ts";

/**
 * One public endpoint as a value: its path, its part of the contract, and its handler. Everything that lists endpoints
 * (`openapi.json`, the reference, `Allow`, the paths that may appear in the log) is derived from these.
 */
export type Route = RunRoute | ReadRoute;

interface Endpoint {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** The meaning of 200, and the possible bodies by their names in the contract. */
  readonly answers: { readonly description: string; readonly schemas: Readonly<Record<string, object>> };
  /** Further schemas of the contract, to which the schemas of the bodies refer. */
  readonly parts?: Readonly<Record<string, object>>;
}

/** Real bodies: a test sends each request, and compares the answer. */
export interface Example {
  readonly summary: string;
  readonly answer: object;
}

export interface RunExample extends Example {
  readonly request: object;
}

/** A POST that starts a run, after its caller has been authenticated and its body checked. */
export interface RunRoute extends Endpoint {
  readonly method: "POST";
  readonly body: {
    readonly name: string;
    /** Checks every body. */
    readonly schema: object;
    /** The schema in the contract instead, if the service accepts more than a caller should send. */
    readonly published?: object;
  };
  readonly examples: Readonly<Record<string, RunExample>>;
  /** @throws Fault `request.…` for a valid body that cannot be run */
  start(received: ReceivedRun, arrivedAt: number, offers: RouteOffers): StartedRun;
}

/** A GET (and HEAD) without authentication. */
export interface ReadRoute extends Endpoint {
  readonly method: "GET";
  readonly examples: Readonly<Record<string, Example>>;
  /** The body of every answer, created once, so that answering needs no I/O. */
  makeBody(offers: RouteOffers): string;
}

/** The parts of the service that endpoints may use. */
export interface RouteOffers {
  readonly startData: (request: RunRequest) => StartedRun;
  readonly startFunction: (request: FunctionRequest) => StartedRun;
  readonly deployment: Deployment;
}

/** The deployed build. */
export interface Deployment {
  readonly gitSha: string;
  readonly gitDerivedVersion: string;
}

/** The methods that an endpoint accepts, as `Allow` lists them. */
export function methodsOf({ method }: Route): readonly string[] {
  return method === "GET" ? ["GET", "HEAD"] : [method];
}
