import type { IncomingMessage } from "node:http";
import { readBody } from "../../operate/read-body.ts";
import { isJsonObject, JSON_LIMITS, JsonError, type JsonObject, parseJson } from "../../terms/json/json.ts";
import { Refusal } from "./refusal.ts";

/** The same limit as for standard input on the command line. */
export const BODY_BYTES_MAX = 1_048_576;
const JSON_TYPE = /^[\t ]*application\/json[\t ]*(?:;.*)?$/i;

/**
 * The input of a verb: one JSON object; an empty body is an empty object. A page of another site cannot send this media
 * type without a CORS preflight, which nothing allows.
 * @throws Refusal `invalid`; rejects if the client disconnects
 */
export async function readInput(request: IncomingMessage, bytesMax: number = BODY_BYTES_MAX): Promise<JsonObject> {
  const bytes = await readBytes(request, bytesMax);
  if (bytes.length === 0) return {};
  const { "content-type": type = "", "content-encoding": encoding = "identity" } = request.headers;
  if (!JSON_TYPE.test(type) || encoding !== "identity") throw invalid("must be sent as application/json");
  const input = parse(bytes);
  if (!isJsonObject(input)) throw invalid("must be an object");
  return input;
}

async function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const isAnnounced = Number(request.headers["content-length"] ?? 0) > bytesMax;
  const bytes = isAnnounced ? null : await readBody(request, bytesMax);
  if (bytes === null) throw invalid(`is larger than ${bytesMax} bytes, or comes in very small chunks`);
  return bytes;
}

function parse(bytes: Buffer): unknown {
  try {
    return parseJson(bytes, JSON_LIMITS);
  } catch (error) {
    if (error instanceof JsonError) throw invalid(`is not valid JSON (${error.problem})`);
    throw error;
  }
}

function invalid(problem: string): Refusal {
  return new Refusal("invalid", `The body ${problem}.`, [{ path: "", message: problem }]);
}
