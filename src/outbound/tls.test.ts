import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { createServer } from "node:net";
import { test } from "node:test";
import type { TLSSocket } from "node:tls";
import { issueCertificate, makeAuthority } from "../../test/vendor/certificate.ts";
import { startVendor } from "../../test/vendor/scripted-vendor.ts";
import { faultOf, openTestClient } from "./http-client.kit.ts";

const authority = makeAuthority();
const good = issueCertificate({ names: ["127.0.0.1", "api.acme.example"], authority });
const extraAuthorities = authority.cert;

test("a certificate of an added authority is trusted, for an address and for a name", async (t) => {
  const vendor = await startVendor(t, { tls: good });
  const named = `https://api.acme.example:${vendor.port}`;
  const door = openTestClient(t, { extraAuthorities, resolve: async () => ["127.0.0.1"], allowPrivate: [named] });

  for (const origin of [vendor.origin, named]) {
    const { http } = door.call(origin);
    assert.equal((await http.get(`${origin}/json`)).json().name, "Ada");
    assert.equal((await http.get(`${origin}/json`)).json().name, "Ada");
  }
  assert.equal(vendor.connections, 2);
});

test("after an address that refuses the connection the next one is tried, with TLS", async (t) => {
  const vendor = await startVendor(t, { tls: good });
  const origin = `https://api.acme.example:${vendor.port}`;
  const resolve = async () => ["127.0.0.9", "::1", "127.0.0.1"];
  const door = openTestClient(t, { extraAuthorities, resolve, allowPrivate: [origin] });

  const bodies = [
    await door.call(origin).http.get(`${origin}/json`),
    await door.call(origin).http.get(`${origin}/json`),
  ];

  assert.deepEqual(
    bodies.map((reply) => reply.json().name),
    ["Ada", "Ada"],
  );
  assert.equal(vendor.connections, 1);
});

const UNTRUSTED = {
  "of nobody's authority": good,
  "that signed itself": issueCertificate({ names: ["127.0.0.1"] }),
  "that has expired": issueCertificate({ names: ["127.0.0.1"], authority, notAfter: new Date(Date.now() - 1_000) }),
  "that is not yet valid": issueCertificate({ names: ["127.0.0.1"], authority, notBefore: new Date(Date.now() + 1e6) }),
  "of another name": issueCertificate({ names: ["other.example"], authority }),
};

for (const [what, identity] of Object.entries(UNTRUSTED)) {
  test(`a certificate ${what} ends the call before anything is sent`, async (t) => {
    const vendor = await startVendor(t, { tls: identity });
    const { call, http } = openTestClient(t, what === "of nobody's authority" ? {} : { extraAuthorities }).call(
      vendor.origin,
    );

    const fault = await faultOf(http.post(vendor.origin, { json: {} }));

    assert.equal(fault.code, "source.unreachable");
    assert.deepEqual(fault.detail, { problem: "no secure connection" });
    assert.match((fault.cause as NodeJS.ErrnoException).code!, /^(CERT_|DEPTH_ZERO_|UNABLE_TO_|ERR_TLS_CERT_)/);
    assert.equal(call.attempts.length, 0);
    assert.equal(vendor.count(), 0);
  });
}

test("old TLS is refused", async (t) => {
  const tls = { ...good, maxVersion: "TLSv1.1", minVersion: "TLSv1", ciphers: "ALL:@SECLEVEL=0" } as const;
  const vendor = await startVendor(t, { tls });
  const { http } = openTestClient(t, { extraAuthorities }).call(vendor.origin);

  assert.equal((await faultOf(http.get(vendor.origin))).code, "source.unreachable");
});

test("a vendor that speaks plain HTTP where TLS is due is not answered in kind", async (t) => {
  const vendor = await startVendor(t);
  const origin = `https://127.0.0.1:${vendor.port}`;
  const { http } = openTestClient(t, { limits: { connectMaxMs: 60 } }).call(origin);

  assert.equal((await faultOf(http.get(origin))).code, "source.unreachable");
  assert.equal(vendor.count(), 0);
});

