/** A setting of the operator. Types, options, variables, help and reference are derived from the table below. */
export interface Setting {
  /** The key in the config file; nested keys with a dot. */
  readonly key: string;
  /** The key in earlier versions. It still works in the config file, as an option and as a variable, with a warning. */
  readonly formerKey?: string;
  readonly type: "text" | "number" | "list" | "flag";
  readonly default: string | number | boolean | readonly string[] | undefined;
  readonly says: string;
  /** The environment variable, if it is not `DATARUN_` and the key in capitals. */
  readonly variable?: string;
  readonly min?: number;
  readonly max?: number;
  readonly oneOf?: readonly (string | number)[];
  /** An `http` or `https` URL without a user, a query or a fragment. */
  readonly isUrl?: true;
  /** The value may also be in a file, whose path is in the variable of the same name with the suffix `_FILE`. */
  readonly secret?: boolean;
  /** The setting is neither an option, which everybody on the machine could read, nor a key of the config file. */
  readonly variableOnly?: boolean;
}

const MIB = 1024 * 1024;
/** Node's timers accept at most 24 days, and a wait of hours is a mistake anyway. */
const HOUR_MS = 3_600_000;

export const SETTINGS = [
  { key: "host", type: "text", default: "127.0.0.1", says: "Address on which the public port listens." },
  { key: "port", type: "number", default: 8080, min: 0, max: 65_535, says: "Public port; 0 picks a free one." },
  {
    key: "admin_host",
    type: "text",
    default: "127.0.0.1",
    says: "Address on which the admin port listens. Keep it private.",
  },
  {
    key: "admin_port",
    type: "number",
    default: 8081,
    min: 0,
    max: 65_535,
    says: "Admin port: metrics, probes and the admin API; 0 picks a free one.",
  },
  {
    key: "admin_hosts",
    type: "list",
    default: [],
    says: "Host names, without a port, at which operators reach the admin API, besides those of this machine itself (`localhost`, `127.0.0.1`, `[::1]`). A request that names another host is refused; metrics and probes answer to any.",
  },
  {
    key: "console",
    type: "text",
    default: "on",
    oneOf: ["off", "read_only", "on"],
    says: "The console on the admin port. `read_only`: its sessions can change nothing. `off`: there are neither pages nor sessions. Operators' tokens work in every case.",
  },
  {
    key: "oidc.issuer",
    type: "text",
    default: undefined,
    isUrl: true,
    says: "Address of an OpenID Connect provider with which people log in to the console: its issuer, such as `https://login.acme.example/realms/acme`. Plain `http` is accepted on this machine only.",
  },
  {
    key: "oidc.client_id",
    type: "text",
    default: undefined,
    says: "The client id of this service at the provider. Required with `oidc.issuer`.",
  },
  {
    key: "oidc.client_secret",
    type: "text",
    default: undefined,
    secret: true,
    variableOnly: true,
    says: "The client secret of this service at the provider. Without one, only the code verifier (PKCE) protects the exchange of a code.",
  },
  {
    key: "oidc.scopes",
    type: "list",
    default: ["openid", "profile", "email"],
    says: "Scopes to request from the provider.",
  },
  {
    key: "oidc.name_claim",
    type: "text",
    default: "email",
    says: "The claim that is a person's name in the audit trail. It has to be one that people cannot choose themselves; `email` counts only with `email_verified`. If the claim is missing, the subject is used.",
  },
  {
    key: "oidc.groups_claim",
    type: "text",
    default: "groups",
    says: "The claim that holds a person's groups: a list of texts, or one text.",
  },
  {
    key: "oidc.viewers",
    type: "list",
    default: [],
    says: "Groups whose members have the role viewer. A person in no group that has a role cannot log in; of several roles, the highest counts.",
  },
  { key: "oidc.operators", type: "list", default: [], says: "Groups whose members have the role operator." },
  { key: "oidc.owners", type: "list", default: [], says: "Groups whose members have the role owner." },
  {
    key: "data_dir",
    type: "text",
    default: ".datarun",
    says: "Folder of the embedded store, the root key file and the journal.",
  },
  { key: "project", type: "text", default: undefined, says: "Project folder with your sources and functions." },
  {
    key: "region",
    type: "text",
    default: "local",
    says: "Region of this deployment, on every run of the log and the ledger. Sources and credentials for other regions are refused.",
  },
  {
    key: "catalog",
    type: "list",
    default: [],
    says: "Catalog sources that leave the machine and are to be turned on: ids, or patterns such as `gleif__*`.",
  },
  {
    key: "catalogs",
    type: "list",
    default: [],
    says: "Packages of sources (`datarun-catalog-*`) that are installed in the project. Their sources are on, and must be as `datarun.lock` states.",
  },
  {
    key: "catalog_data",
    type: "text",
    default: undefined,
    says: "Folder with newer data files for offline sources of the catalog. An unusable or unknown file stops the start; one that is not newer is not used.",
  },
  {
    key: "demo",
    type: "flag",
    default: false,
    says: "Turns the whole catalog on, creates a demo organization in an embedded store, and prints commands with a token of it.",
  },
  {
    key: "database_url",
    type: "text",
    default: undefined,
    variable: "DATABASE_URL",
    secret: true,
    says: "Address of a PostgreSQL database (15 or later) to use instead of the embedded store; several machines can share it.",
  },
  {
    key: "root_key",
    type: "text",
    default: undefined,
    secret: true,
    variableOnly: true,
    says: "The root key, which protects stored credentials: 32 bytes in base64, as `openssl rand -base64 32` prints them, or several separated by commas, the newest first. With the embedded store it may be left out: the first start then creates a key file in the data directory. With `DATABASE_URL` it is required.",
  },
  {
    key: "root_key_kms",
    type: "text",
    default: undefined,
    variableOnly: true,
    says: "The key of a key management service by which `DATARUN_ROOT_KEY` is encrypted, `vault-transit://MOUNT/KEY` or `aws-kms://REGION/KEY`. The root key is decrypted there at the start.",
  },
  {
    key: "secrets.ttl_ms",
    type: "number",
    default: 300_000,
    min: 1_000,
    max: 24 * HOUR_MS,
    says: "How long the value of a credential that is kept elsewhere, in a file or a vault, is used before it is read again. It is read earlier after a vendor has rejected it.",
  },
  {
    key: "secrets.files",
    type: "list",
    default: ["/run/secrets"],
    says: "Folders in which credentials may refer to files.",
  },
  {
    key: "deployed_by",
    type: "text",
    default: undefined,
    says: "Who or what deploys, such as the URL of a pipeline's job. It is recorded with each version of a function or source that this start is the first to load, and in the audit trail.",
  },
  {
    key: "ledger_retention_days",
    type: "number",
    default: 0,
    min: 0,
    max: 36_500,
    says: "Runs that started more than so many days ago are deleted from the ledger, unless one of their charges is unknown. 0 keeps all runs.",
  },
  {
    key: "log_level",
    type: "text",
    default: "info",
    oneOf: ["debug", "info", "warn", "error"],
    says: "Lowest level of log lines that are written.",
  },
  {
    key: "otlp_endpoint",
    type: "text",
    default: undefined,
    isUrl: true,
    says: "Address of an OpenTelemetry collector, such as `http://127.0.0.1:4318`. Runs are sent there as spans, and metrics every minute, by OTLP over HTTP in JSON. It comes before the `OTEL_…_ENDPOINT` variables.",
  },
  {
    key: "otlp_sample_percent",
    type: "number",
    default: 100,
    min: 0,
    max: 100,
    says: "Share of the runs that are sent as spans. If a caller sends a `traceparent`, its sampled flag decides instead.",
  },
  {
    key: "overload_status",
    type: "number",
    default: 500,
    oneOf: [500, 503],
    says: "HTTP status of a refusal for overload. Use 503 for load balancers that react to it.",
  },
  {
    key: "outbound.proxy",
    type: "text",
    default: undefined,
    secret: true,
    says: "`http://host:port` of an egress proxy for vendors, the identity provider, and secrets of a cloud. The environment's proxy variables are never read.",
  },
  {
    key: "outbound.ca_file",
    type: "text",
    default: undefined,
    says: "PEM file with certificate authorities to trust in addition to the system's.",
  },
  {
    key: "outbound.private_origins",
    type: "list",
    default: [],
    says: "Origins whose host names may resolve to private addresses, each exactly as its source declares it.",
  },
  {
    key: "outbound.trace_origins",
    type: "list",
    default: [],
    says: "Origins to which the caller's trace id is sent (W3C `traceparent`), each exactly as its source declares it.",
  },
  {
    key: "limits.body_bytes",
    type: "number",
    default: MIB,
    min: 1024,
    says: "Largest size of a request body, in bytes. Each MiB counts four times in `limits.expert.held_bytes`, and can block all runs for 25 ms while it is read.",
  },
  { key: "limits.runs", type: "number", default: 256, min: 1, says: "Most runs in progress at once in one process." },
  {
    key: "limits.runs_per_organization",
    type: "number",
    default: 64,
    min: 1,
    says: "Most runs of one organization in progress at once in one process.",
  },
  {
    key: "limits.vendor_connections",
    type: "number",
    default: 128,
    min: 1,
    says: "Most connections to one vendor origin. One organization alone gets half of them.",
  },
  {
    key: "limits.journal_bytes",
    type: "number",
    default: 0,
    min: 0,
    says: "Largest size of the journal, in bytes. When it is full, new runs are refused before any vendor is called. 0 means the whole disk, except for a twentieth of it or 1 GiB, whichever is less.",
  },
  {
    key: "limits.keep_alive_ms",
    type: "number",
    default: 65_000,
    min: 100,
    max: HOUR_MS,
    says: "How long an idle connection of a client is kept. Choose more than the load balancer's idle timeout.",
  },
  {
    key: "limits.drain_ms",
    type: "number",
    default: 5_000,
    min: 0,
    max: HOUR_MS,
    says: "Time after SIGTERM in which new runs are still accepted, while `/ready` answers 503 and every answer closes its connection. It is a part of `limits.shutdown_grace_ms`, and ends early when no client has been connected for a second.",
  },
  {
    key: "limits.shutdown_grace_ms",
    type: "number",
    default: 25_000,
    min: 0,
    max: HOUR_MS,
    says: "Time after SIGTERM for the whole stop: for accepting runs (`limits.drain_ms`) and for those in progress to finish.",
  },
  {
    key: "limits.expert.request_timeout_ms",
    formerKey: "limits.request_timeout_ms",
    type: "number",
    default: 30_000,
    min: 100,
    max: HOUR_MS,
    says: "Time for a whole request to arrive; its header fields have a third of it. Raising it lets slow clients occupy connections and memory for longer.",
  },
  {
    key: "limits.expert.write_timeout_ms",
    formerKey: "limits.write_timeout_ms",
    type: "number",
    default: 30_000,
    min: 100,
    max: HOUR_MS,
    says: "Time for a client to read its answer. Raising it keeps answers that are not read in memory for longer.",
  },
  {
    key: "limits.expert.connections",
    formerKey: "limits.connections",
    type: "number",
    default: 0,
    min: 0,
    max: 1_000_000,
    says: "Most connections of clients at once. 0 means half of the files that the process may open, at most 10,000, and fewer if memory is small. Raising it takes memory for each connection, and files that are then missing for connections to vendors.",
  },
  {
    key: "limits.expert.held_bytes",
    formerKey: "limits.held_bytes",
    type: "number",
    default: 0,
    min: 0,
    says: "Most bytes of requests, replies and answers in memory at once, shared fairly by organizations. 0 means an eighth of the memory that the process may use. Raising it can take three times as much memory.",
  },
  {
    key: "limits.expert.function_processes",
    formerKey: "limits.function_processes",
    type: "number",
    default: 0,
    min: 0,
    max: 64,
    says: "Most organizations whose functions run at the same time, each in a process of its own; one more is kept ready. 0 means from 2 to 16, by the memory of the container or machine. Raising it takes 160 to 320 MiB for each process.",
  },
  {
    key: "limits.expert.vendor_queue",
    formerKey: "limits.vendor_queue",
    type: "number",
    default: 512,
    min: 0,
    says: "Most calls that may wait for a connection to one vendor origin. One organization alone gets half of them. Raising it keeps more runs and their memory waiting, for a second at most.",
  },
  {
    key: "limits.expert.vendor_connect_ms",
    formerKey: "limits.vendor_connect_ms",
    type: "number",
    default: 5000,
    min: 10,
    max: HOUR_MS,
    says: "Time to connect to a vendor, the look-up of its name and TLS included. Raising it makes runs wait longer for a vendor that cannot be reached, and the circuit breaker opens later.",
  },
  {
    key: "limits.expert.reply_decoded_bytes",
    formerKey: "limits.reply_decoded_bytes",
    type: "number",
    default: 2 * MIB,
    min: 1024,
    says: "Largest size of a vendor's reply, as it is sent and after decoding, in bytes. Raising it blocks all runs for longer: for 25 ms while each MiB of a reply is read.",
  },
] as const satisfies readonly Setting[];

/** The name of a setting on the command line. */
export function optionOf({ key }: Pick<Setting, "key">): string {
  return key.replaceAll(/[._]/g, "-");
}

/** The name of a setting in the environment. */
export function variableOf({ key, variable }: Pick<Setting, "key" | "variable">): string {
  return variable ?? `DATARUN_${key.replaceAll(".", "_").toUpperCase()}`;
}

/** The environment variable for the path of a secret's file; `null` for settings that are not secret. */
export function fileVariableOf(setting: Setting): string | null {
  return setting.secret === true ? `${variableOf(setting)}_FILE` : null;
}
