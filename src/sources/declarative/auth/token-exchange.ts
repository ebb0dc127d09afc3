import type { Static } from "typebox";
import { Type } from "../../../terms/schema/type.ts";
import { isNumber, nearestNumbers, readNumber } from "../../../terms/json/exact-number.ts";
import type { Json } from "../../../terms/json/json.ts";
import { Fault, faultCodeOfStatus } from "../../../terms/fault.ts";
import { durationMs } from "../../../terms/time/durations.ts";
import { compileExpression, valueOrNull, type ReplyView } from "../expressions/expression.ts";
import { LoginReply, RequestRef } from "../format/exchange-format.ts";
import { closed, duration, expression, shared, template, text } from "../format/format-words.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import { checkHeaderName, type SendRequest } from "../request/render-request.ts";
import { parseTemplate, type TemplateValues } from "../request/template.ts";
import { unreported } from "../reply/compile-charge.ts";
import { acceptOf, assertReading, compileView } from "../reply/view-reply.ts";
import {
  authKind,
  inOneHeader,
  kindOf,
  type AnyAuthKind,
  type AuthSetting,
  type CompiledAuth,
  type NamedKind,
} from "./auth-kind.ts";
import { compileAuthenticated } from "./authenticated-request.ts";
import { createTokenCache, type FetchedToken } from "./token-cache.ts";

const LoginAuth = shared<NamedKind>("login_auth");

const TokenExchange = Type.Object(
  {
    kind: Type.Literal("token_exchange"),
    request: RequestRef,
    auth: Type.Optional(
      Type.Union([LoginAuth, Type.Array(LoginAuth, { minItems: 1 })], {
        description: "How the login call itself is authenticated: one kind, or a list of several.",
      }),
    ),
    reply: Type.Optional(LoginReply),
    token: expression("Finds the token in the reply to the login call."),
    expires_in: Type.Optional(
      expression("Finds the number of seconds for which the token is valid. A token with 0 is not cached."),
    ),
    default_ttl: Type.Optional(duration("How long a token is valid if the reply does not say so. `5m` by default.")),
    early: Type.Optional(
      duration(
        "How long before its expiry a token is renewed. `30s` by default, and never more than half its lifetime.",
      ),
    ),
    header: Type.Optional(
      text(
        "The header field for the token. `Authorization` by default. A request that contains `{{ token }}` itself does not get the field.",
      ),
    ),
    value: Type.Optional(template("The field's value. `Bearer {{ token }}` by default.")),
  },
  {
    ...closed,
    description:
      "A login call that returns a token for the request, such as OAuth client credentials. Tokens are cached per credential, and one call at a time fetches them. A token is dropped when a reply to it is a `credential` failure. After 401, or after an unbilled reply that a row of `errors` recognises, a new token is fetched and the request is sent once more; after 403 it is not. The file's `errors` apply to a login reply without a token.",
  },
);

/** A login call that returns a token for requests. One of `loginKinds` authenticates the login itself. */
export function tokenExchange(loginKinds: readonly AnyAuthKind[]) {
  return authKind({
    schema: TokenExchange,
    once: "a request has one login call",
    compile(file, setting) {
      const { inputs: _, ...lasting } = setting.known;
      // The token is used for later requests, too, so it must not depend on the inputs of the request that fetched it.
      const here = { ...setting, known: lasting };
      const place = setting.place.in("auth");
      const compile = (auth: NamedKind, at: DocumentLocation) =>
        kindOf(auth, loginKinds).compile(auth, { ...here, place: at });
      const { auth = [] } = file;
      const login = Array.isArray(auth)
        ? auth.map((each, index) => compile(each, place.in(index)))
        : [compile(auth as NamedKind, place)];
      return compileTokenExchange(file, login, here);
    },
  });
}

function compileTokenExchange(
  auth: Static<typeof TokenExchange>,
  kinds: readonly CompiledAuth[],
  { known, place, origins, clock, moments, failing }: AuthSetting,
): CompiledAuth {
  const login = compileAuthenticated(auth.request, origins, kinds, known, place.in("request"));
  const tokenOf = compileExpression(auth.token, place.in("token"));
  const expiryOf =
    auth.expires_in === undefined ? undefined : compileExpression(auth.expires_in, place.in("expires_in"));
  const defaultTtlMs = durationMs(auth.default_ttl ?? "5m");
  const cache = createTokenCache(clock, durationMs(auth.early ?? "30s"));
  const header = checkHeaderName(auth.header ?? "Authorization", place.in("header"));
  const value = parseTemplate(auth.value ?? "Bearer {{ token }}", { ...known, token: null }, place.in("value"));
  assertReading(auth.reply, place.in("reply"));
  const viewOf = compileView(auth.reply);
  const accept = acceptOf(auth.reply);

  async function fetchToken(values: TemplateValues, send: SendRequest): Promise<FetchedToken> {
    const rendered = login.render(values);
    const view = viewOf(await send({ ...rendered, headers: { accept, ...rendered.headers } }));
    if (view.status >= 400) reportFailure(view);
    if (view.status === 400) throw new Fault("source.credential_rejected", { status: 400 });
    const code = faultCodeOfStatus(view.status);
    if (code !== null) throw new Fault(code, { status: view.status });
    const token = valueOrNull(tokenOf, view);
    if (typeof token !== "string" || token === "") {
      reportFailure(view);
      throw new Fault("source.contract", { problem: "the login call returned no token" });
    }
    return { token, ttlMs: ttlOf(expiryOf === undefined ? null : valueOrNull(expiryOf, view)) };
  }

  /**
   * Applies the file's `errors` to the reply of a login. They are written for requests with inputs; a login has none,
   * so the failure is never reported as one of the inputs.
   */
  function reportFailure(view: ReplyView): void {
    try {
      failing(view);
    } catch (thrown) {
      if (thrown instanceof Fault && thrown.code !== "source.vendor_input") throw unreported(thrown);
    }
  }

  function ttlOf(seconds: Json): number {
    const given = typeof seconds === "string" ? readNumber(seconds) : seconds;
    // A lifetime of 0 means that only this call may use the token.
    return isNumber(given) ? Math.max(0, Number(nearestNumbers(given)) * 1000) : defaultTtlMs;
  }

  // A credential may be allowed in several contexts, and a login may contain the context.
  const keyOf = (owner: string | undefined, values: TemplateValues) =>
    owner === undefined ? undefined : `${owner} ${JSON.stringify(values["context"])}`;

  return {
    step: inOneHeader(header, value),
    value: { name: "token", covers: new Set() },
    tokens: {
      obtain(owner, values, call, send) {
        const ofLogin = () => ({ ...values, ...moments.moment(call), request_id: moments.requestId(call) });
        return cache.take(keyOf(owner, values), () => fetchToken(ofLogin(), send));
      },
      drop: (owner, values, token) => cache.drop(keyOf(owner, values), token),
    },
  };
}
