import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { issueCertificate, makeAuthority } from "../../test/vendor/certificate.ts";
import { head } from "../../test/vendor/behaviours.ts";
import { startVendor } from "../../test/vendor/scripted-vendor.ts";
import { startVendorThread, type VendorThread } from "../../test/vendor/vendor-thread.ts";
import type { Http } from "../sdk/http.ts";
import { faultOf, openTestClient } from "./http-client.kit.ts";

const authority = makeAuthority();
const identity = issueCertificate({ names: ["127.0.0.1"], authority });

interface Surplus {
  readonly origin: string;
  readonly vendor: VendorThread;
  /** The `http` of a new call of this organization. */
  readonly of: (organizationId: string) => Http;
  readonly attempts: () => number;
}

async function surplusVendor(t: TestContext, secure = false): Promise<Surplus> {
  const vendor = await startVendorThread(t, secure ? identity : undefined);
  const door = openTestClient(t, { extraAuthorities: authority.cert });
  return {
    origin: vendor.origin,
    vendor,
    of: (organizationId) => door.call(vendor.origin, { organizationId }).http,
    attempts: () => door.attempts.length,
  };
}

for (const secure of [false, true]) {
  const by = secure ? "TLS" : "plain HTTP";
  for (const next of ["org_1", "org_2"]) {
    const who = next === "org_1" ? "same organization" : "next organization";

    test(`a second answer in the same packet is not an answer for the ${who}, by ${by}`, async (t) => {
      const { origin, of } = await surplusVendor(t, secure);
      for (let turn = 0; turn < 40; turn += 1) {
        await of("org_1").get(`${origin}/twice/0/${turn}`);
        assert.deepEqual((await of(next).get(`${origin}/twice/0/${turn}/mine`)).json().path, `/twice/0/${turn}/mine`);
      }
    });

    test(`a second answer that came while the connection was idle is not an answer for the ${who}, by ${by}`, async (t) => {
      const { origin, vendor, of } = await surplusVendor(t, secure);
      for (let turn = 0; turn < 20; turn += 1) {
        await of("org_1").get(`${origin}/twice/2/${turn}`);
        await vendor.surplus(turn + 1);
        assert.deepEqual((await of(next).get(`${origin}/json`)).json().name, "Ada");
      }
    });

    test(`a second answer that came while the loop was busy is not an answer for the ${who}, by ${by}`, async (t) => {
      const { origin, vendor, of, attempts } = await surplusVendor(t, secure);
      for (let turn = 0; turn < 30; turn += 1) {
        // In every second round, the connection has already been reused once.
        if (turn % 2 === 1) await of("org_1").get(`${origin}/json`);
        await of("org_1").get(`${origin}/twice/2/${turn}`);
        vendor.busyUntilSurplus(turn + 1);
        assert.deepEqual((await of(next).get(`${origin}/json`)).json().name, "Ada", `turn ${turn}`);
      }
      assert.equal(attempts(), 30 * 2 + 15);
    });
  }
}

test("whatever a vendor sends unasked, and whenever, no organization gets another one's answer", async (t) => {
  const { origin, of } = await surplusVendor(t);
  let lost = 0;
  for (let turn = 0; turn < 600; turn += 1) {
    const organization = `org_${turn % 3}`;
    const path = `/twice/${1 + (turn % 4)}/${organization}`;
    const sent = of(organization).get(origin + path);
    const reply = await sent.catch(() => null);
    if (reply === null) lost += 1;
    else assert.equal(reply.json().path.split("/").at(-1), organization);
  }
  assert.ok(lost < 300, `${lost} lost`);
});

test("a vendor that answers one request of many twice puts one answer in the wrong place, and not all that follow", async (t) => {
  let isTwice = false;
  const vendor = await startVendor(t, {
    otherwise: (socket, { path }) => {
      const text = JSON.stringify({ path });
      const answer = head(200, { "content-length": String(text.length) }) + text;
      socket.setNoDelay(true);
      // A second reply to the previous request arrives after this request has been written.
      if (isTwice) socket.write(answer.replace(path, path.replace(/./g, "x")));
      isTwice = false;
      setTimeout(() => socket.write(answer), 5);
    },
  });
  const door = openTestClient(t);
  const pathOf = async (path: string): Promise<string> =>
    (await door.call(vendor.origin, { organizationId: "org_1" }).http.get(vendor.origin + path)).json().path;
  await Promise.all(["/a", "/b", "/c"].map(pathOf));
  isTwice = true;
  const wrong: string[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    const path = `/one/${turn}`;
    if ((await pathOf(path)) !== path) wrong.push(path);
  }
  assert.deepEqual(wrong, ["/one/0"]);
});

test("connections are used again by their own organization, by TLS too", async (t) => {
  for (const secure of [false, true]) {
    const { origin, of } = await surplusVendor(t, secure);
    const numbers = new Map<string, Set<number>>();
    for (let turn = 0; turn < 12; turn += 1) {
      const organization = `org_${turn % 2}`;
      const connection: number = (await of(organization).get(`${origin}/connection`)).json().connection;
      numbers.set(organization, (numbers.get(organization) ?? new Set()).add(connection));
    }
    assert.deepEqual(
      [...numbers.values()].map((used) => used.size),
      [1, 1],
    );
  }
});

test("a vendor that closes after each answer without saying so loses no call that follows its closing", async (t) => {
  const { origin, vendor, of, attempts } = await surplusVendor(t);
  for (let turn = 0; turn < 60; turn += 1) {
    await of("org_1").get(`${origin}/then-close/0/${turn}`);
    // The end of the connection has arrived in the socket, but the loop has not polled yet.
    vendor.busyUntilSurplus(turn + 1);
  }
  assert.equal(attempts(), 60);
});

test("a call that was ended while its connection was checked sends nothing", async (t) => {
  const { origin } = await startVendorThread(t);
  const door = openTestClient(t);
  await door.call(origin).http.get(`${origin}/json`);
  const { call, run, http } = door.call(origin);

  const sent = faultOf(http.get(`${origin}/json`));
  run.clientGone();

  assert.equal((await sent).code, "source.stopped");
  assert.equal(call.attempts.length, 0);
});

test("of calls that leave together, one whose connection has a surplus answer gets a new one, and the others keep theirs", async (t) => {
  const { origin, vendor, of, attempts } = await surplusVendor(t);
  const connectionOf = async (): Promise<number> => (await of("org_1").get(`${origin}/connection`)).json().connection;
  for (let turn = 0; turn < 20; turn += 1) {
    const before = await Promise.all([connectionOf(), connectionOf(), connectionOf()]);
    await of("org_1").get(`${origin}/twice/2/${turn}`);
    vendor.busyUntilSurplus(turn + 1);
    const after = await Promise.all([connectionOf(), connectionOf(), connectionOf()]);
    assert.equal(after.filter((connection) => before.includes(connection)).length, 2);
  }
  assert.equal(attempts(), 20 * 7);
});
