import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { test, type TestContext } from "node:test";
import { systemClock, type Clock } from "../../src/terms/time/clock.ts";
import { adminPort } from "../rig/admin.ts";
import { pageOf } from "../rig/browser-session.ts";
import type { Reply } from "../rig/client.ts";
import { withoutWaits } from "../rig/paused-clock.ts";
import { type KnownPerson, type ProviderOptions, startIdentityProvider } from "../rig/identity-provider.ts";
import { startService } from "../rig/service.ts";

const ADA = { email: "Ada@Acme.example", email_verified: true, groups: ["staff", "datarun-operators"] };

interface Place extends ProviderOptions {
  readonly people?: Record<string, KnownPerson>;
  readonly clock?: Clock;
  readonly settings?: Readonly<Record<string, string>>;
  readonly secret?: string;
}

/** A provider, a service that trusts it, and a browser for each login. */
async function startBoth(
  t: TestContext,
  { people = { ada: ADA }, clock = systemClock, settings, secret, ...options }: Place = {},
) {
  const provider = await startIdentityProvider(t, people, options);
  const service = await startService(t, {
    settings: {
      "oidc.issuer": provider.issuer,
      "oidc.client_id": provider.clientId,
      "oidc.viewers": "staff",
      "oidc.operators": "datarun-operators",
      "oidc.owners": "datarun-owners",
      ...settings,
    },
    environment: { DATARUN_OIDC_CLIENT_SECRET: secret ?? provider.clientSecret },
    clock: withoutWaits(clock),
  });
  provider.allow(service.adminUrl);
  service.secrets.add(provider.clientSecret);
  const port = adminPort(t, service.adminUrl, service.secrets);
  const headers = pageOf(service);

  /** Goes to the provider, and comes back with an answer that is not used yet. */
  async function visit(subject = "ada", change: (location: URL) => void = () => {}) {
    const begun = await port.call("session provider begin", undefined, { headers });
    assert.equal(begun.statusCode, 200, begun.text);
    const location = new URL(begun.json().location);
    change(location);
    const back = await provider.visit(location.href, subject);
    return { Cookie: cookiesOf(begun).join("; "), answer: back.search.slice(1), location, back };
  }

  const finish = ({ Cookie, answer }: { readonly Cookie?: string | undefined; readonly answer: string }) =>
    port.call("session provider finish", { answer }, { headers: { ...headers, Cookie } });

  /** A whole login, and the cookie of its session. */
  async function logIn(subject?: string): Promise<string> {
    const begun = await finish(await visit(subject));
    assert.equal(begun.statusCode, 200, begun.text);
    return cookiesOf(begun)[0]!;
  }

  const inSession = (Cookie: string, verb: string, input: object = {}) =>
    port.call(verb, input, { headers: { ...headers, Cookie } });

  /** So many failed logins of the audit trail, which is written after the answer. */
  async function failures(count: number) {
    for (;;) {
      const found = (await service.operator.auditEntries()).filter(({ what }) => what === "login failed");
      if (found.length >= count) return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  return { provider, service, port, headers, visit, finish, logIn, inSession, failures };
}

function cookiesOf(reply: Reply): string[] {
  return (reply.headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0]!);
}

test("a person in a group with a role gets a session, and their acts are recorded under their name", async (t) => {
  const { service, visit, finish, inSession, port, provider } = await startBoth(t);
  const begun = await finish(await visit());
  const { name, role } = begun.json();
  assert.deepEqual([name, role], ["ada@acme.example", "operator"]);
  const [session, attempt] = begun.headers["set-cookie"]!;
  assert.match(session!, /^datarun=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
  assert.match(attempt!, /^datarun-login=; Path=\/; HttpOnly; SameSite=Strict; Max-Age=0$/);

  const Cookie = session!.split(";")[0]!;
  assert.equal((await inSession(Cookie, "workflow create", { org: service.a.id })).statusCode, 200);
  assert.equal((await inSession(Cookie, "operator create", { name: "x", role: "owner" })).statusCode, 403);
  assert.equal((await inSession(Cookie, "session end")).statusCode, 200);
  assert.equal((await inSession(Cookie, "org list")).statusCode, 401);
  const trail = await service.operator.auditEntries();
  const own = trail
    .filter(({ via }) => via === "api")
    .map(({ who, what, detail }) => [who, what, detail["with"] ?? detail["subject"] ?? ""]);
  assert.deepEqual(own, [
    ["ada@acme.example", "session end", ""],
    ["ada@acme.example", "workflow create", ""],
    ["ada@acme.example", "session begin", "identity_provider"],
    ["ada@acme.example", "operator admit", "ada"],
  ]);
  const { operators } = await port.result("operator list", {}, await service.operator.appoint("viewer", "bob"));
  const listed = operators.find(({ name }: { name: string }) => name === "ada@acme.example");
  assert.deepEqual([listed.login, listed.role, listed.state], ["identity_provider", "operator", "active"]);
  assert.ok(listed.last_used_at !== null);
  assert.equal(provider.asked.filter((one) => one.includes("/userinfo") || one === "GET /me").length, 0);
});

test("the highest role counts, the groups of now count, and claims are asked for where the ID token lacks them", async (t) => {
  const people: Record<string, KnownPerson> = {
    ada: { ...ADA, groups: ["datarun-owners", "staff"] },
    bob: { email: "bob@acme.example", email_verified: false, groups: "staff" },
  };
  const { service, logIn, inSession, provider } = await startBoth(t, { people, claimsIn: "userinfo" });
  const roleOf = async (Cookie: string) => {
    const { name, role } = (await inSession(Cookie, "session show")).json();
    return { name, role };
  };
  const first = await logIn();
  assert.deepEqual(await roleOf(first), { name: "ada@acme.example", role: "owner" });
  people["ada"] = { ...ADA, email: "ada@new.example" };
  const second = await logIn();
  for (const Cookie of [first, second])
    assert.deepEqual(await roleOf(Cookie), { name: "ada@new.example", role: "operator" });
  // An address that nobody has verified is not a name.
  assert.equal((await roleOf(await logIn("bob"))).name, "bob");
  const admitted = (await service.operator.auditEntries()).filter(({ what }) => what === "operator admit");
  assert.deepEqual(
    admitted.map(({ detail }) => detail["before"] ?? null),
    [null, { name: "ada@acme.example", role: "owner" }, null],
  );
  assert.ok(provider.asked.includes("GET /me"));
});

test("a person in no group with a role is refused with a sentence, and a failed login is recorded", async (t) => {
  const people = { ada: { ...ADA, groups: ["others"] }, bob: { email: "bob@acme.example", email_verified: true } };
  const { service, visit, finish, failures } = await startBoth(t, { people });
  for (const subject of ["ada", "bob"]) {
    const reply = await finish(await visit(subject));
    assert.deepEqual([reply.statusCode, reply.headers["set-cookie"]], [403, undefined]);
    assert.match(
      reply.json().error.message,
      new RegExp(`^${subject}@acme.example is in no group that has a role here`),
    );
  }
  assert.deepEqual(
    (await failures(2)).map(({ who, detail }) => [who, detail]),
    ["bob", "ada"].map((name) => [`${name}@acme.example`, { identity_provider: "no_role", count: 1 }]),
  );
  assert.match(await (await fetch(`${service.adminUrl}/metrics`)).text(), /^datarun_failed_logins_total 2$/m);
});

test("revoking an operator ends the operator's sessions at once and refuses logins until the operator is restored", async (t) => {
  const { service, port, visit, finish, logIn, inSession, failures } = await startBoth(t);
  const owner = await service.operator.appoint("owner", "olga");
  const sessions = [await logIn(), await logIn()];
  await port.result("operator revoke", { operator: "ada@acme.example" }, owner);
  for (const Cookie of sessions) assert.equal((await inSession(Cookie, "org list")).statusCode, 401);
  const refused = await finish(await visit());
  assert.equal(refused.statusCode, 403);
  assert.match(refused.json().error.message, /^ada@acme.example has been revoked/);
  assert.deepEqual(
    (await failures(1)).map(({ detail }) => detail),
    [{ identity_provider: "revoked", count: 1 }],
  );

  const restored = await port.result("operator restore", { operator: "ada@acme.example" }, owner);
  assert.equal(restored.state, "active");
  for (const Cookie of sessions) assert.equal((await inSession(Cookie, "org list")).statusCode, 401);
  assert.equal((await inSession(await logIn(), "org list")).statusCode, 200);
  for (const [operator, status] of [
    ["ada@acme.example", 409],
    ["olga", 404],
    ["nobody", 404],
    [`opr_${"0".repeat(32)}`, 404],
    [owner.id, 409],
  ] as const)
    assert.equal((await port.call("operator restore", { operator }, { as: owner })).statusCode, status, operator);
});

test("a name belongs to one operator: a person with the name of a token is refused", async (t) => {
  const people = { ada: ADA, eve: { ...ADA } };
  const { service, port, visit, finish, logIn } = await startBoth(t, { people });
  const owner = await service.operator.appoint("owner", "olga");
  const program = await service.operator.appoint("viewer", "ada@acme.example");
  const refused = await finish(await visit());
  assert.equal(refused.statusCode, 403);
  assert.match(refused.json().error.message, /^There is another operator ada@acme.example/);
  await service.operator.dismiss(program.id);
  await logIn("ada");
  assert.equal((await finish(await visit("eve"))).statusCode, 403, "another subject with the same address");
  assert.equal(
    (await port.call("operator create", { name: "ada@acme.example", role: "viewer" }, { as: owner })).statusCode,
    409,
  );
});

test("an answer counts once, in the browser that asked for it, and for ten minutes", async (t) => {
  let ahead = 0;
  const { visit, finish, failures } = await startBoth(t, {
    clock: { ...systemClock, wall: () => Date.now() + ahead },
  });
  const refused = async (login: Parameters<typeof finish>[0], says: RegExp) => {
    const reply = await finish(login);
    assert.deepEqual([reply.statusCode, reply.headers["set-cookie"]], [401, undefined], reply.text);
    assert.match(reply.json().error.message, says);
  };
  const [mine, others] = [await visit(), await visit()];
  await refused({ answer: mine.answer }, /not started in this browser/);
  await refused({ answer: mine.answer, Cookie: "datarun-login=x" }, /not started in this browser/);
  // Somebody who gets a victim's browser to finish the login of another gets nobody logged in.
  await refused({ answer: others.answer, Cookie: mine.Cookie }, /does not belong to this login/);
  const [, secret, begunAt, seal] = /=([\w-]+)\.(\d+)\.([\w-]+)$/.exec(mine.Cookie)!;
  await refused({ ...mine, Cookie: `datarun-login=${secret}.${Number(begunAt) + 1}.${seal}` }, /not started in this/);
  await refused({ ...mine, answer: "code=none" }, /does not belong/);
  await refused({ ...mine, answer: `${mine.answer}&state=${"x".repeat(43)}` }, /does not belong/);
  await refused({ ...mine, answer: mine.answer.replace(/code=[^&]+/, "code=guessed") }, /does not know this login/);

  const replies = await Promise.all([finish(mine), finish(mine), finish(mine)]);
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
    [200, 401, 401],
  );
  await refused(mine, /does not know this login any more/);

  ahead = 600_001;
  await refused(others, /more than ten minutes ago/);
  const found = await failures(2);
  assert.deepEqual(new Set(found.map(({ who }) => who)), new Set(["(unknown)"]));
  const kinds = new Set<unknown>(found.map(({ detail }) => detail["identity_provider"]));
  assert.deepEqual(kinds, new Set(["not_accepted", "not_begun_here"]));
});

test("a login never continues the session that a browser has, whatever its origin", async (t) => {
  const { visit, finish, logIn, inSession } = await startBoth(t);
  const planted = `datarun=${"A".repeat(43)}`;
  const { Cookie, answer } = await visit();
  const begun = await finish({ answer, Cookie: `${planted}; ${Cookie}` });
  const [fresh] = cookiesOf(begun);
  assert.notEqual(fresh, planted);
  assert.equal((await inSession(planted, "org list")).statusCode, 401);
  const again = await visit();
  await finish({ answer: again.answer, Cookie: `${fresh}; ${again.Cookie}` });
  assert.equal((await inSession(fresh!, "org list")).statusCode, 401, "the one before has ended");
  assert.equal((await inSession(await logIn(), "org list")).statusCode, 200);
});

test("state, nonce and code verifier are checked: what was altered on the way to the provider is refused", async (t) => {
  const { visit, finish } = await startBoth(t);
  for (const name of ["state", "nonce", "code_challenge"]) {
    const login = await visit("ada", (location) => location.searchParams.set(name, "A".repeat(43)));
    const reply = await finish(login);
    assert.deepEqual([reply.statusCode, reply.headers["set-cookie"]], [401, undefined], name);
  }
  const { location } = await visit();
  assert.equal(location.searchParams.get("code_challenge_method"), "S256");
  assert.equal(location.searchParams.get("response_type"), "code");
});

test("the provider sends browsers back to a page of the service itself, whatever a request says", async (t) => {
  const { service, provider, port, headers, visit } = await startBoth(t);
  const { location, back } = await visit();
  assert.equal(location.origin, provider.issuer);
  assert.equal(back.origin + back.pathname, `${service.adminUrl}/console/login`);
  assert.equal(location.searchParams.get("redirect_uri"), `${service.adminUrl}/console/login`);
  const asked = provider.asked.length;
  const body = { redirect_uri: "https://evil.example", location: "https://evil.example" };
  const begun = await port.call("session provider begin", body, {
    headers: { ...headers, "X-Forwarded-Host": "evil.example", Referer: "https://evil.example/" },
  });
  assert.equal(new URL(begun.json().location).searchParams.get("redirect_uri"), `${service.adminUrl}/console/login`);
  // Behind TLS it is the same host, with https, and a cookie that no other host can plant.
  const secure = await port.call("session provider begin", undefined, { headers: pageOf(service, "https") });
  assert.match(
    secure.headers["set-cookie"]![0]!,
    /^__Host-datarun-login=[\w-]{43}\.\d+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=600; Secure$/,
  );
  assert.match(new URL(secure.json().location).searchParams.get("redirect_uri")!, /^https:.*\/console\/login$/);
  for (const foreign of [
    {},
    { Origin: headers.Origin },
    { "Datarun-Console": "1" },
    { ...headers, Origin: "https://evil.example" },
    { ...headers, Host: "evil.example", Origin: "http://evil.example" },
    { ...headers, "Sec-Fetch-Site": "cross-site" },
  ] as Record<string, string>[])
    for (const [verb, input] of [
      ["session ways", undefined],
      ["session provider begin", undefined],
      ["session provider finish", { answer: "code=a&state=b" }],
    ] as const) {
      const reply = await port.call(verb, input, { headers: foreign });
      assert.deepEqual([reply.statusCode, reply.headers["set-cookie"]], [403, undefined], JSON.stringify(foreign));
    }
  assert.equal(provider.asked.length, asked);
});

test("a provider that is down or says no is spoken of in words; tokens work meanwhile, and so does it afterwards", async (t) => {
  const { service, provider, port, headers, visit, finish, logIn } = await startBoth(t);
  const ada = await service.operator.appoint("viewer", "bob");
  const begin = () => port.call("session provider begin", undefined, { headers });
  provider.interfere = (_, response) => (response.writeHead(500).end(), true);
  const down = await begin();
  assert.deepEqual([down.statusCode, down.headers["set-cookie"]], [503, undefined]);
  const host = new URL(provider.issuer).host;
  assert.equal(
    down.json().error.message,
    `The identity provider (${host}) answered with the status 500. An operator's token works meanwhile.`,
  );
  provider.interfere = (request) => (request.socket.destroy(), true);
  assert.match((await begin()).json().error.message, /cannot be reached \(ECONNRESET\)/);
  assert.equal((await port.call("org list", {}, { as: ada })).statusCode, 200);
  assert.equal((await port.call("session", undefined, { as: ada, headers })).statusCode, 200);
  provider.interfere = () => false;
  const before = await visit();
  provider.interfere = (request, response) => request.method === "POST" && (response.writeHead(502).end(), true);
  const late = await finish(before);
  assert.equal(late.statusCode, 503);
  assert.match(late.json().error.message, /answered with the status 502/);
  provider.interfere = () => false;
  await logIn();
  const denied = await finish(await visit(""));
  assert.equal(denied.statusCode, 401);
  assert.equal(denied.json().error.message, "The identity provider did not let you in (access_denied). Log in again.");
  const failed = (await service.logLines()).filter(({ event }) => event === "identity_provider_failed");
  assert.equal(failed.length, 4);
});

test("a login that was not started here sends the provider nothing, and one address neither floods it nor keeps others out", async (t) => {
  const { service, provider, port, headers, visit, finish } = await startBoth(t);
  const codesSent = () => provider.asked.filter((one) => one === "POST /token").length;
  // Everything but the seal is made by a published rule.
  const secret = `${"A".repeat(43)}.${Date.now()}`;
  const state = hash("sha256", `state ${secret}`, "base64url");
  for (const Cookie of [`datarun-login=${secret}`, `datarun-login=${secret}.${"A".repeat(43)}`])
    assert.equal((await finish({ Cookie, answer: `code=bogus&state=${state}` })).statusCode, 401);
  const begun = await visit();
  assert.equal(codesSent(), 0);

  const startedAt = performance.now();
  const bogus = { ...begun, answer: begun.answer.replace(/code=[^&]+/, "code=bogus") };
  const statuses: number[] = [];
  for (let count = 0; count < 30; count += 1) statuses.push((await finish(bogus)).statusCode);
  const more = Math.ceil((performance.now() - startedAt) / 6_000);
  assert.ok(codesSent() >= 10 && codesSent() <= 10 + more, `${codesSent()} codes`);
  assert.deepEqual([statuses[0], statuses.at(-1)], [401, 503]);

  const other = await visit();
  const there = request(new URL("/api/session/provider/finish", service.adminUrl), {
    method: "POST",
    localAddress: "127.0.0.2",
    headers: { ...headers, Cookie: other.Cookie, "Content-Type": "application/json" },
  });
  there.end(JSON.stringify({ answer: other.answer }));
  const [reply] = (await once(there, "response")) as [IncomingMessage];
  reply.resume();
  assert.equal(reply.statusCode, 200);
  service.secrets.addAll((reply.headers["set-cookie"] ?? []).map((cookie) => cookie.split(/[=;]/)[1]!));
  assert.equal((await port.call("session provider begin", undefined, { headers })).statusCode, 200);
  const logged = (await service.logLines()).filter(({ event }) => event === "identity_provider_failed");
  assert.deepEqual(
    logged.slice(0, 1).map(({ cause, count }) => [cause, count]),
    [["invalid_grant", 1]],
  );
  assert.ok(logged.length <= 1 + more, JSON.stringify(logged));
});

test("a provider that hangs keeps sixteen logins waiting at most, half of them from one address, and delays nothing else", async (t) => {
  const { service, provider, port, headers } = await startBoth(t);
  const bob = await service.operator.appoint("viewer", "bob");
  const held: IncomingMessage[] = [];
  provider.interfere = (request) => (held.push(request), true);
  const said: string[] = [];
  const begins = Array.from({ length: 20 }, async () => {
    const reply = await port.call("session provider begin", undefined, { headers });
    assert.equal(reply.statusCode, 503);
    said.push(reply.json().error.message);
  });
  while (said.length < 12) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(
    said,
    Array.from({ length: 12 }, () => "Too many logins are in progress. Try again."),
  );
  assert.equal((await port.call("org list", {}, { as: bob })).statusCode, 200);
  assert.equal((await port.call("session", undefined, { as: bob, headers })).statusCode, 200);
  assert.equal(held.length, 1, "all who wait for it wait for the same answer");
  held[0]!.socket.destroy();
  await Promise.all(begins);
  assert.equal(said.filter((one) => one.includes("cannot be reached")).length, 8);
});

test("a wrong client secret is said in words that lead to the setting", async (t) => {
  const { visit, finish } = await startBoth(t, { secret: "another" });
  const reply = await finish(await visit());
  assert.equal(reply.statusCode, 503);
  assert.match(
    reply.json().error.message,
    /does not take this service's requests \(invalid_client\): see oidc.client_id/,
  );
});

test("the provider is discovered once an hour, by however many logins", async (t) => {
  let ahead = 0;
  const { provider, visit, port, headers } = await startBoth(t, {
    clock: { ...systemClock, now: () => systemClock.now() + ahead },
  });
  const discoveries = () => provider.asked.filter((one) => one.includes("openid-configuration")).length;
  await Promise.all(Array.from({ length: 5 }, () => visit()));
  assert.equal(discoveries(), 1);
  ahead = 3_600_001;
  await visit();
  assert.equal(discoveries(), 2);
  assert.deepEqual((await port.call("session ways", undefined, { headers })).json(), {
    console: "on",
    identity_provider: new URL(provider.issuer).host,
  });
});

test("without a provider there is none to log in with", async (t) => {
  const service = await startService(t);
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const headers = pageOf(service);
  assert.equal((await call("session ways", undefined, { headers })).json().identity_provider, null);
  assert.equal((await call("session provider begin", undefined, { headers })).statusCode, 404);
  assert.equal((await call("session provider finish", { answer: "code=a" }, { headers })).statusCode, 404);
});
