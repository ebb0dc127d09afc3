import type { ErrorReport } from "../report-error.ts";
import type { FieldProblem } from "../../terms/fault.ts";

/** Every code of an error body, and its status. The first six are the verbs' own. */
export const STATUS_OF = {
  usage: 422,
  invalid: 422,
  not_found: 404,
  refused: 409,
  unavailable: 503,
  internal: 500,
  unauthenticated: 401,
  forbidden: 403,
  method_not_allowed: 405,
} as const satisfies Record<ErrorReport["code"] | "unauthenticated" | "forbidden" | "method_not_allowed", number>;

export type ApiErrorCode = keyof typeof STATUS_OF;

/** A request refused before its verb runs, with its answer. */
export class Refusal extends Error {
  readonly code: ApiErrorCode;
  readonly details: readonly FieldProblem[] | undefined;
  /** Headers that HTTP requires with the status. */
  readonly headers: Readonly<Record<string, string>>;
  constructor(code: Exclude<ApiErrorCode, "method_not_allowed">, message: string, details?: readonly FieldProblem[]);
  constructor(code: "method_not_allowed", message: string, details: undefined, allow: string);
  constructor(code: ApiErrorCode, message: string, details?: readonly FieldProblem[], allow?: string) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.details = details;
    this.headers = {
      ...(code === "unauthenticated" && { "WWW-Authenticate": "Bearer" }),
      ...(allow !== undefined && { Allow: allow }),
    };
  }
}
