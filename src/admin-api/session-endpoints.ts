import type { IncomingMessage } from "node:http";
import type { TObject } from "typebox";
import type { Operator } from "../admin/ports.ts";
import { oneOf, text, time } from "../admin/result-schemas.ts";
import { ROLES } from "../admin/roles.ts";
import { Type } from "../terms/type.ts";
import type { JsonObject } from "../terms/json.ts";
import type { Login } from "./login.ts";
import type { LoginCodes } from "./login-codes.ts";
import { Refusal } from "./refusal.ts";
import type { Begun, Sessions } from "./sessions.ts";

/** The setting `console`. */
export type ConsoleMode = "off" | "read_only" | "on";

/** An endpoint about who is asking, which is no verb: on the command line there is nothing like it. */
export interface SessionEndpoint {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** What shows who is asking. */
  readonly takes: "token" | "session" | "input";
  readonly input?: TObject;
  readonly result: "SessionResult";
  answer(request: IncomingMessage, ways: LoginWays, input: JsonObject): Promise<SessionAnswer>;
}

/** By what a session begins, and what there is of it then. */
export interface LoginWays {
  readonly mode: ConsoleMode;
  readonly login: Login;
  readonly codes: LoginCodes;
  readonly sessions: Sessions;
}

export interface SessionAnswer {
  readonly value: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Who is logged in. */
export const SessionResult = Type.Object({
  name: text,
  role: oneOf(...ROLES),
  console: { ...oneOf("on", "read_only"), description: "With `read_only`, whatever changes something is refused" },
  ends_at: Type.Optional({ ...time, description: "When a session that has just begun ends at the latest; UTC" }),
});

function shown({ name, role }: Operator, { mode }: LoginWays): object {
  return { name, role, console: mode };
}

function begun(operator: Operator, ways: LoginWays, { cookie, endsWallAt }: Begun): SessionAnswer {
  const ends_at = new Date(endsWallAt).toISOString();
  return { value: { ...shown(operator, ways), ends_at }, headers: { "Set-Cookie": cookie } };
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
    path: "/api/session",
    operationId: "sessionBegin",
    summary: "Exchange an operator's token for a session of a browser",
    description: `Answers with a cookie that stands for the token. ${LASTS}`,
    takes: "token",
    result: "SessionResult",
    async answer(request, ways) {
      const operator = await ways.login.operatorOf(request);
      return begun(operator, ways, await ways.sessions.begin(request, operator, "token"));
    },
  },
  {
    path: "/api/session/code",
    operationId: "sessionBeginWithCode",
    summary: "Exchange a one-time code for a session of a browser",
    description: `Such a code stands in the address that \`start --demo\` prints. It can be used once, within ten minutes. A wrong one is answered late. ${LASTS}`,
    takes: "input",
    input: Type.Object(
      { code: Type.String({ minLength: 1, maxLength: 128, description: "The code, from behind `#code=`" }) },
      { additionalProperties: false },
    ),
    result: "SessionResult",
    async answer(request, ways, { code }) {
      const operator = await ways.codes.use(request, code as string);
      return begun(operator, ways, await ways.sessions.begin(request, operator, "code"));
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
    description: "Its cookie is worth nothing afterwards, on every machine. Recorded in the audit trail.",
    takes: "session",
    result: "SessionResult",
    async answer(request, ways) {
      const operator = await operatorIn(request, ways);
      return { value: shown(operator, ways), headers: { "Set-Cookie": await ways.sessions.end(request, operator) } };
    },
  },
];
