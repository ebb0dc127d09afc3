import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Reply } from "./client.ts";

interface Operation {
  readonly responses: Readonly<Record<string, Described>>;
}

interface Described {
  readonly headers: Readonly<
    Record<string, { readonly required?: boolean; readonly schema: { readonly const?: string } }>
  >;
  readonly content?: Readonly<Record<string, { schema: object }>>;
}

const DOCUMENT = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
const ajv = new Ajv2020({ strict: false, ownProperties: true });
ajv.addSchema(DOCUMENT, "openapi");
const validators = new Map<string, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
  let validator = validators.get(text);
  if (validator === undefined) validators.set(text, (validator = ajv.compile(JSON.parse(text) as object)));
  return validator;
}

const ERROR = { $ref: "#/components/schemas/Error" };
/** Error bodies say little (and nothing that was sent). */
const ERROR_CHARS_MAX = 4096;
const TRACES_OF_INSIDES = /\bat .*:\d+:\d+|node_modules|node:internal|\/src\/|SQLITE|SELECT |ajv|undici|127\.0\.0\.1/;

/** What every response has, whatever produced it. */
export function assertHeaders(reply: Pick<Reply, "headers" | "rawHeaders" | "statusCode">): void {
  const { headers, rawHeaders } = reply;
  assert.equal(headers["x-frame-options"], "DENY");
  assert.match(String(headers["x-request-id"]), /^(trx|req)_[0-9a-f]{32}$/);
  assert.equal(headers["content-security-policy"], "frame-ancestors 'none'");
  assert.match(headers["content-type"] ?? "", /^application\/json\b/);
  assert.equal(headers["cache-control"], "no-store");
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  const unwanted = names.filter((name) =>
    /^(access-control-|server$|x-powered-by$|retry-after$|ratelimit|x-ratelimit|set-cookie|etag$)/.test(name),
  );
  assert.deepEqual(unwanted, []);
  assert.equal(new Set(names).size, names.length, "no header field comes twice");
}

/** What the document says about an answer. A 405 is the answer to the methods that it does not list. */
function answerOf(method: string, path: string, statusCode: number): Described | undefined {
  const methods = DOCUMENT.paths[path];
  const operation = methods?.[method.toLowerCase()];
  if (statusCode !== 405) return operation?.responses[String(statusCode)];
  assert.equal(operation, undefined, `openapi.json lists ${method} ${path}, which the service does not take`);
  return methods === undefined ? undefined : Object.values(methods)[0]?.responses["405"];
}

function assertDescribedHeaders({ headers: described }: Described, { headers }: Reply): void {
  for (const [name, { required, schema }] of Object.entries(described)) {
    const value = headers[name.toLowerCase()];
    if (required === true) assert.ok(value !== undefined, `openapi.json says that there is a header ${name}`);
    if (schema.const !== undefined) assert.equal(value, schema.const, name);
  }
}

/** That an answer is one which `openapi.json` describes, and has the manners of all of them. */
export function assertContract(method: string, path: string, reply: Reply): void {
  assertHeaders(reply);
  const { statusCode } = reply;
  if (method === "POST" && (path === "/data" || path === "/func")) {
    assert.ok([200, 401, 422, 500].includes(statusCode), `a run was answered with ${statusCode}`);
  }
  const described = answerOf(method, path, statusCode);
  if (described !== undefined) assertDescribedHeaders(described, reply);
  if (method === "HEAD") {
    assert.equal(reply.text, "");
    return;
  }
  const body: unknown = reply.json();
  const schema = described?.content?.["application/json"]?.schema ?? (statusCode >= 400 ? ERROR : undefined);
  assert.ok(schema !== undefined, `openapi.json does not describe ${statusCode} of ${method} ${path}`);
  const validate = validatorOf(schema);
  assert.ok(validate(body), `${method} ${path} ${statusCode}: ${ajv.errorsText(validate.errors)}\n${reply.text}`);
  const { error, transaction_id } = body as { readonly error?: { request_id?: string }; transaction_id?: string };
  const own = statusCode >= 400 ? error?.request_id : path === "/data" ? transaction_id : undefined;
  if (own !== undefined) assert.equal(reply.headers["x-request-id"], own);
  if (statusCode < 400) return;
  assert.ok(reply.text.length <= ERROR_CHARS_MAX, `an error body of ${reply.text.length} characters`);
  assert.doesNotMatch(reply.text, TRACES_OF_INSIDES);
}
