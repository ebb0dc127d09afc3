import type { Clock } from "../../terms/time/clock.ts";
import { readTokenFile, StoreLogin, type ShortLivedToken, tokenIn } from "./short-lived-token.ts";
import { memberOf, parseObject, textOf } from "./member-of.ts";
import { SecretUnavailable } from "./secret-unavailable.ts";
import type { ReadSecret, SecretRequest } from "./ports.ts";
import type { SecretReference } from "./reference.ts";

/** How the process proves who it is to Azure, the first that is given: an application, or the machine's identity. */
export interface AzureAccess {
  readonly application:
    | {
        readonly authority: string;
        readonly tenant: string;
        readonly clientId: string;
        readonly secret: string | undefined;
        /** The token of a pod, in place of the secret. */
        readonly tokenFile: string | undefined;
      }
    | undefined;
  /** Address of the metadata service. */
  readonly metadata: string;
  /** In place of the vaults' own addresses. */
  readonly endpoint: string | undefined;
}

const RESOURCE = "https://vault.azure.net";
const ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

export function createAzureReader(
  { application, metadata, endpoint }: AzureAccess,
  send: SecretRequest,
  clock: Clock,
): ReadSecret<Extract<SecretReference, { kind: "azure-kv" }>> {
  const token = new StoreLogin(clock, () => (application === undefined ? ofMachine() : ofApplication(application)));

  async function ofMachine(): Promise<ShortLivedToken> {
    const query = new URLSearchParams({ "api-version": "2018-02-01", resource: RESOURCE });
    const url = `${metadata}/metadata/identity/oauth2/token?${query.toString()}`;
    return tokenIn(await send({ method: "GET", url, headers: { metadata: "true" } }));
  }

  async function ofApplication(app: NonNullable<AzureAccess["application"]>): Promise<ShortLivedToken> {
    const proof: Record<string, string> =
      app.tokenFile === undefined
        ? { client_secret: app.secret ?? "" }
        : {
            client_assertion_type: ASSERTION,
            client_assertion: await readTokenFile(app.tokenFile),
          };
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: app.clientId,
      scope: `${RESOURCE}/.default`,
      ...proof,
    });
    const url = `${app.authority.replace(/\/+$/, "")}/${app.tenant}/oauth2/v2.0/token`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return tokenIn(await send({ method: "POST", url, headers, body: body.toString() }));
  }

  return async ({ vault, secret, version, key }) => {
    const base = endpoint ?? `https://${vault}.vault.azure.net`;
    const path = version === null ? secret : `${secret}/${version}`;
    const { status, text } = await send({
      method: "GET",
      url: `${base}/secrets/${path}?api-version=7.4`,
      headers: { authorization: `Bearer ${await token.get()}` },
    });
    if (status === 401) token.drop();
    if (status !== 200)
      throw new SecretUnavailable(`Key Vault has answered ${status}`, { isFinal: status === 403 || status === 404 });
    return memberOf(textOf(parseObject(text) ?? {}, "value"), key);
  };
}
