import type { IncomingMessage } from "node:http";
import type { Authenticator, Caller, TokenGrant } from "../terms/caller.ts";
import { Fault } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";

/** The access token and the workflow in the headers of a request. An empty value counts as absent (decision 0003). */
export interface HeaderAccess {
  readonly token: string | undefined;
  readonly workflow: string | undefined;
}

/** The token from the first header that has one: `X-Service-Access-Token`, then `Authorization: Bearer`. */
export function readHeaderAccess(request: IncomingMessage): HeaderAccess {
  const { headers } = request;
  return {
    token: nonEmpty(headers["x-service-access-token"]) ?? bearer(request),
    workflow: nonEmpty(headers["x-service-workflow"]),
  };
}

function bearer(request: IncomingMessage): string | undefined {
  const value = request.headers.authorization;
  if (value === undefined) return undefined;
  const match = /^bearer +(.*)$/i.exec(value);
  if (match === null) return undefined;
  // Node keeps only the first of several `Authorization` headers. The intended one is unknown, so the request is refused.
  if (countHeader(request, "authorization") > 1) throw new Fault("request.unauthenticated");
  return nonEmpty(match[1]);
}

/** Counts the occurrences of a header in a request. `name` is in lower case. */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const fieldName = rawHeaders[at]!;
    if (fieldName.length === name.length && fieldName.toLowerCase() === name) times += 1;
  }
  return times;
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Authenticates by the headers alone, before the body is read: `null` if they have no token, a grant if they have no workflow.
 * @throws Fault `request.unauthenticated` for an invalid token or workflow
 */
export async function authenticateHeaders(
  { token, workflow }: HeaderAccess,
  authenticator: Authenticator,
): Promise<Caller | TokenGrant | null> {
  if (token === undefined) return null;
  const grant = await authenticator.resolveToken(token);
  return workflow === undefined ? grant : authenticator.resolveCaller(grant, workflow);
}

/**
 * Authenticates with the token and the workflow of the body where the headers had none. `body` is null if it could not be
 * parsed.
 * @throws Fault `request.unauthenticated`
 */
export async function authenticateBody(
  known: TokenGrant | null,
  access: HeaderAccess,
  body: JsonObject | null,
  authenticator: Authenticator,
): Promise<Caller> {
  const token = access.token === undefined ? nonEmpty(ownField(body, "access_token")) : undefined;
  if (known === null && token === undefined) throw new Fault("request.unauthenticated");
  const grant = known ?? (await authenticator.resolveToken(token!));
  const workflow = access.workflow ?? nonEmpty(ownField(body, "workflow"));
  if (workflow === undefined) throw new Fault("request.unauthenticated");
  return authenticator.resolveCaller(grant, workflow);
}

function ownField(body: JsonObject | null, name: string): unknown {
  return body !== null && Object.hasOwn(body, name) ? body[name] : undefined;
}

export function isCaller(value: Caller | TokenGrant | null): value is Caller {
  return value !== null && "workflow" in value;
}
