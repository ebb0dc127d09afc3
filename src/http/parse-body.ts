import type { IncomingMessage } from "node:http";
import { Fault, type FieldProblem } from "../terms/fault.ts";
import {
  isJsonObject,
  JSON_LIMITS,
  JsonError,
  parseJson,
  type Json,
  type JsonObject,
  type JsonProblem,
} from "../terms/json/json.ts";

const JSON_MEDIA_TYPE = /^[\t ]*application\/json[\t ]*(?:;.*)?$/i;

const MESSAGES: Record<JsonProblem, string> = {
  encoding: "is not valid UTF-8",
  too_deep: "is nested too deeply",
  too_many_keys: "has an object with too many members",
  too_many_values: "holds too many values",
  syntax: "is not valid JSON",
  not_finite: "holds a number that is too large",
  no_room: "is larger than there is room for",
  not_exact: "holds too many numbers with more digits than are reckoned with",
};

export function invalid(problems: readonly FieldProblem[]): Fault {
  return new Fault("request.invalid", {}, { problems });
}

/**
 * Accepts `application/json` with any parameters, and a request without `Content-Type`. @throws Fault `request.invalid`
 */
export function checkMediaType(request: IncomingMessage): void {
  const type = request.headers["content-type"];
  if (type !== undefined && type !== "" && !JSON_MEDIA_TYPE.test(type))
    throw invalid([{ path: "", message: "must be sent as application/json" }]);
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    throw invalid([{ path: "", message: "must be sent without a content encoding" }]);
  }
}

/** Parses a body, which has to be one JSON object within the limits. @throws Fault `request.invalid` */
export function parseBody(bytes: Buffer): JsonObject {
  let value: Json;
  try {
    value = parseJson(bytes, JSON_LIMITS);
  } catch (error) {
    throw error instanceof JsonError ? invalid([{ path: "", message: MESSAGES[error.problem] }]) : error;
  }
  if (!isJsonObject(value)) throw invalid([{ path: "", message: "must be an object" }]);
  return value;
}
