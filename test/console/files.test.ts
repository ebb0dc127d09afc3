import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../rig/client.ts";
import { startService } from "../rig/service.ts";

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

test("every address of the console is its page, on the admin port alone", async (t) => {
  const service = await startService(t);
  const [admin, open] = [createClient(service.adminUrl), createClient(service.url)];
  t.after(() => [admin, open].map((client) => client.close()));
  const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
    admin.send({ method, path, headers });

  const page = await get("/console/");
  assert.equal(page.statusCode, 200);
  assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
  for (const path of ["/console/runs/trx_1", "/console/sources?find=x.js"])
    assert.equal((await get(path)).text, page.text);
  for (const path of ["/", "/console"]) assert.equal((await get(path)).headers["location"], "/console/");
  for (const path of ["/console/", "/console", "/api/token/list"]) {
    const { statusCode } = await open.send({ method: "GET", path, headers: {} });
    assert.equal(statusCode, 404, `${path} on the public port`);
  }

  const [, script] = /src="([^"]+\.js)"/.exec(page.text)!;
  for (const [path, kept] of [
    ["/console/", false],
    [script!, true],
  ] as const) {
    const { headers, statusCode } = await get(path);
    assert.equal(statusCode, 200);
    assert.equal(headers["content-security-policy"], CSP);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["x-frame-options"], "DENY");
    assert.equal(headers["cache-control"], kept ? "private, max-age=31536000, immutable" : "no-store");
    assert.equal(
      Object.keys(headers).some((name) => name.startsWith("access-control-")),
      false,
    );
  }
  assert.equal((await get(script!, { "Accept-Encoding": "gzip" })).headers["content-encoding"], "gzip");
  assert.equal((await get("/console/console-OLD.js")).statusCode, 404);
  for (const path of ["/", "/console/", script!]) {
    const { statusCode, headers } = await get(path, {}, "POST");
    assert.deepEqual([statusCode, headers["allow"]], [405, "GET, HEAD"], path);
  }

  // A foreign name may resolve to this address. A link of another site may lead here: the page is the same for everybody.
  assert.equal((await get("/console/", { Host: "attacker.example" })).statusCode, 403);
  assert.equal((await get("/console/", { "Sec-Fetch-Site": "cross-site" })).statusCode, 200);
});
