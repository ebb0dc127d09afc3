import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { adminPort } from "../rig/admin.ts";
import { cookieOf, pageOf } from "../rig/browser-session.ts";
import { startCommand } from "../rig/command.ts";
import { pausedClock } from "../rig/paused-clock.ts";
import { startService } from "../rig/service.ts";

test("a code begins a session once, even if it is used several times at once", async (t) => {
  const { clock, open } = pausedClock();
  open();
  const service = await startService(t, { clock });
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("operator", "ada");
  const code = await service.operator.makeLoginCode(ada);
  const headers = pageOf(service);
  const replies = await Promise.all(Array.from({ length: 6 }, () => call("session code", { code }, { headers })));
  const [begun, ...others] = replies.filter(({ statusCode }) => statusCode === 200);
  assert.ok(begun !== undefined && others.length === 0);
  const { name, role } = begun.json();
  assert.deepEqual([name, role], ["ada", "operator"]);
  assert.match(cookieOf(begun), /^datarun=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
  for (const reply of replies)
    if (reply !== begun) assert.deepEqual([reply.statusCode, reply.headers["set-cookie"]], [401, undefined]);
  const Cookie = cookieOf(begun).split(";")[0]!;
  assert.equal((await call("org list", {}, { headers: { ...headers, Cookie } })).statusCode, 200);
  const trail = (await service.operator.auditEntries()).filter(({ what }) => what === "session begin");
  assert.deepEqual(
    trail.map(({ who, detail }) => [who, detail]),
    [["ada", { with: "code" }]],
  );
});

test("a code that is unknown, too old or of a revoked operator is refused late, counted, and in the audit trail", async (t) => {
  const { clock, held, holds, release, open } = pausedClock();
  let ahead = 0;
  const service = await startService(t, { clock: { ...clock, wall: () => Date.now() + ahead } });
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const [ada, bob] = [await service.operator.appoint("owner", "ada"), await service.operator.appoint("owner", "bob")];
  const codes = [
    await service.operator.makeLoginCode(ada, Date.now() + 600_000),
    await service.operator.makeLoginCode(bob, Date.now() + 1_200_000),
    "A".repeat(43),
    "'; --",
  ];
  await service.operator.dismiss(bob.id);
  ahead = 600_001;
  for (const code of codes) {
    let answered = false;
    const calling = call("session code", { code }, { headers: pageOf(service) }).then(
      (reply) => ((answered = true), reply),
    );
    await holds(1);
    assert.equal(answered, false);
    release();
    const reply = await calling;
    assert.deepEqual([reply.statusCode, reply.headers["set-cookie"]], [401, undefined]);
    assert.ok(!reply.text.includes(code));
  }
  assert.equal(held.length, 0);
  open();
  assert.match(await (await fetch(`${service.adminUrl}/metrics`)).text(), /^datarun_failed_logins_total 4$/m);
  const failed = (await service.operator.auditEntries()).filter(({ what }) => what === "login failed");
  assert.deepEqual(
    failed.map(({ who, detail }) => [who, detail]),
    [["(unknown)", { code: "unknown", count: 1 }]],
  );
  for (const input of [{}, { code: 5 }, { code: "" }, { code: "A".repeat(129) }, { code: "A", more: 1 }, "[]", "{"])
    assert.equal((await call("session code", input, { headers: pageOf(service) })).statusCode, 422);
});

test("a page of another site neither logs a browser in nor uses up a code", async (t) => {
  const service = await startService(t);
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("viewer", "ada");
  const code = await service.operator.makeLoginCode(ada);
  const page = pageOf(service);
  for (const headers of [
    {},
    { Origin: page.Origin },
    { "Datarun-Console": "1" },
    { ...page, Origin: "https://evil.example" },
    { ...page, Origin: "null" },
    { ...page, Host: "evil.example", Origin: "http://evil.example" },
    { ...page, "Sec-Fetch-Site": "cross-site" },
  ] as Record<string, string>[]) {
    const reply = await call("session code", { code }, { headers });
    assert.deepEqual([reply.statusCode, reply.headers["set-cookie"]], [403, undefined], JSON.stringify(headers));
  }
  assert.equal((await call("session code", { code }, { headers: page })).statusCode, 200);
});

test("each start of a demo prints a link to the console that logs its owner in once", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-data-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const seen = new Set<string>();
  for (const settings of [[], [], ["--console", "off"]]) {
    const service = await startCommand(t, ["--demo", ...settings], { DATARUN_DATA_DIR: dataDir });
    const link = /^(http:\/\/127\.0\.0\.1:\d+)\/console\/#code=([\w-]{43})$/m.exec(service.stderr());
    assert.equal(link === null, settings.length > 0, service.stderr());
    if (link !== null) {
      const [, adminUrl, code] = link;
      seen.add(code!);
      const answers = [await exchange(adminUrl!, code!), await exchange(adminUrl!, code!)];
      assert.deepEqual(answers, [{ name: "demo", role: "owner" }, { code: "unauthenticated" }]);
    }
    service.signal("SIGTERM");
    await service.ended;
  }
  assert.equal(seen.size, 2);
});

async function exchange(adminUrl: string, code: string): Promise<object> {
  const headers = { "Content-Type": "application/json", Origin: adminUrl, "Datarun-Console": "1" };
  const reply = await fetch(`${adminUrl}/api/session/code`, {
    method: "POST",
    headers,
    body: JSON.stringify({ code }),
  });
  const { name, role, error } = (await reply.json()) as { name?: string; role?: string; error?: { code: string } };
  return error === undefined ? { name, role } : { code: error.code };
}
