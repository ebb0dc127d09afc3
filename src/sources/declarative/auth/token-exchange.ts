import { isNumber, nearestNumbers, readNumber } from "../../../terms/exact-number.ts";
import type { Json } from "../../../terms/json.ts";
import { Fault, faultCodeOfStatus } from "../../../terms/fault.ts";
import { durationMs } from "../../../terms/durations.ts";
import { compileExpression, type ReplyView } from "../expressions/expression.ts";
import type { TokenExchangeFile } from "../format/format.ts";
import { checkHeaderName, compileRequest } from "../request/render-request.ts";
import type { SendRequest } from "../request/send-request.ts";
import { parseTemplate, type Values } from "../request/template.ts";
import { compileView } from "../reply/view-reply.ts";
import type { AuthSetting, AuthStep } from "./auth-step.ts";
import { createTokenCache, type FetchedToken, type ReadyToken } from "./token-cache.ts";
import { inOneHeader } from "./static-auth.ts";

/** A login call and what it yields: requests carry `{{ token }}`. */
export interface TokenExchange {
  readonly step: AuthStep;
  /** A token of this owner, from the cache or by one login call. @throws Fault */
  obtain(owner: string | undefined, values: Values, send: SendRequest): Promise<ReadyToken>;
  /** The vendor did not take this token. */
  drop(owner: string | undefined, values: Values, token: string): void;
}

/** @throws DeclarationError */
export function compileTokenExchange(
  auth: TokenExchangeFile,
  loginSteps: readonly AuthStep[],
  setting: AuthSetting,
): TokenExchange {
  const { known, place, origins, clock } = setting;
  // A token outlives the request that fetched it, so nothing of a request may be in it.
  const { inputs: _, ...lasting } = known;
  const login = compileRequest(auth.request, origins, lasting, place.in("request"));
  const tokenOf = compileExpression(auth.token, place.in("token"));
  const expiryOf =
    auth.expires_in === undefined ? undefined : compileExpression(auth.expires_in, place.in("expires_in"));
  const defaultTtlMs = durationMs(auth.default_ttl ?? "5m");
  const cache = createTokenCache(clock, durationMs(auth.early ?? "30s"));
  const header = checkHeaderName(auth.header ?? "Authorization", place.in("header"));
  const value = parseTemplate(auth.value ?? "Bearer {{ token }}", { ...lasting, token: null }, place.in("value"));
  const viewOf = compileView({ format: "json" });

  async function fetchToken(values: Values, send: SendRequest): Promise<FetchedToken> {
    const request = loginSteps.reduce((ready, step) => step.apply(ready, values), login.render(values));
    const view = viewOf(await send(request));
    if (view.status === 400) throw new Fault("source.credential_rejected", { status: 400 });
    const code = faultCodeOfStatus(view.status);
    if (code !== null) throw new Fault(code, { status: view.status });
    const token = working(tokenOf, view);
    if (typeof token !== "string" || token === "") {
      throw new Fault("source.contract", { problem: "the login call gave no token" });
    }
    return { token, ttlMs: ttlOf(expiryOf === undefined ? null : working(expiryOf, view)) };
  }

  function ttlOf(seconds: Json): number {
    const given = typeof seconds === "string" ? readNumber(seconds) : seconds;
    // One that says 0 is good for this once.
    return isNumber(given) ? Math.max(0, Number(nearestNumbers(given)) * 1000) : defaultTtlMs;
  }

  // One credential may be good in several contexts, and a login may name the context.
  const keyOf = (owner: string | undefined, values: Values) =>
    owner === undefined ? undefined : `${owner} ${JSON.stringify(values["context"])}`;

  return {
    step: inOneHeader(header, value),
    obtain: (owner, values, send) => cache.take(keyOf(owner, values), () => fetchToken(values, send)),
    drop: (owner, values, token) => cache.drop(keyOf(owner, values), token),
  };
}

function working(evaluate: (view: ReplyView) => Json, view: ReplyView): Json {
  try {
    return evaluate(view);
  } catch {
    return null;
  }
}
