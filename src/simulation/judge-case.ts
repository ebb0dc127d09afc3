import { isDeepStrictEqual } from "node:util";
import type { RunnableSource } from "../run/ports.ts";
import type { ExpectedRequest, SourceCase } from "../sdk/source.ts";
import { isJsonObject, readJsonExactly, type JsonObject } from "../terms/json/json.ts";
import { asList } from "./as-list.ts";
import { differences, type ValueDifference } from "./difference.ts";
import { UNDECLARED, type CaseObservation } from "./play-case.ts";
import { readQuery, type ReceivedRequest } from "./received-request.ts";

/** Returns how an output violates its schema, or `null` if it is valid. */
export type OutputProblem = (output: JsonObject) => string | null;

/** The differences between the result of a case and its expectation, the most relevant first. */
export function judgeCase(
  played: CaseObservation,
  expected: SourceCase,
  kinds: readonly string[],
  problem: OutputProblem,
): readonly ValueDifference[] {
  return [
    ...judgeRequests(played, expected),
    ...judgeOutcome(played, expected, kinds, problem),
    ...judgeManners(played),
  ];
}

function judgeRequests(played: CaseObservation, expected: SourceCase): readonly ValueDifference[] {
  const named = asList(expected.request);
  const found = named.flatMap((request, index) => judgeRequest(request, played.requests[index], `request/${index}`));
  const known = named.length > 1 ? Math.min(played.repliesGiven, named.length) : played.repliesGiven;
  const beyond = played.requests.slice(known);
  const last = played.requests[known - 1];
  if (beyond.every((request) => played.mayRepeat && last !== undefined && isSame(request, last))) return found;
  return [
    ...found,
    { at: "requests", expected: Math.max(played.repliesGiven, named.length), found: played.requests.length },
  ];
}

function isSame(one: ReceivedRequest, other: ReceivedRequest): boolean {
  return (["method", "path", "query", "body"] as const).every((part) => isDeepStrictEqual(one[part], other[part]));
}

function judgeRequest(
  expected: ExpectedRequest,
  found: ReceivedRequest | undefined,
  at: string,
): readonly ValueDifference[] {
  if (found === undefined) return [{ at, expected, found: undefined }];
  const headers = Object.entries(expected.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  return [
    ...(expected.method === undefined ? [] : differences(expected.method.toUpperCase(), found.method, `${at}/method`)),
    ...(expected.path === undefined ? [] : differences(expected.path, found.path, `${at}/path`)),
    ...(expected.query === undefined ? [] : differences(expected.query, found.query, `${at}/query`)),
    ...headers.flatMap(([name, value]) => differences(value, found.headers[name], `${at}/headers/${name}`)),
    ...(expected.body === undefined ? [] : differences(expected.body, readBody(found, expected.body), `${at}/body`)),
  ];
}

/** A form is compared by its fields, JSON by its value, and other bodies as text. */
function readBody(found: ReceivedRequest, expected: unknown): unknown {
  if (typeof expected === "string") return found.body;
  if (found.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true)
    return readQuery(found.body);
  try {
    return readJsonExactly(found.body);
  } catch {
    return found.body;
  }
}

function judgeOutcome(
  played: CaseObservation,
  { expect }: SourceCase,
  kinds: readonly string[],
  outputProblem: OutputProblem,
): readonly ValueDifference[] {
  const { answer, fault } = played;
  if ("failure" in expect) {
    if (fault === null) return [{ at: "failure", expected: kinds.join(" or "), found: { match: answer?.match } }];
    const kind = fault.row.kind;
    const wrong = kinds.includes(kind) ? [] : [{ at: "failure", expected: kinds.join(" or "), found: kind }];
    const silent = expect.field !== undefined && !fault.says.includes(expect.field);
    return silent ? [...wrong, { at: "failure/field", expected: expect.field, found: fault.says }] : wrong;
  }
  if (answer === null) {
    return [{ at: "match", expected: expect.match, found: { failure: fault?.row.kind, says: fault?.says } }];
  }
  const output = readOutput(answer.json);
  if (output === null) return [{ at: "output", expected: "one JSON object", found: undefined }];
  const unfit = answer.match ? outputProblem(output) : null;
  return [
    ...differences(expect.match, answer.match, "match"),
    ...(expect.output === undefined ? [] : differences(expect.output, output, "output")),
    ...(expect.includes === undefined ? [] : differences(expect.includes, output, "output", true)),
    ...(unfit === null ? [] : [{ at: "output", expected: "an output that fits its schema", found: unfit }]),
  ];
}

function readOutput(json: string | Buffer): JsonObject | null {
  try {
    const value = readJsonExactly(String(json));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Checks that apply to every case of every source: no credential is disclosed, and no undeclared input is used. */
function judgeManners(played: CaseObservation): readonly ValueDifference[] {
  const shown = { output: String(played.answer?.json ?? ""), message: played.fault?.says ?? "", log: played.logged };
  const leaks = Object.entries(shown).flatMap(([place, text]) =>
    leakedFields(played.credentials, text).map((field) => ({
      at: place,
      expected: "no credential",
      found: `the credential field ${field}`,
    })),
  );
  const sent = JSON.stringify(played.requests) + shown.output;
  if (!sent.includes(UNDECLARED.value)) return leaks;
  return [
    ...leaks,
    { at: "inputs", expected: "declared inputs only", found: `the undeclared ${UNDECLARED.name} was used` },
  ];
}

/** Shorter values may occur by chance. */
const LENGTH_MIN = 6;

/** The credential fields whose values occur in a text, also in encodings that code may apply by accident. */
function leakedFields(credentials: JsonObject, text: string): readonly string[] {
  return Object.entries(credentials)
    .filter(([, value]) => typeof value === "string" && value.length >= LENGTH_MIN && standsIn(value, text))
    .map(([name]) => name);
}

function standsIn(value: string, text: string): boolean {
  const bytes = Buffer.from(value, "utf8");
  const escaped = JSON.stringify(value).slice(1, -1);
  const forms = [value, escaped, encodeURIComponent(value), bytes.toString("base64"), bytes.toString("hex")];
  return forms.some((form) => text.includes(form));
}

/**
 * Inputs of a case that the source does not declare. The source does not receive them, so they are probably a mistake.
 */
export function undeclaredInputs(source: RunnableSource, { inputs }: SourceCase): readonly string[] {
  return Object.keys(inputs).filter((name) => !source.inputNames.includes(name));
}
