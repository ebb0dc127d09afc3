import { ConfigError } from "./config-error.ts";
import { isPlainUrl } from "./plain-url.ts";
import { readVariable } from "./read-secret-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface SecretVariable {
  readonly says: string;
  /** An `http` or `https` address without a user, a query or a fragment. */
  readonly isUrl?: true;
  /** The value may also be in a file whose path is in the variable of the same name with the suffix `_FILE`. */
  readonly secret?: true;
}

/** The variables that say how to reach stores of secrets. Where a store has usual names for them, these are the names. */
export const SECRET_VARIABLES = {
  VAULT_ADDR: {
    says: "Address of HashiCorp Vault or OpenBao, such as `https://vault.acme.example:8200`.",
    isUrl: true,
  },
  VAULT_NAMESPACE: { says: "The namespace in which mounts are." },
  VAULT_TOKEN: { says: "A token of the vault. It is not renewed.", secret: true },
  VAULT_ROLE_ID: { says: "Log in as this AppRole." },
  VAULT_SECRET_ID: { says: "The secret id of the AppRole.", secret: true },
  VAULT_APPROLE_MOUNT: { says: "Where the AppRole method is mounted; `approle` by default." },
  VAULT_KUBERNETES_ROLE: { says: "Log in as a pod, with this role." },
  VAULT_KUBERNETES_MOUNT: { says: "Where the Kubernetes method is mounted; `kubernetes` by default." },
  VAULT_KUBERNETES_TOKEN_FILE: {
    says: "The file with the pod's token; `/var/run/secrets/kubernetes.io/serviceaccount/token` by default.",
  },
  AWS_ACCESS_KEY_ID: { says: "Access key for Secrets Manager and KMS." },
  AWS_SECRET_ACCESS_KEY: { says: "Its secret key.", secret: true },
  AWS_SESSION_TOKEN: { says: "The session token of temporary keys.", secret: true },
  AWS_ROLE_ARN: { says: "The role to take with the token of `AWS_WEB_IDENTITY_TOKEN_FILE`." },
  AWS_WEB_IDENTITY_TOKEN_FILE: { says: "The file with the pod's token for AWS." },
  AWS_CONTAINER_CREDENTIALS_FULL_URI: { says: "Where the keys of the container's role are.", isUrl: true },
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: { says: "The same as a path at `http://169.254.170.2`." },
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: { says: "The file with the token to send there." },
  AWS_ENDPOINT_URL: { says: "Address to use in place of those of AWS.", isUrl: true },
  GOOGLE_APPLICATION_CREDENTIALS: {
    says: "The key file of a service account. Without it, the metadata server of the machine is asked.",
  },
  GCE_METADATA_HOST: { says: "Host of the metadata server; `metadata.google.internal` by default." },
  AZURE_AUTHORITY_HOST: {
    says: "Where applications log in; `https://login.microsoftonline.com` by default.",
    isUrl: true,
  },
  AZURE_TENANT_ID: { says: "The tenant of the application." },
  AZURE_CLIENT_ID: { says: "Log in as this application. Without it, the identity of the machine is used." },
  AZURE_CLIENT_SECRET: { says: "Its secret.", secret: true },
  AZURE_FEDERATED_TOKEN_FILE: { says: "The file with the pod's token, in place of the secret." },
} as const satisfies Record<string, SecretVariable>;

export type SecretVariableName = keyof typeof SECRET_VARIABLES;

/**
 * The current value of a variable; undefined if it is not set. @throws ConfigError
 */
export type ReadSecretVariable = (name: SecretVariableName) => string | undefined;

/** @throws ConfigError for an address that is none, or a file that cannot be read */
export function readSecretVariables(environment: Environment): ReadSecretVariable {
  const values = new Map(
    Object.entries<SecretVariable>(SECRET_VARIABLES).map(([name, { isUrl, secret }]) => {
      const value = readVariable(environment, name, secret === true ? `${name}_FILE` : null);
      if (typeof value === "string" && isUrl === true && !isPlainUrl(value))
        throw new ConfigError(`${name} must be an http or https address without a user, a query or a fragment`);
      return [name, value];
    }),
  );
  return (name) => {
    const value = values.get(name);
    return typeof value === "function" ? value() : value;
  };
}
