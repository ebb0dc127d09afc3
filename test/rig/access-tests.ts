import assert from "node:assert/strict";
import { after, test } from "node:test";
import { makeAccessToken } from "../../src/access/access-token.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { startService, type TestService } from "./service.ts";
import { source } from "./sources.ts";
import type { Reply } from "./client.ts";
import { errorOf } from "./error-of.ts";
import { NAUGHTY_STRINGS } from "./naughty-strings.ts";
import { until } from "./until.ts";

/** A body that runs something on both endpoints. */
const BODY = { config: { sources: { acme__counter: true } } };

type Access = { readonly token?: unknown; readonly workflow?: unknown };

/** The three accepted forms, and how each carries what it carries. */
const FORMS = {
  "service headers": ({ token, workflow }: Access) => ({
    headers: { "X-Service-Access-Token": token, "X-Service-Workflow": workflow },
    body: BODY,
  }),
  "authorization header": ({ token, workflow }: Access) => ({
    headers: {
      Authorization: token === undefined ? undefined : `Bearer ${token as string}`,
      "X-Service-Workflow": workflow,
    },
    body: BODY,
  }),
  "JSON body": ({ token, workflow }: Access) => ({ headers: {}, body: { ...BODY, access_token: token, workflow } }),
} as const;

function ask(service: TestService, path: "/data" | "/func", form: keyof typeof FORMS, access: Access): Promise<Reply> {
  const { headers, body } = FORMS[form](access);
  return service.post(path, JSON.stringify(body), { as: null, headers: headers as Record<string, string> });
}

const REFUSED = { code: "unauthenticated", message: "The access token or workflow is missing or was rejected." };

/** That nothing in the answer differs from other refusals, besides the id of the request. */
function assertRefused(reply: Reply, says?: string): void {
  assert.deepEqual([reply.statusCode, errorOf(reply)], [401, REFUSED], says);
}

