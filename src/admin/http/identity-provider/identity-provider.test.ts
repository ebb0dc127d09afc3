import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { createSecureContext } from "node:tls";
import { issueCertificate, makeAuthority } from "../../../../test/vendor/certificate.ts";
import { createLog } from "../../../operate/log.ts";
import { systemClock } from "../../../terms/time/clock.ts";
import { createIdentityProvider } from "./identity-provider.ts";

const LOG = createLog("error", "/dev/null");
const ATTEMPT = { redirectUri: "http://127.0.0.1:1/console/login", state: "s", nonce: "n", codeVerifier: "v" };
const SETTINGS = {
  clientId: "datarun",
  clientSecret: () => "s",
  scopes: [],
  nameClaim: "email",
  groupsClaim: "groups",
  viewers: [],
  operators: [],
  owners: [],
};

/** The message to a person who logs in with a provider that answers like this. */
async function toldBy(t: TestContext, answer: RequestListener, path = ""): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => (server.closeAllConnections(), server.close()));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = createIdentityProvider({
    settings: { ...SETTINGS, issuer: `http://${host}${path}` },
    clock: systemClock,
    log: LOG,
    trust: () => undefined,
    seconds: 0.3,
  });
  const thrown = await provider.addressFor(ATTEMPT).catch((error: Error) => error);
  assert.ok(thrown instanceof Error, String(thrown));
  return thrown.message.replaceAll(host, "HOST");
}

const json =
  (value: unknown): RequestListener =>
  (_, response) => {
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(value));
  };

test("each way in which a provider fails has its sentence, and none takes longer than the limit", async (t) => {
  const cases: readonly (readonly [string, RequestListener, RegExp])[] = [
    ["it hangs", () => {}, /^The identity provider \(HOST\) has not answered within 0.3 seconds\./],
    [
      "it begins and hangs",
      (_, response) => void response.writeHead(200, { "Content-Type": "application/json" }).write("{"),
      /has not answered within/,
    ],
    [
      "it never ends",
      (_, response) => endless(response.writeHead(200, { "Content-Type": "application/json" })),
      /gave an answer that cannot be used|has not answered/,
    ],
    ["it hangs up", (request) => void request.socket.destroy(), /cannot be reached \(ECONNRESET\)\./],
    ["it is busy", (_, response) => void response.writeHead(503).end(), /answered with the status 503\./],
    [
      "it sends elsewhere",
      (_, response) => void response.writeHead(302, { Location: "http://127.0.0.1:1/" }).end(),
      /answered with the status 302\./,
    ],
    [
      "it is a page",
      (_, response) => void response.writeHead(200, { "Content-Type": "text/html" }).end("<p>"),
      /gave an answer that cannot be used\./,
    ],
    ["it is another", json({ issuer: "https://other.example" }), /gave an answer that cannot be used\./],
    ["it comes in crumbs", crumbs, /gave an answer that cannot be used\.|has not answered/],
    ["it is a list", json([]), /gave an answer that cannot be used\./],
  ];
  for (const [name, answer, says] of cases) {
    assert.match(await toldBy(t, answer), says, name);
  }
});

/** A valid provider answer in thousands of chunks of one byte. */
const crumbs: RequestListener = ({ headers: { host }, socket }) => {
  const issuer = `http://${host}`;
  const text = JSON.stringify({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
  });
  socket.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
  socket.end(`${"1\r\n \r\n".repeat(20_000)}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`);
};

function endless(response: { write(text: string, done: () => void): unknown; readonly destroyed: boolean }): void {
  const more = () => void (response.destroyed || response.write("x".repeat(100_000), more));
  more();
}

test("a port without a listener is reported as such", async () => {
  const provider = createIdentityProvider({
    settings: { ...SETTINGS, issuer: "http://127.0.0.1:1" },
    clock: systemClock,
    log: LOG,
    trust: () => undefined,
  });
  await assert.rejects(
    provider.addressFor(ATTEMPT),
    /^ProviderProblem: The identity provider \(127\.0\.0\.1:1\) cannot be reached \(ECONNREFUSED\)\./,
  );
});

test("a provider is trusted by an authority of one's own, and without it not asked anything", async (t) => {
  const authority = makeAuthority();
  const { cert, key } = issueCertificate({ names: ["127.0.0.1"], authority });
  let asked = 0;
  const server = createSecureServer({ cert, key }, (_, response) => {
    asked += 1;
    const metadata = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(metadata));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => (server.closeAllConnections(), server.close()));
  const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const parts = { settings: { ...SETTINGS, issuer }, clock: systemClock, log: LOG };

  const trusted = createIdentityProvider({ ...parts, trust: () => createSecureContext({ ca: authority.cert }) });
  assert.equal(new URL(await trusted.addressFor(ATTEMPT)).origin, issuer);
  assert.equal(asked, 1);
  const untrusted = createIdentityProvider({ ...parts, trust: () => undefined });
  await assert.rejects(untrusted.addressFor(ATTEMPT), /cannot be reached \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)/);
  assert.equal(asked, 1);
});
