import type { MemoryReservation } from "../terms/concurrency/byte-budget.ts";
import type { Authenticator, Caller } from "../terms/caller.ts";
import { Fault } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { authenticateBody, authenticateHeaders, isCaller, readHeaderAccess } from "./authenticate-request.ts";
import type { ClientExchange } from "./client-connection.ts";
import { readCallerIds, type CallerIds } from "./request-ids.ts";
import { checkMediaType, parseBody, type CheckBody } from "./parse-body.ts";
import type { UnauthenticatedBodies } from "./unauthenticated-bodies.ts";

export interface ReceiveParts {
  readonly authenticator: Authenticator;
  readonly bodyBytesMax: number;
  /** Limits the bodies of callers that are not authenticated yet. */
  readonly unauthenticated: UnauthenticatedBodies;
}

export interface ReceivedRun extends CallerIds {
  readonly caller: Caller;
  readonly body: JsonObject;
  /** The memory that the request uses: its body, later its run. */
  readonly memory: MemoryReservation;
}

/**
 * Authenticates the caller and reads a body that matches the schema, in the order of decision 0003. A bad token in a header
 * is refused before the body is read. A token that the headers lack is taken from the body. Only an authenticated caller
 * learns what is wrong with the body.
 * @throws Fault `request.unauthenticated` before `request.invalid`
 */
export async function receiveRun(
  exchange: ClientExchange,
  memory: MemoryReservation,
  check: CheckBody,
  parts: ReceiveParts,
): Promise<ReceivedRun> {
  const { request } = exchange;
  const { authenticator, unauthenticated } = parts;
  const access = readHeaderAccess(request);
  const known = await authenticateHeaders(access, authenticator);
  if (known !== null) memory.transferTo(known.organizationId);
  if (isCaller(known)) {
    const body = await readJson(exchange, memory, parts);
    check(body);
    return { caller: known, body, ...readCallerIds(request), memory };
  }
  // A caller with a valid token uses the share of its organization, and does not wait for unauthenticated callers.
  const leave = known === null ? await unauthenticated.enter(exchange.body, exchange.response) : undefined;
  try {
    const received = await readJson(exchange, memory, parts).catch(asBodyFault);
    const body = received instanceof Fault ? null : received;
    const caller = await authenticateBody(known, access, body, authenticator);
    if (!memory.transferTo(caller.organizationId)) throw new Fault("request.overloaded");
    if (received instanceof Fault) throw received;
    check(received);
    return { caller, body: received, ...readCallerIds(request), memory };
  } finally {
    leave?.();
  }
}

/** Memory of a body together with its parsed form, as a multiple of the body's bytes. */
export const PARSED_BODY_FACTOR = 4;

async function readJson(
  { request, body }: ClientExchange,
  memory: MemoryReservation,
  { bodyBytesMax }: ReceiveParts,
): Promise<JsonObject> {
  checkMediaType(request);
  const bytes = await body.read(memory, bodyBytesMax);
  if (!memory.reserve((PARSED_BODY_FACTOR - 1) * bytes.length)) throw new Fault("request.overloaded");
  return parseBody(bytes);
}

function asBodyFault(error: unknown): Fault {
  if (error instanceof Fault && error.code === "request.invalid") return error;
  throw error;
}