/** Everything about who may call; the two endpoints must not differ in it (decision 0003). */
export async function testAccess(path: "/data" | "/func"): Promise<void> {
  let count = 0;
  let aheadMs = 0;
  const service = await startService(
    { after },
    {
      sources: [source("acme__counter", () => ({ count: ++count }))],
      clock: { ...systemClock, wall: () => systemClock.wall() + aheadMs },
    },
  );

  /** That nothing was run since the test began. */
  function watchRuns(): () => void {
    const [ran, recorded] = [count, service.ledgerRows().length];
    return () => assert.deepEqual([count, service.ledgerRows().length], [ran, recorded], "something was run");
  }

  test("a good token and a workflow of its organization are accepted in each of the three forms", async () => {
    const { token, workflow } = service.a;
    for (const form of Object.keys(FORMS) as (keyof typeof FORMS)[]) {
      const reply = await ask(service, path, form, { token, workflow });
      assert.equal(reply.statusCode, 200, form);
    }
  });

  test("a missing or rejected token or workflow is 401 in every form, with one body that tells nothing", async () => {
    const assertNothingRan = watchRuns();
    const { a, b, operator } = service;
    const revoked = await operator.issueToken(a.id);
    await operator.revokeToken(revoked.tokenId);
    const expired = await operator.issueToken(a.id, Date.now() - 1000);
    const disabled = await operator.createWorkflow(a.id, { disabled: true });
    const good = { token: a.token, workflow: a.workflow };
    const cases: Readonly<Record<string, Access>> = {
      nothing: {},
      "no token": { workflow: a.workflow },
      "no workflow": { token: a.token },
      "empty token": { ...good, token: "" },
      "empty workflow": { ...good, workflow: "" },
      "unknown token": { ...good, token: makeAccessToken() },
      "wrong prefix": { ...good, token: a.token.replace("drt_", "xxx_") },
      "wrong checksum": { ...good, token: a.token.slice(0, -1) + (a.token.endsWith("0") ? "1" : "0") },
      "token in another case": { ...good, token: a.token.toUpperCase() },
      "cut token": { ...good, token: a.token.slice(0, 20) },
      "token and a word more": { ...good, token: `${a.token} x` },
      "two tokens": { ...good, token: `${a.token},${b.token}` },
      "the token's id": { ...good, token: a.tokenId },
      "10 KB of token": { ...good, token: "x".repeat(10_000) },
      "token that is not ASCII": { ...good, token: `${a.token}é` },
      "revoked token": { ...good, token: revoked.token },
      "expired token": { ...good, token: expired.token },
      "unknown workflow": { ...good, workflow: "wfl_00000000000000000000000000000000" },
      "workflow of another organization": { ...good, workflow: b.workflow },
      "workflow of another organization, the other way round": { token: b.token, workflow: a.workflow },
      "disabled workflow": { ...good, workflow: disabled },
      "10 KB of workflow": { ...good, workflow: "w".repeat(10_000) },
      "workflow that is not ASCII": { ...good, workflow: `${a.workflow}é` },
      "workflow with a space": { ...good, workflow: `${a.id} ${a.workflow}` },
      "workflow in another case": { ...good, workflow: a.workflow.toUpperCase() },
    };
    for (const form of Object.keys(FORMS) as (keyof typeof FORMS)[]) {
      for (const [name, access] of Object.entries(cases)) {
        const reply = await ask(service, path, form, access);
        assertRefused(reply, `${name} in the ${form}`);
        assert.equal(reply.headers["www-authenticate"], undefined);
      }
    }
    assertNothingRan();
  });

  test("a token or workflow in the body that is null, or no string, is missing", async () => {
    const assertNothingRan = watchRuns();
    const { token, workflow } = service.a;
    for (const wrong of [null, 1, true, {}, [], [token], { token }]) {
      const noToken = await ask(service, path, "JSON body", { token: wrong, workflow });
      const noWorkflow = await ask(service, path, "JSON body", { token, workflow: wrong });
      assert.deepEqual([noToken.statusCode, noWorkflow.statusCode], [401, 401], JSON.stringify(wrong));
    }
    assertNothingRan();
  });

  test("the token is taken from the first place that has one: its own header, the bearer, the body", async () => {
    const { token, workflow } = service.a;
    const bad = makeAccessToken();
    const status = async (own: string, bearer: string, body: string) => {
      const headers = { "X-Service-Access-Token": own, Authorization: bearer, "X-Service-Workflow": workflow };
      return (await service.post(path, { ...BODY, access_token: body }, { as: null, headers })).statusCode;
    };
    assert.equal(await status(token, `Bearer ${bad}`, bad), 200);
    assert.equal(await status(bad, `Bearer ${token}`, token), 401);
    assert.equal(await status("", `Bearer ${token}`, bad), 200);
    assert.equal(await status("", `Bearer ${bad}`, token), 401);
    assert.equal(await status("", "", token), 200, "empty counts as absent");
    assert.equal(await status("", "Bearer ", token), 200, "an empty bearer counts as absent");
    assert.equal(await status("", `Basic ${token}`, token), 200, "another scheme is ignored");
    assert.equal(await status("", `Basic ${token}`, ""), 401);
  });

  test("the workflow is taken from its header, then from the body", async () => {
    const { a, b } = service;
    const status = async (header: string | undefined, body: unknown) => {
      const headers = { "X-Service-Access-Token": a.token, "X-Service-Workflow": header };
      return (await service.post(path, { ...BODY, workflow: body }, { as: null, headers })).statusCode;
    };
    assert.equal(await status(a.workflow, b.workflow), 200);
    assert.equal(await status(b.workflow, a.workflow), 401);
    assert.equal(await status("", a.workflow), 200);
    assert.equal(await status(undefined, a.workflow), 200);
    assert.equal(await status(undefined, null), 401);
  });

  test("the bearer scheme is read in any case and with any number of spaces; a repeated access header is refused", async () => {
    const { token, workflow } = service.a;
    const status = async (headers: Record<string, string | string[]>) =>
      (await service.post(path, BODY, { as: null, headers: { "X-Service-Workflow": workflow, ...headers } }))
        .statusCode;
    assert.equal(await status({ Authorization: `bearer ${token}` }), 200);
    assert.equal(await status({ Authorization: `BEARER   ${token}` }), 200);
    assert.equal(await status({ Authorization: `Bearer\t${token}` }), 401);
    assert.equal(await status({ Authorization: `Bearer${token}` }), 401);
    assert.equal(await status({ Authorization: token }), 401);
    assert.equal(await status({ "X-Service-Access-Token": [token, token] }), 401);
    assert.equal(await status({ Authorization: [`Bearer ${token}`, `Bearer ${token}`] }), 401);
    assert.equal(await status({ "X-Service-Access-Token": token, "X-Service-Workflow": [workflow, workflow] }), 401);
  });

  test("a token in the query is not a token, and is not logged", async () => {
    const assertNothingRan = watchRuns();
    const { token, workflow } = service.a;
    const query = `access_token=${token}&workflow=${workflow}&X-Service-Access-Token=${token}`;
    const reply = await service.send("POST", `${path}?${query}`, { body: JSON.stringify(BODY) });
    assert.equal(reply.statusCode, 401);
    assertNothingRan();
  });

  test("401 comes before 422: who is not known is not told what is wrong with the body", async () => {
    const { token, workflow } = service.a;
    const bad = makeAccessToken();
    const strangers = [
      { headers: { "X-Service-Access-Token": bad, "X-Service-Workflow": workflow }, body: "{" },
      { headers: { "X-Service-Access-Token": bad, "X-Service-Workflow": workflow }, body: "{}" },
      { headers: {}, body: "{" },
      { headers: {}, body: "" },
      { headers: {}, body: JSON.stringify({ access_token: bad, workflow, config: null }) },
      { headers: { "Content-Type": "text/plain" }, body: JSON.stringify({ ...BODY, access_token: token, workflow }) },
      { headers: { "X-Service-Workflow": workflow }, body: "[]" },
      { headers: { "X-Service-Access-Token": token }, body: "{" },
    ];
    for (const { headers, body } of strangers) {
      const reply = await service.post(path, body, { as: null, headers: headers as Record<string, string> });
      assertRefused(reply, body);
    }
    const known = await service.post(path, JSON.stringify({ access_token: token, workflow, config: null }), {
      as: null,
    });
    assert.equal(known.statusCode, 422);
  });

  test("a bad header token is refused before the body is read", async () => {
    const head = `POST ${path} HTTP/1.1\r\nHost: test\r\nX-Service-Access-Token: ${makeAccessToken()}\r\nX-Service-Workflow: w\r\n`;
    const { replies, closed } = await service.raw([`${head}Content-Length: 1000000\r\n\r\n`]);
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [401],
    );
    assert.ok(closed, "the body that was not read ends the connection");
  });

  test("a revoked token and a disabled workflow are refused from then on", async () => {
    const { a, b, operator } = service;
    const { token, tokenId } = await operator.issueToken(a.id);
    const revocable = { token, workflow: a.workflow };
    const closable = { token: b.token, workflow: await operator.createWorkflow(b.id) };
    const post = async (as: typeof revocable) => (await service.post(path, BODY, { as })).statusCode;
    assert.deepEqual([await post(revocable), await post(closable)], [200, 200]);
    await operator.revokeToken(tokenId);
    await operator.changeWorkflow(closable.workflow, { disabled: true });
    await until(async () => (await post(revocable)) === 401 && (await post(closable)) === 401);
    await operator.changeWorkflow(closable.workflow, { disabled: false });
    await until(async () => (await post(closable)) === 200);
    assert.deepEqual([await post(a), await post(b)], [200, 200], "the others are as they were");
  });

  test("a token that expires is refused from that moment", async () => {
    const short = await service.operator.issueToken(service.a.id, systemClock.wall() + 600_000);
    const as = { token: short.token, workflow: service.a.workflow };
    assert.equal((await service.post(path, BODY, { as })).statusCode, 200);
    aheadMs = 600_000;
    const { statusCode } = await service.post(path, BODY, { as });
    aheadMs = 0;
    assert.equal(statusCode, 401);
  });

  test("strange strings as token and workflow are refused like any other", async () => {
    const assertNothingRan = watchRuns();
    const { token, workflow } = service.a;
    for (const text of NAUGHTY_STRINGS) {
      const asToken = await service.post(path, JSON.stringify({ ...BODY, access_token: text, workflow }), { as: null });
      const asWorkflow = await service.post(path, JSON.stringify({ ...BODY, access_token: token, workflow: text }), {
        as: null,
      });
      assert.deepEqual([asToken.statusCode, asWorkflow.statusCode], [401, 401], JSON.stringify(text.slice(0, 80)));
    }
    assertNothingRan();
    await service.logLines();
  });

  test("strange bytes in the access headers are refused, and never split a line of the log", async () => {
    const assertNothingRan = watchRuns();
    const { token, workflow } = service.a;
    for (const text of NAUGHTY_STRINGS) {
      const bytes = Buffer.from(text)
        .toString("latin1")
        .replaceAll(/[\r\n\0]/g, "?")
        .slice(0, 4000);
      for (const access of [
        { token: `x${bytes}`, workflow },
        { token, workflow: `x${bytes}` },
      ]) {
        const head = `POST ${path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nX-Service-Access-Token: ${access.token}\r\nX-Service-Workflow: ${access.workflow}\r\nContent-Length: 2\r\n\r\n{}`;
        const { replies } = await service.raw([Buffer.from(head, "latin1")]);
        assert.equal(replies.length, 1);
        assert.ok([400, 401].includes(replies[0]!.statusCode), `${replies[0]!.statusCode}`);
      }
    }
    assertNothingRan();
    await service.logLines();
  });
}
