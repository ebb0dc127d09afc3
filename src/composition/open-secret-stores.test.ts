import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { issueCertificate, makeAuthority } from "../../test/vendor/certificate.ts";
import { startProxy } from "../../test/vendor/egress-proxy.ts";
import { systemClock } from "../terms/time/clock.ts";
import { openSecretStores } from "./open-secret-stores.ts";

const AWS = "secretsmanager.eu-west-1.amazonaws.com";

/** A store of secrets with a certificate of these names, behind a proxy. */
async function startStore(t: TestContext, names: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), "datarun-secrets-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const authority = makeAuthority();
  const caFile = join(directory, "ca.pem");
  writeFileSync(caFile, authority.cert);
  const received: string[] = [];
  const server = createServer(issueCertificate({ names, authority }), (request, reply) => {
    received.push(`${request.method} ${request.headers.host}`);
    const secret = { SecretString: '{"api_key":"from AWS"}', data: { data: { api_key: "from the vault" } } };
    reply.setHeader("connection", "close").end(JSON.stringify(secret));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const proxy = await startProxy(t, port);
  const storesOf = (variables: Readonly<Record<string, string>>) =>
    openSecretStores(
      {
        secrets: { files: [], ttlMs: 60_000 },
        secretVariable: (name) => variables[name],
        outbound: { caFile, proxy: proxy.url },
      },
      systemClock,
    );
  return { port, proxy, received, storesOf };
}

const KEYS = { AWS_ACCESS_KEY_ID: "AKIAEXAMPLE", AWS_SECRET_ACCESS_KEY: "a secret key" };
const IN_AWS = { kind: "aws-sm", region: "eu-west-1", secret: "acme", key: "api_key" } as const;

test("a cloud's secrets are read through the egress proxy, which sees neither the request nor the secret", async (t) => {
  const { proxy, received, storesOf } = await startStore(t, [AWS]);
  assert.equal(await storesOf(KEYS).aws().read(IN_AWS), "from AWS");
  const [head = ""] = proxy.heads;
  assert.ok(head.startsWith(`CONNECT ${AWS}:443 HTTP/1.1\r\n`), head);
  assert.match(head, /proxy-authorization: Basic /i);
  assert.doesNotMatch(head, /AKIA/);
  assert.deepEqual([proxy.heads.length, received], [1, [`POST ${AWS}`]]);
});

test("a vault, and another address in place of AWS, are reached directly", async (t) => {
  const { port, proxy, received, storesOf } = await startStore(t, ["localhost", "127.0.0.1"]);
  const address = `https://127.0.0.1:${port}`;
  assert.equal(
    await storesOf({ ...KEYS, AWS_ENDPOINT_URL: address })
      .aws()
      .read(IN_AWS),
    "from AWS",
  );
  const vault = storesOf({ VAULT_ADDR: address, VAULT_TOKEN: "a token" }).vault();
  assert.equal(
    await vault.read({ kind: "vault", version: 2, mount: "kv", path: "acme", key: "api_key" }),
    "from the vault",
  );
  assert.deepEqual([proxy.heads.length, received.length], [0, 2]);
});
