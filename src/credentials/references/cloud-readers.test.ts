import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import type { SecretUnavailable } from "./secret-unavailable.ts";
import type { SecretReply, SecretRequest } from "./ports.ts";
import { createAwsClient } from "./read-aws.ts";
import { createAzureReader } from "./read-azure.ts";
import { createGoogleReader } from "./read-google.ts";

/*
 * The requests are those of the documentation: AWS Secrets Manager GetSecretValue, KMS Decrypt, STS
 * AssumeRoleWithWebIdentity, and the credentials endpoint of containers; Google Secret Manager
 * projects.secrets.versions.access and the metadata server; Azure Key Vault "Get Secret" and its OAuth 2 tokens.
 */

type Sent = Parameters<SecretRequest>[0];

/** Answers each request by the first of these that its address begins with, and keeps the requests. */
function scripted(answers: Readonly<Record<string, SecretReply | ((sent: Sent) => SecretReply)>>) {
  const sent: Sent[] = [];
  const send: SecretRequest = async (request) => {
    sent.push(request);
    const [, answer] = Object.entries(answers).find(([start]) => request.url.startsWith(start)) ?? [];
    assert.ok(answer !== undefined, request.url);
    return typeof answer === "function" ? answer(request) : answer;
  };
  return { sent, send };
}

const ok = (body: object): SecretReply => ({ status: 200, text: JSON.stringify(body) });

function file(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "datarun-cloud-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "file"), text);
  return join(folder, "file");
}

const NOTHING = { keys: undefined, webIdentity: undefined, container: undefined, endpoint: undefined };
const KEYS = { accessKeyId: "AKID", secretAccessKey: "secret", sessionToken: undefined };
const AWS_SECRET = { kind: "aws-sm", region: "eu-central-1", secret: "prod/acme", key: "key" } as const;
const SECRETS_MANAGER = "https://secretsmanager.eu-central-1.amazonaws.com/";

test("a secret of AWS is read with a signed request, a member of it too, and a key of KMS decrypts", async () => {
  const { send, sent } = scripted({
    [SECRETS_MANAGER]: ok({ SecretString: '{"key":"value"}' }),
    "https://kms.eu-central-1.amazonaws.com/": ok({ Plaintext: "cGxhaW4=" }),
  });
  const aws = createAwsClient({ ...NOTHING, keys: KEYS }, send, new FakeClock());
  assert.equal(await aws.read(AWS_SECRET), "value");
  assert.equal(await aws.read({ ...AWS_SECRET, key: null }), '{"key":"value"}');
  const [{ headers, body }] = sent as [Sent];
  assert.deepEqual(JSON.parse(body!), { SecretId: "prod/acme" });
  assert.equal(headers!["x-amz-target"], "secretsmanager.GetSecretValue");
  assert.match(headers!["authorization"]!, /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-central-1\/secretsmanager\//);
  assert.equal(await aws.decrypt("eu-central-1", "alias/datarun", "Y2lwaGVy"), "cGxhaW4=");
});

test("a pod takes its role with its token, and takes it again before the keys expire", async (t) => {
  const clock = new FakeClock();
  let given = 0;
  const { send } = scripted({
    "https://sts.eu-central-1.amazonaws.com/": ({ body }) => {
      const form = new URLSearchParams(body);
      assert.deepEqual([form.get("Action"), form.get("WebIdentityToken")], ["AssumeRoleWithWebIdentity", "jwt"]);
      given += 1;
      const keys = { AccessKeyId: `A${given}`, SecretAccessKey: "s", SessionToken: `t${given}` };
      const credentials = { ...keys, Expiration: clock.wall() / 1_000 + 3_600 };
      return ok({
        AssumeRoleWithWebIdentityResponse: { AssumeRoleWithWebIdentityResult: { Credentials: credentials } },
      });
    },
    [SECRETS_MANAGER]: ({ headers }) => ok({ SecretString: `{"key":"${headers!["x-amz-security-token"]}"}` }),
  });
  const webIdentity = { roleArn: "arn:aws:iam::1:role/x", tokenFile: file(t, "jwt\n") };
  const aws = createAwsClient({ ...NOTHING, webIdentity }, send, clock);
  assert.equal(await aws.read(AWS_SECRET), "t1");
  assert.equal(await aws.read(AWS_SECRET), "t1");
  await clock.advance(3_400_000);
  assert.equal(await aws.read(AWS_SECRET), "t2");
});

test("a container takes its role from its endpoint", async (t) => {
  const { send } = scripted({
    "http://169.254.170.23/v1/credentials": ({ headers }) => {
      assert.equal(headers!["authorization"], "pod-token");
      return ok({ AccessKeyId: "A", SecretAccessKey: "s", Token: "t", Expiration: "2999-01-01T00:00:00Z" });
    },
    [SECRETS_MANAGER]: ok({ SecretString: '{"key":"value"}' }),
  });
  const container = { url: "http://169.254.170.23/v1/credentials", tokenFile: file(t, "pod-token") };
  assert.equal(await createAwsClient({ ...NOTHING, container }, send, new FakeClock()).read(AWS_SECRET), "value");
});

test("a refusal of AWS is final and names its kind only, and a failure is not final", async () => {
  for (const [reply, message, isFinal] of [
    [
      { status: 400, text: '{"__type":"ResourceNotFoundException","Message":"planted"}' },
      "AWS has answered ResourceNotFoundException",
      true,
    ],
    [{ status: 400, text: '{"__type":"x#AccessDeniedException"}' }, "AWS has answered AccessDeniedException", true],
    [{ status: 400, text: '{"__type":"ThrottlingException"}' }, "AWS has answered ThrottlingException", false],
    [{ status: 503, text: "planted" }, "AWS has answered status 503", false],
    [ok({ SecretBinary: "planted" }), 'the secret has no text "SecretString"', true],
  ] as const) {
    const { send } = scripted({ [SECRETS_MANAGER]: reply });
    const aws = createAwsClient({ ...NOTHING, keys: KEYS }, send, new FakeClock());
    await assert.rejects(aws.read(AWS_SECRET), (error: SecretUnavailable) => {
      assert.deepEqual([error.message, error.isFinal], [message, isFinal]);
      return true;
    });
  }
});

const METADATA = "http://metadata.google.internal";
const GOOGLE_SECRET = { kind: "gcp-sm", project: "p", secret: "acme", version: "latest", key: null } as const;
const SECRET_MANAGER = "https://secretmanager.googleapis.com/v1/projects/p/secrets/acme/versions/latest:access";

test("a secret of Google is read with the token of the machine, which is fetched once", async () => {
  const { send, sent } = scripted({
    [METADATA]: ok({ access_token: "machine", expires_in: 3_600 }),
    [SECRET_MANAGER]: ({ headers }) => {
      assert.equal(headers!["authorization"], "Bearer machine");
      return ok({ payload: { data: Buffer.from("value").toString("base64") } });
    },
  });
  const read = createGoogleReader(
    { keyFile: undefined, metadata: METADATA, endpoint: undefined },
    send,
    new FakeClock(),
  );
  assert.deepEqual(await Promise.all([read(GOOGLE_SECRET), read(GOOGLE_SECRET)]), ["value", "value"]);
  assert.deepEqual(sent[0]!.headers, { "metadata-flavor": "Google" });
  assert.equal(sent.filter(({ url }) => url.startsWith(METADATA)).length, 1);
});

test("a service account signs for its token", async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const key = {
    client_email: "datarun@p.example",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    token_uri: "https://oauth2.googleapis.com/token",
  };
  const { send } = scripted({
    [key.token_uri]: ({ body }) => {
      const [head, claims, signature] = new URLSearchParams(body).get("assertion")!.split(".");
      const isSigned = verify(
        "RSA-SHA256",
        Buffer.from(`${head}.${claims}`),
        createPublicKey(publicKey.export({ type: "spki", format: "pem" })),
        Buffer.from(signature!, "base64url"),
      );
      const { iss, aud } = JSON.parse(Buffer.from(claims!, "base64url").toString());
      assert.deepEqual([isSigned, iss, aud], [true, key.client_email, key.token_uri]);
      return ok({ access_token: "account", expires_in: 3_600 });
    },
    [SECRET_MANAGER]: ok({ payload: { data: Buffer.from("value").toString("base64") } }),
  });
  const keyFile = file(t, JSON.stringify(key));
  const read = createGoogleReader({ keyFile, metadata: METADATA, endpoint: undefined }, send, new FakeClock());
  assert.equal(await read(GOOGLE_SECRET), "value");
});

