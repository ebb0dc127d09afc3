import assert from "node:assert/strict";
import { after, test } from "node:test";
import { makeAccessToken } from "../../src/access/access-token.ts";
import { startService } from "../rig/service.ts";
import { answers } from "../rig/sources.ts";

const service = await startService({ after }, { sources: [answers("acme__people", { name: "Ada" })] });
const RUN = JSON.stringify({ config: { sources: { acme__people: true } } });

test("a client that expects 100 gets it when its body is read", async () => {
  const head = `${service.rawHead("/data")}Connection: close\r\nExpect: 100-continue\r\nContent-Length: ${RUN.length}\r\n\r\n`;
  const { replies, interim } = await service.raw([head, 100, RUN]);
  assert.deepEqual(interim, [100]);
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [200],
  );
});

test("a client that will be refused anyway does not get 100", async () => {
  const expect = "Expect: 100-continue\r\n";
  const stranger = `POST /data HTTP/1.1\r\nHost: test\r\nX-Service-Access-Token: ${makeAccessToken()}\r\nX-Service-Workflow: w\r\n`;
  const refused: readonly (readonly [string, number])[] = [
    [`${stranger}${expect}Content-Length: 10\r\n\r\n`, 401],
    [`${service.rawHead("/data")}${expect}Content-Length: 2000000\r\n\r\n`, 422],
    [`${service.rawHead("/data")}${expect}Content-Type: text/plain\r\nContent-Length: 10\r\n\r\n`, 422],
    [`${service.rawHead("/none")}${expect}Content-Length: 10\r\n\r\n`, 404],
    [`${service.rawHead("/data", "PUT")}${expect}Content-Length: 10\r\n\r\n`, 405],
  ];
  for (const [head, status] of refused) {
    const { replies, interim, closed } = await service.raw([head]);
    assert.deepEqual(interim, []);
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [status],
    );
    assert.ok(closed);
  }
});

test("any other expectation is 417", async () => {
  const head = `${service.rawHead("/data")}Expect: a-miracle\r\nContent-Length: ${RUN.length}\r\n\r\n${RUN}`;
  const { replies } = await service.raw([head]);
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [417],
  );
  assert.equal(JSON.parse(replies[0]!.text).error.code, "expectation_failed");
});
