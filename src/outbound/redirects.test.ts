import assert from "node:assert/strict";
import { test } from "node:test";
import { bare } from "../../test/vendor/behaviours.ts";
import { startVendor } from "../../test/vendor/scripted-vendor.ts";
import { codeOf, faultOf, openTestClient } from "./http-client.kit.ts";

const SECRETS = { authorization: "Bearer s3cret", "x-api-key": "s3cret", cookie: "id=s3cret" };

for (const status of [301, 302, 303, 307, 308]) {
  test(`a ${status} is a failure unless the source follows redirects`, async (t) => {
    const vendor = await startVendor(t);
    const { call, http } = openTestClient(t).call(vendor.origin);

    const fault = await faultOf(http.get(`${vendor.origin}/redirect/${status}`));

    assert.equal(fault.code, "source.contract");
    assert.equal(vendor.count(), 1);
    assert.equal(call.attempts.length, 1);
  });

  test(`a ${status} on the same origin is followed, an attempt each`, async (t) => {
    const vendor = await startVendor(t);
    const { call, http } = openTestClient(t).call(vendor.origin);

    const reply = await http.get(`${vendor.origin}/redirect/${status}`, { redirects: 1, headers: SECRETS });

    assert.equal(reply.json().name, "Ada");
    assert.deepEqual(
      vendor.requests.map(({ path, headers }) => [path, headers["x-api-key"]]),
      [
        [`/redirect/${status}`, "s3cret"],
        ["/json", "s3cret"],
      ],
    );
    assert.deepEqual(
      call.attempts.map((attempt) => [attempt.number, attempt.status]),
      [
        [1, status],
        [2, 200],
      ],
    );
  });

  test(`after a ${status} to another origin nobody else sees a credential`, async (t) => {
    const other = await startVendor(t);
    const vendor = await startVendor(t, { paths: { "/away": bare(status, { location: `${other.origin}/json` }) } });
    const door = openTestClient(t);
    const declared = door.call([vendor.origin, other.origin]);
    const undeclared = door.call(vendor.origin);

    const fault = await faultOf(undeclared.http.get(`${vendor.origin}/away`, { redirects: 3, headers: SECRETS }));
    assert.equal(fault.code, "source.contract");
    assert.equal(other.connections, 0);
    await declared.http.get(`${vendor.origin}/away`, { redirects: 3, headers: SECRETS });

    assert.equal(other.count(), 1);
    assert.doesNotMatch(JSON.stringify(other.requests[0]), /s3cret/);
  });
}

for (const location of [
  "http://169.254.169.254/latest/meta-data",
  "http://127.0.0.1/",
  "https://user:pass@127.0.0.1/",
  "file:///etc/passwd",
  "//169.254.169.254/",
  "http://",
  "",
]) {
  test(`a redirect to ${JSON.stringify(location)} is not followed`, async (t) => {
    const vendor = await startVendor(t, { paths: { "/away": bare(302, { location }) } });
    const { call, http } = openTestClient(t).call(vendor.origin);

    assert.equal(await codeOf(http.get(`${vendor.origin}/away`, { redirects: 5 })), "source.contract");
    assert.equal(call.attempts.length, 1);
  });
}

test("a redirect without a location is not followed", async (t) => {
  const vendor = await startVendor(t, { paths: { "/away": bare(302) } });
  const { http } = openTestClient(t).call(vendor.origin);

  assert.equal(await codeOf(http.get(`${vendor.origin}/away`, { redirects: 5 })), "source.contract");
});

test("redirects are counted", async (t) => {
  const vendor = await startVendor(t, { paths: { "/loop": bare(302, { location: "/loop" }) } });
  const { call, http } = openTestClient(t).call(vendor.origin);

  assert.equal(await codeOf(http.get(`${vendor.origin}/loop`, { redirects: 2 })), "source.contract");
  assert.equal(vendor.count(), 3);
  assert.equal(call.attempts.length, 3);
});

test("a body stays with its method on the same origin and goes to no other", async (t) => {
  const other = await startVendor(t);
  const vendor = await startVendor(t, {
    paths: {
      "/307": bare(307, { location: "/echo" }),
      "/303": bare(303, { location: "/echo" }),
      "/302": bare(302, { location: "/echo" }),
      "/307-away": bare(307, { location: `${other.origin}/echo` }),
      "/303-away": bare(303, { location: `${other.origin}/echo` }),
    },
  });
  const { http } = openTestClient(t).call([vendor.origin, other.origin]);
  const post = (path: string) => http.post(vendor.origin + path, { json: { ssn: "1" }, redirects: 1 });

  const kept = (await post("/307")).json();
  assert.deepEqual([kept.method, kept.body], ["POST", '{"ssn":"1"}']);
  for (const path of ["/303", "/302", "/303-away"]) {
    const changed = (await post(path)).json();
    assert.deepEqual([changed.method, changed.body, changed.headers["content-type"]], ["GET", "", undefined], path);
  }
  assert.equal(await codeOf(post("/307-away")), "source.contract");
  assert.equal(other.count(), 1);
});

test("a redirect that the source reads itself is a reply", async (t) => {
  const vendor = await startVendor(t);
  const { http } = openTestClient(t).call(vendor.origin);

  const reply = await http.get(`${vendor.origin}/redirect/302`, { redirects: 1, answers: [302] });

  assert.equal(reply.headers["location"], "/json");
});

test("a call that ended meanwhile is not followed further", async (t) => {
  const vendor = await startVendor(t);
  const { call, http } = openTestClient(t).call(vendor.origin);
  vendor.on("/away", (socket, request) => {
    call.end();
    bare(302, { location: "/json" })(socket, request);
  });

  assert.equal(await codeOf(http.get(`${vendor.origin}/away`, { redirects: 1 })), "source.stopped");
  assert.equal(vendor.count(), 1);
});
