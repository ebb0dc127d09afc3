import assert from "node:assert/strict";
import { test } from "node:test";
import { makeAccessToken, makeOperatorToken } from "../../src/access/access-token.ts";
import { adminPort } from "../rig/admin.ts";
import { pausedClock } from "../rig/paused-clock.ts";
import { startService } from "../rig/service.ts";

test("without a token the answer is 401 at once, and with a wrong one after a second", async (t) => {
  const { clock, held, holds, release } = pausedClock();
  const service = await startService(t, { clock });
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  for (const headers of [{}, { Authorization: "" }, { Authorization: "Basic YTpi" }, { Authorization: "Bearer" }]) {
    const reply = await call("org list", {}, { headers });
    assert.deepEqual([reply.statusCode, reply.headers["www-authenticate"]], [401, "Bearer"]);
  }
  assert.equal(held.length, 0);
  const wrong = [makeOperatorToken(), makeAccessToken(), service.a.token, "dop_short", "x".repeat(9_000)];
  for (const token of wrong) {
    let answered = false;
    const calling = call("org list", {}, { as: { token } }).then((reply) => ((answered = true), reply));
    await holds(1);
    assert.equal(answered, false);
    release();
    const { statusCode, text } = await calling;
    assert.equal(statusCode, 401);
    assert.ok(!text.includes(token));
  }
});

test("the refusal tells a program how to send its token, and a person in the console to log in", async (t) => {
  const service = await startService(t);
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const said = async (headers: Record<string, string>) =>
    (await call("org list", {}, { headers })).json().error.message as string;
  assert.match(await said({}), /Authorization: Bearer dop_/);
  const people = await said({ "Datarun-Console": "1", Origin: service.adminUrl });
  assert.equal(people, "You are not logged in, and nothing was done. Log in, and repeat it.");
});

test("a revoked or expired token is refused with the next request, by every replica", async (t) => {
  const { clock, holds, release } = pausedClock();
  let ahead = 0;
  const service = await startService(t, { clock: { ...clock, wall: () => Date.now() + ahead } });
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const refused = async (as: { readonly token: string }) => {
    const calling = call("org list", {}, { as });
    await holds(1);
    release();
    assert.equal((await calling).statusCode, 401);
  };
  const ada = await service.operator.appoint("viewer", "ada");
  const bob = await service.operator.appoint("viewer", "bob", Date.now() + 60_000);
  for (const as of [ada, bob]) assert.equal((await call("org list", {}, { as })).statusCode, 200);
  // The operator's store is another process's as far as the service can tell: it has connections of its own.
  await service.operator.dismiss(ada.id);
  await refused(ada);
  ahead = 60_001;
  await refused(bob);
});

test("failed logins are counted, logged and in the audit trail, which they cannot flood", async (t) => {
  const { clock, holds, open } = pausedClock();
  const service = await startService(t, { clock });
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("owner", "ada");
  await service.operator.dismiss(ada.id);
  const tokens = [ada.token, ...Array.from({ length: 9 }, () => service.secrets.add(makeOperatorToken()))];
  const calls = tokens.map((token) => call("org list", {}, { as: { token } }));
  await holds(tokens.length);
  open();
  for (const reply of await Promise.all(calls)) assert.equal(reply.statusCode, 401);

  const page = await (await fetch(`${service.adminUrl}/metrics`)).text();
  assert.match(page, /^datarun_failed_logins_total 10$/m);
  const failures = async () => (await service.operator.auditEntries()).filter(({ what }) => what === "login failed");
  while ((await failures()).length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const seen = (await failures()).map(({ who, via, subjectId, detail }) => ({ who, via, subjectId, detail }));
  assert.deepEqual(
    seen.toSorted((a, b) => (a.who < b.who ? -1 : 1)),
    [
      { who: "(unknown)", via: "api", subjectId: "operators", detail: { token: "unknown", count: 1 } },
      { who: "ada", via: "api", subjectId: ada.id, detail: { token: "revoked", count: 1 } },
    ],
  );
  const lines = (await service.logLines()).filter(({ event }) => event === "operator_login_failed");
  assert.equal(lines.length, 2);
});

test("failed logins that wait do not keep an operator out", async (t) => {
  const { clock, held, open } = pausedClock();
  const service = await startService(t, { clock });
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("viewer", "ada");
  let cutOff = 0;
  const wrong = Array.from({ length: 40 }, () =>
    call("org list", {}, { as: { token: makeOperatorToken() } }).then(
      ({ statusCode }) => statusCode,
      () => void (cutOff += 1),
    ),
  );
  while (cutOff < 24) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(held.length, 16);
  assert.equal((await call("org list", {}, { as: ada })).statusCode, 200);
  assert.equal((await fetch(`${service.adminUrl}/live`)).status, 200);
  open();
  const outcomes = await Promise.all(wrong);
  assert.equal(outcomes.filter((one) => one === 401).length, 16);
  assert.equal(cutOff, 24);
});

test("the time of last use is known to the minute", async (t) => {
  const service = await startService(t);
  const { result } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("viewer", "ada");
  await result("org list", {}, ada);
  const { operators } = await result("operator list", {}, ada);
  assert.ok(Math.abs(Date.parse(operators[0].last_used_at) - Date.now()) < 60_000);
});
