import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorOf } from "./error-of.ts";
import { startService } from "./service.ts";
import { source } from "./sources.ts";
import { MALFORMED_JSON } from "./malformed-json.ts";

const SOURCES = { acme__counter: true };

/** Bodies that match the schema of neither endpoint, and the field that the answer must name. */
const WRONG: readonly (readonly [string, unknown])[] = [
  ["/config", {}],
  ["/config", { config: null }],
  ["/config", { config: [] }],
  ["/config", { config: "x" }],
  ["/config", { config: true }],
  ["/config", { config: 1 }],
  ["/config/sources", { config: { sources: null } }],
  ["/config/sources", { config: { sources: [] } }],
  ["/config/sources", { config: { sources: ["acme__counter"] } }],
  ["/config/sources", { config: { sources: "acme__counter" } }],
  ["/config/sources", { config: { sources: true } }],
  ["/config/sources", { config: { sources: 1 } }],
  ["/config/sources/acme__counter", { config: { sources: { acme__counter: false } } }],
  ["/config/sources/acme__counter", { config: { sources: { acme__counter: null } } }],
  ["/config/sources/acme__counter", { config: { sources: { acme__counter: 1 } } }],
  ["/config/sources/acme__counter", { config: { sources: { acme__counter: "true" } } }],
  ["/config/sources/acme__counter", { config: { sources: { acme__counter: [] } } }],
  ["/config/sources/acme__counter/credentials", { config: { sources: { acme__counter: { credentials: null } } } }],
  ["/config/sources/acme__counter/credentials", { config: { sources: { acme__counter: { credentials: "k" } } } }],
  ["/config/sources/acme__counter/credentials", { config: { sources: { acme__counter: { credentials: [] } } } }],
  ["/config/sources/acme__counter/credentials", { config: { sources: { acme__counter: { credentials: true } } } }],
  ["/config/sources/acme__counter/cred_id", { config: { sources: { acme__counter: { cred_id: null } } } }],
  ["/config/sources/acme__counter/cred_id", { config: { sources: { acme__counter: { cred_id: 1 } } } }],
  ["/config/sources/acme__counter/cred_id", { config: { sources: { acme__counter: { cred_id: {} } } } }],
  ["/config/context", { config: { sources: SOURCES, context: "staging" } }],
  ["/config/context", { config: { sources: SOURCES, context: "PROD" } }],
  ["/config/context", { config: { sources: SOURCES, context: "prod " } }],
  ["/config/context", { config: { sources: SOURCES, context: "" } }],
  ["/config/context", { config: { sources: SOURCES, context: null } }],
  ["/config/context", { config: { sources: SOURCES, context: ["prod"] } }],
  ["/config/context", { config: { sources: SOURCES, context: 1 } }],
  ["/inputs", { config: { sources: SOURCES }, inputs: null }],
  ["/inputs", { config: { sources: SOURCES }, inputs: [] }],
  ["/inputs", { config: { sources: SOURCES }, inputs: [{ name: "Ada" }] }],
  ["/inputs", { config: { sources: SOURCES }, inputs: "name=Ada" }],
  ["/inputs", { config: { sources: SOURCES }, inputs: 1 }],
  ["/access_token", { config: { sources: SOURCES }, access_token: 1 }],
  ["/access_token", { config: { sources: SOURCES }, access_token: {} }],
  ["/workflow", { config: { sources: SOURCES }, workflow: true }],
  ["/workflow", { config: { sources: SOURCES }, workflow: [] }],
];

const WRONG_FOR_FUNC: typeof WRONG = [
  ...[5, true, {}, [], ["dfunc_a"]].map((value) => ["/config/data_func", { config: { data_func: value } }] as const),
  ...[1, 0, "true", "false", "", null, {}, []].map(
    (value) => ["/config/datafunc_response_passthrough", { config: { datafunc_response_passthrough: value } }] as const,
  ),
];

/** What the two endpoints refuse alike (decision 0005). */
export async function testBodies(path: "/data" | "/func"): Promise<void> {
  let ran = 0;
  const service = await startService({ after }, { sources: [source("acme__counter", () => ({ ran: ++ran }))] });

  test("a body of the wrong shape is 422 that names the field and never the value; nothing is coerced", async () => {
    for (const [field, body] of path === "/func" ? [...WRONG, ...WRONG_FOR_FUNC] : WRONG) {
      const text = JSON.stringify(body);
      const reply = await service.post(path, text);
      assert.equal(reply.statusCode, 422, text);
      const { error } = reply.json();
      assert.equal(error.code, "invalid_request");
      assert.deepEqual(
        error.details.map((problem: { path: string }) => problem.path),
        [field],
        text,
      );
      assert.deepEqual(errorOf(await service.post(path, text)), errorOf(reply), "the same bytes get the same answer");
    }
    assert.equal(ran, 0);
  });

  test("a 422 names every field that is wrong, ten at the most, and repeats nothing that was sent", async () => {
    const secret = service.secrets.add("a value that was sent 0123456789");
    const sources = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`acme__s${index}`, secret]));
    const reply = await service.post(path, JSON.stringify({ config: { sources, context: secret }, inputs: [secret] }));
    assert.equal(reply.statusCode, 422);
    assert.equal(reply.json().error.details.length, 10);
    const few = await service.post(path, JSON.stringify({ config: { context: secret }, inputs: secret }));
    const paths = few.json().error.details.map((problem: { path: string }) => problem.path);
    assert.deepEqual(paths.sort(), ["/config/context", "/inputs"]);
  });

  test("a field that may be null is said to be so", async () => {
    const reply = await service.post(path, { config: { sources: SOURCES }, workflow: 5 });
    assert.deepEqual(reply.json().error.details, [{ path: "/workflow", message: "must be a string or null" }]);
  });

  test("more than a hundred sources, or an identifier of more than 128 characters, is 422", async () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`acme__s${index}`, true]));
    assert.equal((await service.post(path, { config: { sources: many } })).statusCode, 422);
    const long = await service.post(path, { config: { sources: { ["x".repeat(129)]: true } } });
    assert.equal(long.statusCode, 422);
    assert.ok(long.text.length < 600);
  });

  test("what is not a JSON object is 422 for who is known, and 401 for who is not", async () => {
    assert.ok(MALFORMED_JSON.size > 300);
    for (const [name, body] of MALFORMED_JSON) {
      const known = await service.post(path, body);
      assert.equal(known.statusCode, 422, name);
      assert.equal(known.json().error.code, "invalid_request");
      const unknown = await service.post(path, body, { as: null });
      assert.equal(unknown.statusCode, 401, name);
    }
  });

  test("what was refused leaves the service as it was", async () => {
    await service.post(path, '{"__proto__":{"polluted":true},"config":null}');
    await service.post(path, '{"config":{"__proto__":{"sources":{}},"context":1}}');
    assert.equal(ran, 0);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
    assert.equal((await service.run(SOURCES)).statusCode, 200);
  });
}
