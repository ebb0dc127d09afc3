import type { IncomingMessage } from "node:http";
import type { Operator } from "../admin/ports.ts";
import { oneOf, text, time } from "../admin/result-schemas.ts";
import { ROLES } from "../admin/roles.ts";
import { Type } from "../terms/type.ts";
import type { Sessions } from "./sessions.ts";

/** An endpoint about who is asking, which is no verb: on the command line there is nothing like it. */
export interface SessionEndpoint {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Whether it takes an operator's token, and not a session. */
  readonly takesToken: boolean;
  answer(request: IncomingMessage, operator: Operator, sessions: Sessions): Promise<SessionAnswer>;
}

export interface SessionAnswer {
  readonly value: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Who is logged in. */
export const SessionResult = Type.Object({
  name: text,
  role: oneOf(...ROLES),
  ends_at: Type.Optional({ ...time, description: "When a session that has just begun ends at the latest; UTC" }),
});

function shown({ name, role }: Operator): object {
  return { name, role };
}

export const SESSION_ENDPOINTS: readonly SessionEndpoint[] = [
  {
    path: "/api/session",
    operationId: "sessionBegin",
    summary: "Exchange an operator's token for a session of a browser",
    description:
      "Answers with a cookie that stands for the token. The session ends after an hour without a request, after twelve hours, when it is ended, and when its operator is revoked. Recorded in the audit trail.",
    takesToken: true,
    async answer(request, operator, sessions) {
      const { cookie, endsWallAt } = await sessions.begin(request, operator);
      const ends_at = new Date(endsWallAt).toISOString();
      return { value: { ...shown(operator), ends_at }, headers: { "Set-Cookie": cookie } };
    },
  },
  {
    path: "/api/session/show",
    operationId: "sessionShow",
    summary: "Show whose session it is",
    description: "Changes nothing.",
    takesToken: false,
    answer: async (_, operator) => ({ value: shown(operator) }),
  },
  {
    path: "/api/session/end",
    operationId: "sessionEnd",
    summary: "End the session",
    description: "Its cookie is worth nothing afterwards, on every machine. Recorded in the audit trail.",
    takesToken: false,
    answer: async (request, operator, sessions) => ({
      value: shown(operator),
      headers: { "Set-Cookie": await sessions.end(request, operator) },
    }),
  },
];