const AZURE_SECRET = { kind: "azure-kv", vault: "vault-1", secret: "acme", version: null, key: null } as const;
const KEY_VAULT = "https://vault-1.vault.azure.net/secrets/acme?api-version=7.4";

test("a secret of Azure is read by an application, with its secret or a pod's token, or by the machine", async (t) => {
  const authority = "https://login.microsoftonline.com";
  const app = { authority, tenant: "t", clientId: "c", secret: undefined, tokenFile: undefined };
  const ways = [
    { application: { ...app, secret: "s" }, login: `${authority}/t/oauth2/v2.0/token`, field: ["client_secret", "s"] },
    {
      application: { ...app, tokenFile: file(t, "jwt\n") },
      login: `${authority}/t/oauth2/v2.0/token`,
      field: ["client_assertion", "jwt"],
    },
    { application: undefined, login: "http://169.254.169.254/metadata/identity/oauth2/token", field: null },
  ];
  for (const { application, login, field } of ways) {
    const { send, sent } = scripted({
      [login]: ok({ access_token: "token", expires_in: "3599" }),
      [KEY_VAULT]: ok({ value: "value" }),
    });
    const access = { application, metadata: "http://169.254.169.254", endpoint: undefined };
    assert.equal(await createAzureReader(access, send, new FakeClock())(AZURE_SECRET), "value");
    if (field !== null) assert.equal(new URLSearchParams(sent[0]!.body).get(field[0]!), field[1]);
    assert.deepEqual(sent[1]!.headers, { authorization: "Bearer token" });
  }
});

test("a secret that Google or Azure refuses is final", async () => {
  const { send } = scripted({
    [METADATA]: ok({ access_token: "t", expires_in: 60 }),
    "http://169.254.169.254": ok({ access_token: "t", expires_in: 60 }),
    [SECRET_MANAGER]: { status: 403, text: "planted" },
    [KEY_VAULT]: { status: 404, text: "planted" },
  });
  const google = createGoogleReader(
    { keyFile: undefined, metadata: METADATA, endpoint: undefined },
    send,
    new FakeClock(),
  );
  const access = { application: undefined, metadata: "http://169.254.169.254", endpoint: undefined };
  const azure = createAzureReader(access, send, new FakeClock());
  for (const [read, message] of [
    [google(GOOGLE_SECRET), "Secret Manager has answered 403"],
    [azure(AZURE_SECRET), "Key Vault has answered 404"],
  ] as const)
    await assert.rejects(read, (error: SecretUnavailable) => error.isFinal && error.message === message);
});
