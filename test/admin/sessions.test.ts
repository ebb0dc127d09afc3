import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/terms/time/clock.ts";
import { adminPort } from "../rig/admin.ts";
import { cookieOf, logIn, pageOf } from "../rig/browser-session.ts";
import { startService } from "../rig/service.ts";

const MINUTE_MS = 60_000;

test("a token is exchanged for a cookie that no script reads and no other site sends; the token is not needed again", async (t) => {
  const service = await startService(t);
  const port = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("operator", "ada");
  const begun = await port.call("session", undefined, { as: ada, headers: pageOf(service) });
  const shown = { name: "ada", role: "operator", console: "on", program: "datarun" };
  assert.deepEqual({ ...begun.json(), ends_at: "" }, { ...shown, ends_at: "" });
  assert.match(cookieOf(begun), /^datarun=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
  const secure = await port.call("session", undefined, { as: ada, headers: pageOf(service, "https") });
  assert.match(
    cookieOf(secure),
    /^__Host-datarun=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
  );

  const headers = { ...pageOf(service), Cookie: `other=1; ${cookieOf(begun).split(";")[0]}` };
  const made = await port.call("workflow create", { org: service.a.id }, { headers });
  assert.equal(made.statusCode, 200, made.text);
  assert.equal((await port.call("operator create", { name: "x", role: "owner" }, { headers })).statusCode, 403);
  assert.deepEqual((await port.call("session show", undefined, { headers })).json(), shown);
  const trail = await service.operator.auditEntries();
  const own = trail.filter(({ via }) => via === "api").map(({ who, what }) => `${who}: ${what}`);
  assert.deepEqual(own, ["ada: workflow create", "ada: session begin", "ada: session begin"]);
});

test("a cookie alone changes nothing and reads nothing: the page's own header and origin have to be there", async (t) => {
  const service = await startService(t);
  const port = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("owner", "ada");
  const Cookie = await logIn(port, service, ada);
  const { Origin } = pageOf(service);
  for (const headers of [
    { Cookie },
    { Cookie, Origin },
    { Cookie, "Datarun-Console": "1" },
    { Cookie, Origin, "Datarun-Console": "0" },
    { Cookie, Origin: "https://evil.example", "Datarun-Console": "1" },
    { Cookie, Origin: "null", "Datarun-Console": "1" },
    { Cookie, Origin, "Datarun-Console": "1", "Sec-Fetch-Site": "same-site" },
    { Cookie, Origin, "Datarun-Console": "1", Host: "evil.example" },
  ])
    for (const verb of ["org list", "org create", "session show", "session end"])
      assert.equal((await port.call(verb, { name: "forged" }, { headers })).statusCode, 403, JSON.stringify(headers));
  const withoutPage = await port.call("session", undefined, { as: ada });
  assert.deepEqual([withoutPage.statusCode, withoutPage.headers["set-cookie"]], [403, undefined]);
  assert.equal(
    (await port.call("session show", undefined, { headers: { ...pageOf(service), Cookie } })).statusCode,
    200,
  );
});

test("a session that another client chose or ended is none, and a login never continues one", async (t) => {
  const service = await startService(t);
  const port = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("viewer", "ada");
  const page = pageOf(service);
  const status = async (Cookie: string, headers: Record<string, string> = page) =>
    (await port.call("org list", {}, { headers: { ...headers, Cookie } })).statusCode;
  const planted = `datarun=${"A".repeat(43)}`;
  const begun = await port.call("session", undefined, { as: ada, headers: { ...page, Cookie: planted } });
  const fresh = cookieOf(begun).split(";")[0]!;
  assert.notEqual(fresh, planted);
  assert.equal(await status(planted), 401);
  assert.equal(await status(fresh), 200);
  // Behind TLS the cookie that another host could have planted does not count.
  assert.equal(await status(fresh, pageOf(service, "https")), 401);

  const again = await port.call("session", undefined, { as: ada, headers: { ...page, Cookie: fresh } });
  assert.equal(await status(fresh), 401, "the one before has ended");
  const last = cookieOf(again).split(";")[0]!;
  const ended = await port.call("session end", undefined, { headers: { ...page, Cookie: last } });
  assert.match(cookieOf(ended), /^datarun=; .*Max-Age=0$/);
  assert.equal(await status(last), 401);
  for (const Cookie of ["datarun=", "datarun=short", `datarun=${"=".repeat(43)}`, "datarun", ";;"])
    assert.equal(await status(Cookie), 401, Cookie);
});

test("a session ends with its operator at once, after an hour without a request, and after twelve hours", async (t) => {
  let ahead = 0;
  const service = await startService(t, { clock: { ...systemClock, wall: () => Date.now() + ahead } });
  const port = adminPort(t, service.adminUrl, service.secrets);
  const page = pageOf(service);
  const status = async (Cookie: string) =>
    (await port.call("session show", undefined, { headers: { ...page, Cookie } })).statusCode;
  const [ada, bob] = [await service.operator.appoint("viewer", "ada"), await service.operator.appoint("viewer", "bob")];
  const revoked = await logIn(port, service, ada);
  assert.equal(await status(revoked), 200);
  await service.operator.dismiss(ada.id);
  assert.equal(await status(revoked), 401);

  const idle = await logIn(port, service, bob);
  ahead += 59 * MINUTE_MS;
  assert.equal(await status(idle), 200);
  ahead += 59 * MINUTE_MS;
  assert.equal(await status(idle), 200, "each request counts");
  ahead += 61 * MINUTE_MS;
  assert.equal(await status(idle), 401);

  const long = await logIn(port, service, bob);
  for (let minutes = 50; minutes < 12 * 60; minutes += 50) {
    ahead += 50 * MINUTE_MS;
    assert.equal(await status(long), 200, `after ${minutes} minutes`);
  }
  ahead += 20 * MINUTE_MS;
  assert.equal(await status(long), 401);
});
