import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { issueCertificate, makeAuthority } from "../../test/vendor/certificate.ts";
import { startProxy } from "../../test/vendor/egress-proxy.ts";
import { createLog } from "../operate/log.ts";
import { systemClock } from "../terms/time/clock.ts";
import { openIdentityProvider } from "./open-identity-provider.ts";

/** Discovers a provider on this machine by an issuer of this host, behind a proxy, and returns the proxy's requests. */
async function discover(t: TestContext, host: string): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), "datarun-oidc-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const authority = makeAuthority();
  const caFile = join(directory, "ca.pem");
  writeFileSync(caFile, authority.cert);
  let issuer = "";
  const server = createServer(issueCertificate({ names: [host], authority }), (_, reply) => {
    reply.setHeader("content-type", "application/json").end(JSON.stringify({ issuer }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo;
  issuer = `https://${host}:${port}`;
  const proxy = await startProxy(t, port);
  const claims = { nameClaim: "email", groupsClaim: "groups", viewers: [], operators: [], owners: ["staff"] };
  const provider = openIdentityProvider({
    settings: {
      oidc: { issuer, clientId: "datarun", clientSecret: "s", scopes: [], ...claims },
      outbound: { caFile, proxy: proxy.url, privateOrigins: [], traceOrigins: [] },
    },
    clock: systemClock,
    log: createLog("error", "/dev/null"),
  })!;
  await provider.client.discover();
  provider.client.close();
  return proxy.heads.map((head) => head.split("\r\n")[0]!.replace(String(port), "PORT"));
}

test("an identity provider is asked through the egress proxy", async (t) => {
  assert.deepEqual(await discover(t, "login.acme.example"), ["CONNECT login.acme.example:PORT HTTP/1.1"]);
});

test("an identity provider on this machine is asked directly", async (t) => {
  assert.deepEqual(await discover(t, "127.0.0.1"), []);
});