test("a handshake that stalls is under the time limit", async (t) => {
  const server = createServer((socket) => void socket.on("error", () => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const origin = `https://127.0.0.1:${port}`;
  const { http } = openTestClient(t, { limits: { connectMaxMs: 60 } }).call(origin);

  assert.equal((await faultOf(http.get(origin))).code, "source.unreachable");
});

test("a vendor that demands a client certificate gets the one given, and no other call gets its connection", async (t) => {
  const client = issueCertificate({ names: ["client"], authority });
  const vendor = await startVendor(t, {
    tls: { ...good, ca: [authority.cert], requestCert: true, rejectUnauthorized: true },
  });
  const door = openTestClient(t, { extraAuthorities });
  const { http } = door.call(vendor.origin);

  assert.equal((await http.get(`${vendor.origin}/json`, { tls: client })).json().name, "Ada");
  const fault = await faultOf(http.get(`${vendor.origin}/json`));

  // In TLS 1.3, the vendor refuses after the request was sent, so it is unknown whether the vendor acted on it.
  assert.ok(fault.code === "source.connection_lost" || fault.code === "source.unreachable", fault.code);
  assert.equal(vendor.count(), 1);
  assert.equal(door.client.stats().origins.length, 2);
});

test("a new connection resumes the session of the one before, names its host and speaks HTTP/1.1 alone", async (t) => {
  const seen: unknown[] = [];
  const vendor = await startVendor(t, {
    tls: { ...good, ALPNProtocols: ["h2", "http/1.1"] },
    otherwise: (socket) => {
      const { servername, alpnProtocol } = socket as TLSSocket;
      seen.push([(socket as TLSSocket).isSessionReused(), servername, alpnProtocol]);
      socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}");
    },
  });
  const origin = `https://api.acme.example:${vendor.port}`;
  const door = openTestClient(t, { extraAuthorities, resolve: async () => ["127.0.0.1"], allowPrivate: [origin] });

  for (let turn = 0; turn < 3; turn += 1) await door.call(origin).http.get(origin);

  assert.deepEqual(
    seen,
    [false, true, true].map((reused) => [reused, "api.acme.example", "http/1.1"]),
  );
});

const encrypted = createPrivateKey(good.key).export({
  type: "pkcs8",
  format: "pem",
  cipher: "aes-256-cbc",
  passphrase: "secret",
}) as string;
const broken = (pem: string) => pem.replace(/\n[A-Za-z0-9+/=]+\n/, "\nAAAA\n");

const UNUSABLE: readonly (readonly [tls: { cert: string; key: string }, says: RegExp])[] = [
  [{ cert: "nonsense", key: good.key }, /^the client certificate cannot be read$/],
  [{ cert: broken(good.cert), key: good.key }, /^the client certificate cannot be read$/],
  [{ cert: good.cert, key: broken(good.key) }, /^the private key of the client certificate cannot be read$/],
  [{ cert: good.key, key: good.cert }, /^the client certificate and its private key are swapped$/],
  [{ cert: good.cert, key: encrypted }, /^the private key of the client certificate is encrypted/],
  [{ cert: good.cert, key: authority.key }, /^the private key does not belong to the client certificate/],
];

test("a client certificate that cannot be used is the credential's fault, which says why", async (t) => {
  const vendor = await startVendor(t, { tls: good });
  for (const [tls, says] of UNUSABLE) {
    const { call, http } = openTestClient(t, { extraAuthorities }).call(vendor.origin);

    const fault = await faultOf(http.get(vendor.origin, { tls }));

    assert.equal(fault.code, "source.credential_missing");
    assert.match(String(fault.detail["problem"]), says);
    assert.equal(call.attempts.length, 0);
  }
});

test("a client certificate whose line breaks were lost on the way is shown all the same", async (t) => {
  const client = issueCertificate({ names: ["client.example"], authority });
  const vendor = await startVendor(t, {
    tls: { ...good, requestCert: true, rejectUnauthorized: true, ca: authority.cert },
  });
  const chain = client.cert + authority.cert;
  for (const written of [
    (pem: string) => pem.replaceAll("\n", "\\n"),
    (pem: string) => pem.replaceAll("\n", "\\r\\n"),
    (pem: string) => pem.replaceAll("\n", " "),
    (pem: string) => pem.replaceAll("\n", ""),
    (pem: string) => `Bag Attributes\n  friendlyName: x\n${pem.replaceAll("\n", "\r\n")}`,
  ]) {
    const { http } = openTestClient(t, { extraAuthorities }).call(vendor.origin);
    const tls = { cert: written(chain), key: written(client.key) };
    assert.equal((await http.get(`${vendor.origin}/json`, { tls })).json().name, "Ada");
  }
});

test("authorities that cannot be read stop the start", (t) => {
  assert.throws(() => openTestClient(t, { extraAuthorities: "nonsense" }), /certificate authorities/);
  const broken = authority.cert.replace(/\n[A-Za-z0-9+/]{64}\n/, "\nAAAA\n");
  assert.throws(() => openTestClient(t, { extraAuthorities: broken }), /cannot be read/);
});
