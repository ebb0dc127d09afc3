import type { Reply } from "../../../sdk/http.ts";
import { credentialScope, type SourceCall } from "../../../sdk/source.ts";
import { Fault } from "../../../terms/fault.ts";
import type { Auth } from "../auth/compile-auth.ts";
import type { ReadyToken } from "../auth/token-cache.ts";
import type { RequestFile, ReplyFile } from "../format/exchange-format.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import {
  type RenderedCost,
  compileRequest,
  createSend,
  FREE,
  type RequestTemplate,
} from "../request/render-request.ts";
import type { KnownNames, TemplateValues } from "../request/template.ts";

/** The login that all requests of one call share. */
export interface CallLogin {
  ready?: ReadyToken;
}

/** How the requests of a file are sent. */
export interface Asking {
  readonly auth: Auth;
  readonly accept: string;
  readonly cost: RenderedCost;
  readonly login?: CallLogin;
  /** Logs in for this request alone, without the token cache. */
  readonly logsInAnew?: boolean;
}

/**
 * Builds the whole request before anything is sent, then sends it and returns the result of `judge` for the reply. If
 * the vendor refuses a token, the request is sent once more with a new token, unless it could be billed twice. `judge`
 * throws a `credential` failure for a refusal that only the file's `errors` recognise. @throws Fault
 */
export async function ask<Judged>(
  request: RequestTemplate,
  call: SourceCall,
  values: TemplateValues,
  asking: Asking,
  judge: (reply: Reply) => Judged,
): Promise<Judged> {
  const { auth, accept, cost } = asking;
  if (auth.tokens !== undefined) return askWithToken(request, auth.tokens, call, values, asking, judge);
  return judge(await createSend(call.http, auth.tls?.(values), accept, cost)(authenticate(request, auth, values)));
}

async function askWithToken<Judged>(
  request: RequestTemplate,
  tokens: NonNullable<Auth["tokens"]>,
  call: SourceCall,
  values: TemplateValues,
  { auth, accept, cost, login = {}, logsInAnew = false }: Asking,
  judge: (reply: Reply) => Judged,
): Promise<Judged> {
  const tls = auth.tls?.(values);
  const send = createSend(call.http, tls, accept, cost);
  // Render with a placeholder token first, to find unusable values before a login call is made.
  authenticate(request, auth, { ...values, token: "-" });
  const owner = logsInAnew ? undefined : call[credentialScope];
  const logIn = createSend(call.http, tls, accept, FREE);
  for (let isRepeated = false; ; isRepeated = true) {
    const { token, isFresh } = (login.ready ??= await tokens.obtain(owner, values, logIn));
    const reply = await send(authenticate(request, auth, { ...values, token }));
    // Some vendors refuse an expired token with 403, but 403 may also mean missing rights. So this call does not repeat
    // the request, and the next call logs in again.
    if (reply.status === 403 && !isFresh) tokens.drop(owner, values, token);
    if (reply.status !== 401 || isRepeated) {
      try {
        const judged = judge(reply);
        // The vendor has accepted the token. If it refuses the token later in this call, the session has ended.
        login.ready = { token, isFresh: false };
        return judged;
      } catch (thrown) {
        if (reply.status === 401 || reply.status === 403 || !isRefusedCredential(thrown)) throw thrown;
        tokens.drop(owner, values, token);
        if (isRepeated || isFresh || !(cost.free || isFreeOfCharge(thrown))) throw thrown;
      }
    } else tokens.drop(owner, values, token);
    reply.chargedAs("no");
    delete login.ready;
  }
}

function isRefusedCredential(thrown: unknown): thrown is Fault {
  return thrown instanceof Fault && thrown.code === "source.credential_rejected";
}

function isFreeOfCharge({ reported, row }: Fault): boolean {
  return (reported?.charged ?? row.charged) === "no";
}

export function authenticate(request: RequestTemplate, auth: Auth, values: TemplateValues) {
  return auth.steps.reduce((ready, step) => step.apply(ready, values), request.render(values));
}

export function valuesOf(call: Pick<SourceCall, "inputs" | "credentials" | "context" | "region">): TemplateValues {
  return { inputs: call.inputs, credentials: call.credentials, context: call.context, region: call.region };
}

/**
 * Compiles a request. Refuses headers and parameters of the request that authentication also sets. @throws
 * DeclarationError
 */
export function compileAuthenticated(
  file: RequestFile,
  origins: readonly string[],
  auth: Auth,
  known: KnownNames,
  place: DocumentLocation,
): RequestTemplate {
  const request = compileRequest(file, origins, known, place);
  const headers = new Set(request.headerNames);
  const parameters = new Set(request.queryNames);
  for (const step of auth.steps) {
    for (const name of step.headerNames) claim(headers, name, "header");
    for (const name of step.queryNames) claim(parameters, name, "parameter");
  }
  return request;

  function claim(taken: Set<string>, name: string, what: string): void {
    if (taken.has(name)) place.refuseKey("request.duplicate", `the ${what} "${name}" is also set by auth`);
    taken.add(name);
  }
}

export function acceptOf(reply: ReplyFile | undefined): string {
  return reply?.format === "xml" ? "application/xml, text/xml" : "application/json";
}
