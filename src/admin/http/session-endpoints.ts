import type { IncomingMessage } from "node:http";
import type { TObject } from "typebox";
import type { Operator } from "../ports.ts";
import { oneOf, orNull, text, time } from "../result-schemas.ts";
import { ROLES } from "../roles.ts";
import { Type } from "../../terms/schema/type.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import { forgetAttempt } from "./identity-provider/login-attempt.ts";
import type { ProviderLogin } from "./identity-provider/provider-login.ts";
import type { OperatorLogin } from "./login.ts";
import { Refusal } from "./refusal.ts";
import type { LoginWay, Sessions } from "./sessions.ts";

/** The setting `console`. */
export type ConsoleMode = "off" | "read_only" | "on";

/** An endpoint about the caller's login. It is not a verb and has no counterpart on the command line. */
export interface SessionEndpoint {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** How the caller authenticates. */
  readonly takes: "token" | "session" | "input" | "nothing";
  readonly input?: TObject;
  /** The name of a schema in `SESSION_RESULTS`. */
  readonly result: keyof typeof SESSION_RESULTS;
  answer(request: IncomingMessage, ways: LoginWays, input: JsonObject): Promise<SessionAnswer>;
}

/** The ways to start a session, and the sessions themselves. */
export interface LoginWays {
  readonly mode: ConsoleMode;
  readonly login: OperatorLogin;
  /** `null` without an identity provider. */
  readonly provider: ProviderLogin | null;
  readonly sessions: Sessions;
  /** How a person starts a command of this deployment on the service's machine. */
  readonly program: string;
}

export interface SessionAnswer {
  readonly value: object;
  /** The values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
}

/** Who is logged in. */
const SessionResult = Type.Object({
  name: text,
  role: oneOf(...ROLES),
  console: { ...oneOf("on", "read_only"), description: "With `read_only`, whatever changes something is refused" },
  program: {
    ...text,
    description:
      "How a person starts a command of this deployment on the service's machine, such as `npx datarun`; the console shows commands in this form",
  },
  ends_at: Type.Optional({ ...time, description: "The latest end of a session that has just started; UTC" }),
});

const LoginWaysResult = Type.Object({
  console: oneOf("on", "read_only"),
  identity_provider: {
    ...orNull(text),
    description: "The host of the identity provider for logins; null if there is none",
  },
});

const ProviderAddressResult = Type.Object({
  location: { ...text, description: "The address to send the browser to; it returns to /console/login" },
});

export const SESSION_RESULTS = { SessionResult, LoginWaysResult, ProviderAddressResult };

function shown({ name, role }: Operator, { mode, program }: LoginWays): object {
  return { name, role, console: mode, program };
}

async function startSession(request: IncomingMessage, ways: LoginWays, operator: Operator, way: LoginWay) {
  const { cookie, endsWallAt } = await ways.sessions.begin(request, operator, way);
  const ends_at = new Date(endsWallAt).toISOString();
  return { value: { ...shown(operator, ways), ends_at }, cookies: [cookie] };
}

function providerIn({ provider }: LoginWays): ProviderLogin {
  if (provider === null) throw new Refusal("not_found", "No identity provider is set here (oidc.issuer).");
  return provider;
}

/** @throws Refusal */
async function operatorIn(request: IncomingMessage, { sessions }: LoginWays): Promise<Operator> {
  const operator = await sessions.operatorOf(request);
  if (operator === null) throw new Refusal("unauthenticated", "There is no session.");
  return operator;
}

const LASTS =
  "The session ends after an hour without a request, after twelve hours, when it is ended, and when its operator is revoked. Recorded in the audit trail.";

export const SESSION_ENDPOINTS: readonly SessionEndpoint[] = [
  {
    path: "/api/session/ways",
    operationId: "sessionWays",
    summary: "Show how people can log in",
    description: "Changes nothing.",
    takes: "nothing",
    result: "LoginWaysResult",
    answer: async (_, { mode, provider }) => ({ value: { console: mode, identity_provider: provider?.host ?? null } }),
  },
  {
    path: "/api/session",
    operationId: "sessionBegin",
    summary: "Exchange an operator's token for a session of a browser",
    description: `Answers with a cookie that stands for the token. ${LASTS}`,
    takes: "token",
    result: "SessionResult",
    async answer(request, ways) {
      return startSession(request, ways, await ways.login.operatorOf(request), "token");
    },
  },
  {
    path: "/api/session/code",
    operationId: "sessionBeginWithCode",
    summary: "Exchange a one-time code for a session of a browser",
    description: `Such a code is in the address that \`start --demo\` prints. It can be used once, within ten minutes. A wrong one is answered after a delay. ${LASTS}`,
    takes: "input",
    input: Type.Object(
      { code: Type.String({ minLength: 1, maxLength: 128, description: "The code, without `#code=`" }) },
      { additionalProperties: false },
    ),
    result: "SessionResult",
    async answer(request, ways, { code }) {
      return startSession(request, ways, await ways.login.operatorOfCode(request, code as string), "code");
    },
  },
  {
    path: "/api/session/provider/begin",
    operationId: "sessionProviderBegin",
    summary: "Start a login with the identity provider",
    description:
      "OpenID Connect with the authorization code flow and PKCE. Answers with the address to send the browser to, and a cookie that identifies the browser when it returns, within ten minutes.",
    takes: "nothing",
    result: "ProviderAddressResult",
    async answer(request, ways) {
      const { location, cookie } = await providerIn(ways).begin(request);
      return { value: { location }, cookies: [cookie] };
    },
  },
  {
    path: "/api/session/provider/finish",
    operationId: "sessionProviderFinish",
    summary: "Exchange the answer of the identity provider for a session of a browser",
    description: `The answer is the query with which the browser returned. The role is the highest that one of the person's groups has; 403 if none has one. ${LASTS}`,
    takes: "input",
    input: Type.Object(
      { answer: Type.String({ minLength: 1, maxLength: 8_192, description: "The query, without the `?`" }) },
      { additionalProperties: false },
    ),
    result: "SessionResult",
    async answer(request, ways, { answer }) {
      const operator = await providerIn(ways).finish(request, answer as string);
      const { value, cookies } = await startSession(request, ways, operator, "identity_provider");
      return { value, cookies: [...cookies, forgetAttempt(request)] };
    },
  },
  {
    path: "/api/session/show",
    operationId: "sessionShow",
    summary: "Show whose session it is",
    description: "Changes nothing.",
    takes: "session",
    result: "SessionResult",
    answer: async (request, ways) => ({ value: shown(await operatorIn(request, ways), ways) }),
  },
  {
    path: "/api/session/end",
    operationId: "sessionEnd",
    summary: "End the session",
    description: "Afterwards its cookie is refused on every machine. Recorded in the audit trail.",
    takes: "session",
    result: "SessionResult",
    async answer(request, ways) {
      const operator = await operatorIn(request, ways);
      return { value: shown(operator, ways), cookies: [await ways.sessions.end(request, operator)] };
    },
  },
];
