import { readFile } from "node:fs/promises";
import { createSign } from "node:crypto";
import type { Clock } from "../../terms/time/clock.ts";
import { StoreLogin, type ShortLivedToken, tokenIn } from "./short-lived-token.ts";
import { memberOf, objectAt, parseObject, textOf } from "./member-of.ts";
import { SecretUnavailable } from "./secret-unavailable.ts";
import type { ReadSecret, SecretRequest } from "./ports.ts";
import type { SecretReference } from "./reference.ts";

/** How the process proves who it is to Google Cloud: the key file of a service account, or the metadata server. */
export interface GoogleAccess {
  readonly keyFile: string | undefined;
  /** Address of the metadata server. */
  readonly metadata: string;
  /** In place of Secret Manager's own address. */
  readonly endpoint: string | undefined;
}

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";

export function createGoogleReader(
  { keyFile, metadata, endpoint = "https://secretmanager.googleapis.com" }: GoogleAccess,
  send: SecretRequest,
  clock: Clock,
): ReadSecret<Extract<SecretReference, { kind: "gcp-sm" }>> {
  const token = new StoreLogin(clock, () => (keyFile === undefined ? ofMetadata() : ofKeyFile(keyFile)));

  async function ofMetadata(): Promise<ShortLivedToken> {
    const url = `${metadata}/computeMetadata/v1/instance/service-accounts/default/token`;
    return tokenIn(await send({ method: "GET", url, headers: { "metadata-flavor": "Google" } }));
  }

  async function ofKeyFile(path: string): Promise<ShortLivedToken> {
    const key = parseObject(await readFile(path, "utf8").catch(() => ""));
    if (key === null) throw new SecretUnavailable("the key file of the service account cannot be read");
    const [issuer, privateKey, audience] = ["client_email", "private_key", "token_uri"].map((name) =>
      textOf(key, name),
    );
    const issuedAt = Math.floor(clock.wall() / 1_000);
    const claims = { iss: issuer, scope: SCOPE, aud: audience, iat: issuedAt, exp: issuedAt + 3_600 };
    const signed = [{ alg: "RS256", typ: "JWT" }, claims].map((part) => base64url(JSON.stringify(part))).join(".");
    const signature = createSign("RSA-SHA256").update(signed).sign(privateKey!, "base64url");
    const body = new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: `${signed}.${signature}`,
    });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return tokenIn(await send({ method: "POST", url: audience!, headers, body: body.toString() }));
  }

  return async ({ project, secret, version, key }) => {
    const url = `${endpoint}/v1/projects/${project}/secrets/${secret}/versions/${version}:access`;
    const { status, text } = await send({
      method: "GET",
      url,
      headers: { authorization: `Bearer ${await token.get()}` },
    });
    if (status === 401) token.drop();
    if (status !== 200)
      throw new SecretUnavailable(`Secret Manager has answered ${status}`, {
        isFinal: status === 403 || status === 404,
      });
    const payload = objectAt(parseObject(text), "payload");
    return memberOf(Buffer.from(textOf(payload ?? {}, "data"), "base64").toString("utf8"), key);
  };
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}
