import type { Reply } from "../../../sdk/http.ts";
import { credentialScope, type SourceCall } from "../../../sdk/source.ts";
import { Fault } from "../../../terms/fault.ts";
import { withHeaders, type ChallengeResponse } from "../auth/auth-kind.ts";
import type { AuthenticatedRequest } from "../auth/authenticated-request.ts";
import {
  createChallengeCache,
  type Challenge,
  type ChallengeCache,
  type ReceivedChallenges,
} from "../auth/challenge-cache.ts";
import type { Auth } from "../auth/compile-auth.ts";
import type { ReadyToken } from "../auth/token-cache.ts";
import {
  type RenderedCost,
  createSend,
  FREE,
  type RenderedRequest,
  type SendRequest,
} from "../request/render-request.ts";
import type { TemplateValues } from "../request/template.ts";

/** The login that all requests of one call share. */
export interface CallLogin {
  ready?: ReadyToken;
  /** The challenges of a call whose credential has no owner. */
  challenges?: ChallengeCache;
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
  request: AuthenticatedRequest,
  call: SourceCall,
  given: TemplateValues,
  asking: Asking,
  judge: (reply: Reply) => Judged,
): Promise<Judged> {
  const { auth, accept, cost, login = {} } = asking;
  const { tokens, moments } = auth;
  const send = createSend(call.http, auth.tls?.(given), accept, cost);
  const requestId = moments.requestId(call);
  const valuesWith = (token?: string): TemplateValues => {
    const { clock, nonce } = moments.moment(call);
    return { ...given, token, clock, nonce, request_id: requestId };
  };
  const sendWith = (token?: string): Promise<Reply> => {
    const values = valuesWith(token);
    const rendered = request.render(values);
    if (auth.challenges === undefined) return send(rendered);
    const owner = call[credentialScope];
    const cache = owner === undefined ? (login.challenges ??= createChallengeCache()) : auth.challenges.cache;
    const received = cache.of(owner, rendered.origin);
    return sendResponding(rendered, values, auth.challenges, received, send);
  };
  if (tokens === undefined) return judge(await sendWith());
  // Render with a placeholder token first, to find unusable values before a login call is made.
  request.render(valuesWith("-"));
  return askWithToken(tokens, call, given, asking, login, sendWith, judge);
}

async function askWithToken<Judged>(
  tokens: NonNullable<Auth["tokens"]>,
  call: SourceCall,
  values: TemplateValues,
  { auth, accept, cost, logsInAnew = false }: Asking,
  login: CallLogin,
  sendWith: (token: string) => Promise<Reply>,
  judge: (reply: Reply) => Judged,
): Promise<Judged> {
  const owner = logsInAnew ? undefined : call[credentialScope];
  const logIn = createSend(call.http, auth.tls?.(values), accept, FREE);
  for (let isRepeated = false; ; isRepeated = true) {
    const { token, isFresh } = (login.ready ??= await tokens.obtain(owner, values, call, logIn));
    const reply = await sendWith(token);
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

/** How often one request is sent in response to a challenge. The vendor has processed none but the last. */
const RESPONSES_MAX = 2;

/**
 * Sends a request with the response to the latest challenge, if there is one. If the vendor refuses it with a challenge,
 * sends it again with the response to that; and once more only if the vendor says that just the nonce was too old.
 */
async function sendResponding(
  rendered: RenderedRequest,
  values: TemplateValues,
  challenges: ChallengeResponse,
  received: ReceivedChallenges,
  send: SendRequest,
): Promise<Reply> {
  let challenge: Challenge | undefined = received.latest;
  const respond = (): RenderedRequest | null => {
    const authorization = challenge === undefined ? null : challenges.respond(challenge, rendered, values);
    return authorization === null ? null : withHeaders(rendered, { authorization });
  };
  let reply = await send(respond() ?? rendered);
  for (let responses = 0; responses < RESPONSES_MAX; responses += 1) {
    const posed = reply.status === 401 ? challenges.read(reply.headers["www-authenticate"] ?? "") : null;
    if (posed === null || (responses > 0 && !isStale(posed))) break;
    challenge = received.receive(posed);
    const response = respond();
    if (response === null) break;
    reply.chargedAs("no");
    reply = await send(response);
  }
  const next = challenge && challenges.next(challenge, reply.headers["authentication-info"] ?? "");
  if (next) received.receive(next);
  return reply;
}

function isStale({ parameters }: Challenge): boolean {
  return parameters["stale"]?.toLowerCase() === "true";
}

function isRefusedCredential(thrown: unknown): thrown is Fault {
  return thrown instanceof Fault && thrown.code === "source.credential_rejected";
}

function isFreeOfCharge({ reported, row }: Fault): boolean {
  return (reported?.charged ?? row.charged) === "no";
}

export function valuesOf(call: Pick<SourceCall, "inputs" | "credentials" | "context" | "region">): TemplateValues {
  return { inputs: call.inputs, credentials: call.credentials, context: call.context, region: call.region };
}
