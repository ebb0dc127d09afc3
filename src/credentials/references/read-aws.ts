import type { Clock } from "../../terms/time/clock.ts";
import { memberOf, objectAt, parseObject, textOf } from "./member-of.ts";
import { SecretUnavailable } from "./secret-unavailable.ts";
import type { ReadSecret, SecretRequest } from "./ports.ts";
import type { SecretReference } from "./reference.ts";
import { readTokenFile } from "./short-lived-token.ts";
import { type AwsKeys, signAws } from "./sign-aws.ts";

/** How the process proves who it is to AWS, the first that is given: keys, the token of a pod, or a container's role. */
export interface AwsAccess {
  readonly keys: AwsKeys | undefined;
  readonly webIdentity: { readonly roleArn: string; readonly tokenFile: string } | undefined;
  readonly container: { readonly url: string; readonly tokenFile: string | undefined } | undefined;
  /** In place of the services' own addresses. */
  readonly endpoint: string | undefined;
}

export interface AwsClient {
  readonly read: ReadSecret<Extract<SecretReference, { kind: "aws-sm" }>>;
  /** Decrypts with a key of KMS. Returns the plain bytes in base64. @throws SecretUnavailable */
  decrypt(region: string, keyId: string, ciphertext: string): Promise<string>;
}

/** Temporary keys are replaced this long before they expire. */
const EARLY_MS = 5 * 60_000;

export function createAwsClient(access: AwsAccess, send: SecretRequest, clock: Clock): AwsClient {
  let temporary: { readonly keys: AwsKeys; readonly until: number } | null = null;

  async function keysFor(region: string): Promise<AwsKeys> {
    if (access.keys !== undefined) return access.keys;
    if (temporary !== null && clock.wall() < temporary.until) return temporary.keys;
    const found = await (access.webIdentity === undefined ? ofContainer() : ofWebIdentity(region));
    const text = (name: string) => textOf(found, name);
    const keys = {
      accessKeyId: text("AccessKeyId"),
      secretAccessKey: text("SecretAccessKey"),
      sessionToken: text(Object.hasOwn(found, "Token") ? "Token" : "SessionToken"),
    };
    const expires = found["Expiration"];
    const at = typeof expires === "number" ? expires * 1_000 : Date.parse(String(expires));
    temporary = { keys, until: (Number.isFinite(at) ? at : clock.wall() + 2 * EARLY_MS) - EARLY_MS };
    return keys;
  }

  async function ofWebIdentity(region: string) {
    const { roleArn, tokenFile } = access.webIdentity!;
    const form = new URLSearchParams({
      Action: "AssumeRoleWithWebIdentity",
      Version: "2011-06-15",
      RoleArn: roleArn,
      RoleSessionName: "datarun",
      WebIdentityToken: await readTokenFile(tokenFile),
    });
    const { status, text } = await send({
      method: "POST",
      url: access.endpoint ?? `https://sts.${region}.amazonaws.com/`,
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: form.toString(),
    });
    const found = objectAt(
      parseObject(text),
      "AssumeRoleWithWebIdentityResponse",
      "AssumeRoleWithWebIdentityResult",
      "Credentials",
    );
    if (status !== 200 || found === null) throw new SecretUnavailable(`AWS has not given the role (${status})`);
    return found;
  }

  async function ofContainer() {
    if (access.container === undefined)
      throw new SecretUnavailable("no access to AWS is configured", { isFinal: true });
    const { url, tokenFile } = access.container;
    const authorization = tokenFile === undefined ? undefined : await readTokenFile(tokenFile);
    const { status, text } = await send({
      method: "GET",
      url,
      ...(authorization !== undefined && { headers: { authorization } }),
    });
    const found = parseObject(text);
    if (status !== 200 || found === null) throw new SecretUnavailable(`the container's role was not given (${status})`);
    return found;
  }

  async function call(service: string, target: string, region: string, payload: object) {
    const url = new URL(access.endpoint ?? `https://${service}.${region}.amazonaws.com/`);
    const headers = { "content-type": "application/x-amz-json-1.1", "x-amz-target": target };
    const body = JSON.stringify(payload);
    const signed = signAws({ url, service, region, headers, body }, await keysFor(region), clock.wall());
    const { status, text } = await send({ method: "POST", url: url.href, headers: signed, body });
    const reply = parseObject(text);
    if (status === 200 && reply !== null) return reply;
    const type = reply?.["__type"];
    const name =
      typeof type === "string"
        ? type
            .replace(/^.*#/, "")
            .replaceAll(/[^A-Za-z]/g, "")
            .slice(0, 60)
        : `status ${status}`;
    // Keys that have expired are replaced.
    if (/ExpiredToken|UnrecognizedClient|InvalidSignature/.test(name)) temporary = null;
    const isFinal = status === 400 && !/Expired|Throttl|Internal|Unrecognized|InvalidSignature/.test(name);
    throw new SecretUnavailable(`AWS has answered ${name}`, { isFinal });
  }

  return {
    async read({ region, secret, key }) {
      const reply = await call("secretsmanager", "secretsmanager.GetSecretValue", region, { SecretId: secret });
      return memberOf(textOf(reply, "SecretString"), key);
    },
    async decrypt(region, keyId, ciphertext) {
      const reply = await call("kms", "TrentService.Decrypt", region, { CiphertextBlob: ciphertext, KeyId: keyId });
      return textOf(reply, "Plaintext");
    },
  };
}
