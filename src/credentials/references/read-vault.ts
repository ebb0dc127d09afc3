import type { Clock } from "../../terms/time/clock.ts";
import { HOUR_MS } from "../../terms/time/durations.ts";
import { readTokenFile, StoreLogin, type ShortLivedToken } from "./short-lived-token.ts";
import { objectAt, parseObject, textOf } from "./member-of.ts";
import { SecretUnavailable } from "./secret-unavailable.ts";
import type { ReadSecret, SecretReply, SecretRequest } from "./ports.ts";
import type { SecretReference } from "./reference.ts";

/** How to reach HashiCorp Vault or OpenBao, and how to log in: with a token, as an AppRole, or as a Kubernetes pod. */
export interface VaultAccess {
  readonly address: string;
  readonly namespace: string | undefined;
  readonly token: (() => string) | undefined;
  readonly appRole: { readonly mount: string; readonly roleId: string; readonly secretId: () => string } | undefined;
  readonly kubernetes: { readonly mount: string; readonly role: string; readonly tokenFile: string } | undefined;
}

export interface VaultClient {
  readonly read: ReadSecret<Extract<SecretReference, { kind: "vault" }>>;
  /** Decrypts with a key of the transit engine. Returns the plain bytes in base64. @throws SecretUnavailable */
  decrypt(mount: string, key: string, ciphertext: string): Promise<string>;
}

/** A login without a stated lifetime is used this long. */
const LOGIN_MS = HOUR_MS;

export function createVaultClient(access: VaultAccess, send: SecretRequest, clock: Clock): VaultClient {
  const base = access.address.replace(/\/+$/, "");
  const space = access.namespace === undefined ? {} : { "x-vault-namespace": access.namespace };
  const login = new StoreLogin(clock, () => logIn(access, post));

  function post(path: string, body: object): Promise<SecretReply> {
    const headers = { ...space, "content-type": "application/json" };
    return send({ method: "POST", url: `${base}/v1/${path}`, headers, body: JSON.stringify(body) });
  }

  async function authorized(method: "GET" | "POST", path: string, body?: object): Promise<SecretReply> {
    const request = async () =>
      send({
        method,
        url: `${base}/v1/${path}`,
        headers: {
          ...space,
          "x-vault-request": "true",
          "x-vault-token": access.token === undefined ? await login.get() : access.token(),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const reply = await request();
    // The login may have been revoked before its time.
    if (reply.status !== 403 || access.token !== undefined) return reply;
    login.drop();
    return request();
  }

  return {
    async read({ version, mount, path, key }) {
      const address = `${mount}/${version === 2 ? "data/" : ""}${path.split("/").map(encodeURIComponent).join("/")}`;
      const data = objectAt(dataOf(await authorized("GET", address)), "data");
      const secret = version === 2 ? objectAt(data, "data") : data;
      if (secret === null) throw new SecretUnavailable("the vault's reply has no secret");
      return textOf(secret, key);
    },
    async decrypt(mount, key, ciphertext) {
      const path = `${mount}/decrypt/${encodeURIComponent(key)}`;
      const reply = dataOf(await authorized("POST", path, { ciphertext }), "key");
      return textOf(objectAt(reply, "data") ?? {}, "plaintext");
    },
  };
}

async function logIn(
  { appRole, kubernetes }: VaultAccess,
  post: (path: string, body: object) => Promise<SecretReply>,
): Promise<ShortLivedToken> {
  const reply =
    appRole !== undefined
      ? await post(`auth/${appRole.mount}/login`, { role_id: appRole.roleId, secret_id: appRole.secretId() })
      : await post(`auth/${kubernetes!.mount}/login`, {
          role: kubernetes!.role,
          jwt: await readTokenFile(kubernetes!.tokenFile),
        });
  const auth = objectAt(dataOf(reply, "login"), "auth");
  const seconds = auth?.["lease_duration"];
  const isLimited = typeof seconds === "number" && seconds > 0;
  return { token: textOf(auth ?? {}, "client_token"), lifetimeMs: isLimited ? seconds * 1_000 : LOGIN_MS };
}

/** @throws SecretUnavailable for a status that is not 200 */
function dataOf(
  { status, text }: SecretReply,
  asked: "secret" | "key" | "login" = "secret",
): Readonly<Record<string, unknown>> {
  const what = asked === "login" ? "the login at the vault" : "the vault";
  if (status === 200) {
    const object = parseObject(text);
    if (object === null) throw new SecretUnavailable(`${what} has answered something that is not JSON`);
    return object;
  }
  if (status === 404) throw new SecretUnavailable(`the vault has no ${asked} at this path`, { isFinal: true });
  if (status === 403) throw new SecretUnavailable(`${what} has refused access (403)`, { isFinal: true });
  if (status === 503) throw new SecretUnavailable("the vault is sealed or in maintenance (503)");
  throw new SecretUnavailable(`${what} has answered ${status}`, {
    isFinal: status >= 400 && status < 500 && status !== 429,
  });
}
