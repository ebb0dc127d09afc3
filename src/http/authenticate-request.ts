import type { IncomingMessage } from "node:http";
import type { Authenticator, Caller, TokenGrant } from "../terms/caller.ts";
import { Fault } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json.ts";

/** What the headers of a request say about who is calling. Empty counts as absent (decision 0003). */
export interface HeaderAccess {
  readonly token: string | undefined;
  readonly workflow: string | undefined;
}

/** The token from the first header that has one: `X-Service-Access-Token`, then `Authorization: Bearer`. */
export function readHeaderAccess(request: IncomingMessage): HeaderAccess {
  const { headers } = request;
  return {
    token: presence(headers["x-service-access-token"]) ?? bearer(request),
    workflow: presence(headers["x-service-workflow"]),
  };
}

function bearer(request: IncomingMessage): string | undefined {
  const value = request.headers.authorization;
  if (value === undefined) return undefined;
  const match = /^bearer +(.*)$/i.exec(value);
  if (match === null) return undefined;
  // Node keeps the first of several. Nobody can know which one was meant, so all are refused.
  if (timesGiven(request, "authorization") > 1) throw new Fault("request.unauthenticated");
  return presence(match[1]);
}

/** How often a request has a header, whose name is given in lower case. */
export function timesGiven({ rawHeaders }: IncomingMessage, name: string): number {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]!;
    if (given.length === name.length && given.toLowerCase() === name) times += 1;
  }
  return times;
}

function presence(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Before the body is read: a bad header token is refused here, and so is a bad header workflow. */
export async function authenticateHeaders(
  { token, workflow }: HeaderAccess,
  authenticator: Authenticator,
): Promise<Caller | TokenGrant | null> {
  if (token === undefined) return null;
  const grant = await authenticator.resolveToken(token);
  return workflow === undefined ? grant : authenticator.resolveCaller(grant, workflow);
}

/** Takes from the body what the headers did not have; `null` if the body could not be parsed. */
export async function authenticateBody(
  known: TokenGrant | null,
  access: HeaderAccess,
  body: JsonObject | null,
  authenticator: Authenticator,
): Promise<Caller> {
  const token = access.token === undefined ? presence(own(body, "access_token")) : undefined;
  if (known === null && token === undefined) throw new Fault("request.unauthenticated");
  const grant = known ?? (await authenticator.resolveToken(token!));
  const workflow = access.workflow ?? presence(own(body, "workflow"));
  if (workflow === undefined) throw new Fault("request.unauthenticated");
  return authenticator.resolveCaller(grant, workflow);
}

function own(body: JsonObject | null, name: string): unknown {
  return body !== null && Object.hasOwn(body, name) ? body[name] : undefined;
}

export function isCaller(value: Caller | TokenGrant | null): value is Caller {
  return value !== null && "workflow" in value;
}
