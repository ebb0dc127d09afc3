import { createAwsClient } from "../credentials/references/read-aws.ts";
import { createAzureReader } from "../credentials/references/read-azure.ts";
import { createFileReader } from "../credentials/references/read-file.ts";
import { createGoogleReader } from "../credentials/references/read-google.ts";
import { createVaultClient, type VaultClient } from "../credentials/references/read-vault.ts";
import type { SecretRequest } from "../credentials/references/ports.ts";
import { SecretUnavailable } from "../credentials/references/secret-unavailable.ts";
import { Trust } from "../outbound/sockets/trust.ts";
import type { ReadSecretVariable } from "../settings/secret-variables.ts";
import type { Settings } from "../settings/settings.ts";
import { createBoundedFetch } from "../terms/http/bounded-fetch.ts";
import type { Clock } from "../terms/time/clock.ts";
import { readAuthorities } from "./open-vendor-clients.ts";

/** The settings that say where secrets are. */
export type SecretSettings = Pick<Settings, "secrets" | "secretVariable"> & {
  readonly outbound: Pick<Settings["outbound"], "caFile" | "proxy">;
};

export type SecretStores = ReturnType<typeof openSecretStores>;

const KUBERNETES_TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token";
const ECS = "http://169.254.170.2";
const AZURE_METADATA = "http://169.254.169.254";
/** Nothing is waited for longer, also when nobody waits any more. */
const REQUEST_MAX_MS = 10_000;

/** @throws SecretUnavailable from `vault` if there is no address of one */
export function openSecretStores({ secrets, secretVariable: given, outbound }: SecretSettings, clock: Clock) {
  const [send, sendOut] = [
    once(() => secretRequest(outbound.caFile)),
    once(() => secretRequest(outbound.caFile, outbound.proxy)),
  ];
  const sending: SecretRequest = (request) => send()(request);
  // Clouds are asked through the egress proxy. An address that the operator has named is in the deployment's network.
  const toCloud: SecretRequest = (request) => sendOut()(request);
  const toAws = given("AWS_ENDPOINT_URL") === undefined ? toCloud : sending;
  return {
    file: createFileReader(secrets.files),
    vault: once(() => openVault(given, sending, clock)),
    aws: once(() => createAwsClient(awsAccess(given), toAws, clock)),
    google: once(() =>
      createGoogleReader(
        {
          keyFile: given("GOOGLE_APPLICATION_CREDENTIALS"),
          metadata: `http://${given("GCE_METADATA_HOST") ?? "metadata.google.internal"}`,
          endpoint: undefined,
        },
        toCloud,
        clock,
      ),
    ),
    azure: once(() => createAzureReader(azureAccess(given), toCloud, clock)),
  };
}

function openVault(given: ReadSecretVariable, send: SecretRequest, clock: Clock): VaultClient {
  const address = given("VAULT_ADDR");
  if (address === undefined)
    throw new SecretUnavailable("VAULT_ADDR, the address of the vault, is not set", { isFinal: true });
  const [roleId, role] = [given("VAULT_ROLE_ID"), given("VAULT_KUBERNETES_ROLE")];
  const hasToken = given("VAULT_TOKEN") !== undefined;
  if (!hasToken && roleId === undefined && role === undefined)
    throw new SecretUnavailable("none of VAULT_TOKEN, VAULT_ROLE_ID and VAULT_KUBERNETES_ROLE is set", {
      isFinal: true,
    });
  return createVaultClient(
    {
      address,
      namespace: given("VAULT_NAMESPACE"),
      token: hasToken ? () => given("VAULT_TOKEN") ?? "" : undefined,
      appRole:
        roleId === undefined
          ? undefined
          : {
              roleId,
              mount: given("VAULT_APPROLE_MOUNT") ?? "approle",
              secretId: () => given("VAULT_SECRET_ID") ?? "",
            },
      kubernetes:
        role === undefined
          ? undefined
          : {
              role,
              mount: given("VAULT_KUBERNETES_MOUNT") ?? "kubernetes",
              tokenFile: given("VAULT_KUBERNETES_TOKEN_FILE") ?? KUBERNETES_TOKEN,
            },
    },
    send,
    clock,
  );
}

function awsAccess(given: ReadSecretVariable): Parameters<typeof createAwsClient>[0] {
  const [accessKeyId, secretAccessKey] = [given("AWS_ACCESS_KEY_ID"), given("AWS_SECRET_ACCESS_KEY")];
  const [roleArn, tokenFile] = [given("AWS_ROLE_ARN"), given("AWS_WEB_IDENTITY_TOKEN_FILE")];
  const relative = given("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const url = given("AWS_CONTAINER_CREDENTIALS_FULL_URI") ?? (relative === undefined ? undefined : ECS + relative);
  return {
    keys:
      accessKeyId === undefined || secretAccessKey === undefined
        ? undefined
        : { accessKeyId, secretAccessKey, sessionToken: given("AWS_SESSION_TOKEN") },
    webIdentity: roleArn === undefined || tokenFile === undefined ? undefined : { roleArn, tokenFile },
    container: url === undefined ? undefined : { url, tokenFile: given("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") },
    endpoint: given("AWS_ENDPOINT_URL"),
  };
}

function azureAccess(given: ReadSecretVariable): Parameters<typeof createAzureReader>[0] {
  const [tenant, clientId] = [given("AZURE_TENANT_ID"), given("AZURE_CLIENT_ID")];
  return {
    application:
      tenant === undefined || clientId === undefined
        ? undefined
        : {
            tenant,
            clientId,
            authority: given("AZURE_AUTHORITY_HOST") ?? "https://login.microsoftonline.com",
            secret: given("AZURE_CLIENT_SECRET"),
            tokenFile: given("AZURE_FEDERATED_TOKEN_FILE"),
          },
    metadata: AZURE_METADATA,
    endpoint: undefined,
  };
}

/** Sends requests to stores of secrets. Their certificates are checked as those of vendors are. */
function secretRequest(caFile: string | undefined, proxy?: string): SecretRequest {
  const ask = createBoundedFetch(new Trust(readAuthorities(caFile)).contextFor(undefined), proxy);
  return async ({ method, url, headers = {}, body }) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const signal = AbortSignal.timeout(REQUEST_MAX_MS);
    const reply = await ask(url, { method, headers: { ...headers, ...length }, body, signal }).catch(
      (cause: unknown) => {
        throw new SecretUnavailable(whyNot(cause), { cause });
      },
    );
    return { status: reply.status, text: await reply.text() };
  };
}

function whyNot(cause: unknown): string {
  const { code, name } = (cause ?? {}) as { readonly code?: unknown; readonly name?: string };
  if (name === "TimeoutError") return "it cannot be reached (no answer)";
  // Failures of connections have a code; replies that are too large, or have an impossible status, have none.
  return typeof code === "string" ? `it cannot be reached (${code})` : "its reply cannot be read";
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
