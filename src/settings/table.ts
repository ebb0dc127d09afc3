/** One thing an operator can set. From the list below come the types, the options, the variables, the help and the reference. */
export interface Setting {
  /** The key in the config file; nested keys with a dot. */
  readonly key: string;
  readonly type: "text" | "number" | "list" | "flag";
  readonly default: string | number | boolean | readonly string[] | undefined;
  readonly says: string;
  /** Where the environment's name is not `DATARUN_` and the key in capitals. */
  readonly variable?: string;
  readonly min?: number;
  readonly max?: number;
  readonly oneOf?: readonly (string | number)[];
}

const MIB = 1024 * 1024;
/** Node's timers take no more than 24 days; a wait of hours is a mistake already. */
const HOUR_MS = 3_600_000;

export const SETTINGS = [
  { key: "host", type: "text", default: "127.0.0.1", says: "Address the public port listens on." },
  { key: "port", type: "number", default: 8080, min: 0, max: 65_535, says: "Public port; 0 picks a free one." },
  {
    key: "admin_host",
    type: "text",
    default: "127.0.0.1",
    says: "Address the admin port listens on. Keep it private.",
  },
  {
    key: "admin_port",
    type: "number",
    default: 8081,
    min: 0,
    max: 65_535,
    says: "Admin port: metrics and probes; 0 picks a free one.",
  },
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
    says: "Region of this deployment; on every log line and ledger row, and given to adapters.",
  },
  {
    key: "catalog",
    type: "list",
    default: [],
    says: "Catalog sources that leave the machine and shall be on: ids, or patterns such as `gleif__*`.",
  },
  {
    key: "demo",
    type: "flag",
    default: false,
    says: "Turns the whole catalog on, and makes a demo organization on a new embedded store.",
  },
  {
    key: "database_url",
    type: "text",
    default: undefined,
    variable: "DATABASE_URL",
    says: "PostgreSQL 15 or later instead of the embedded store; several machines can share it.",
  },
  {
    key: "ledger_retention_days",
    type: "number",
    default: 0,
    min: 0,
    max: 36_500,
    says: "Runs that started more days ago leave the ledger, unless a charge of theirs is unknown; 0 keeps all.",
  },
  {
    key: "log_level",
    type: "text",
    default: "info",
    oneOf: ["debug", "info", "warn", "error"],
    says: "What is logged.",
  },
  {
    key: "overload_status",
    type: "number",
    default: 500,
    oneOf: [500, 503],
    says: "HTTP status of a refusal for overload, for balancers that act on 503.",
  },
  {
    key: "outbound.proxy",
    type: "text",
    default: undefined,
    says: "`http://host:port` of an egress proxy. The environment's proxy variables are never read.",
  },
  {
    key: "outbound.ca_file",
    type: "text",
    default: undefined,
    says: "PEM file with certificate authorities to trust besides the system's.",
  },
  {
    key: "outbound.private_origins",
    type: "list",
    default: [],
    says: "Origins of sources whose host names may lead to private addresses, each exactly as the source declares it.",
  },
  {
    key: "outbound.trace_origins",
    type: "list",
    default: [],
    says: "Origins of sources that are told the caller's trace id (W3C `traceparent`), each exactly as the source declares it.",
  },
  { key: "limits.body_bytes", type: "number", default: MIB, min: 1024, says: "Bytes of a request body." },
  {
    key: "limits.json_depth",
    type: "number",
    default: 64,
    min: 2,
    max: 500,
    says: "Nesting of JSON, in requests and in vendors' replies.",
  },
  { key: "limits.keys_per_object", type: "number", default: 10_000, min: 10, says: "Members of one JSON object." },
  {
    key: "limits.header_bytes",
    type: "number",
    default: 16_384,
    min: 1024,
    max: MIB,
    says: "Bytes of a request's header block.",
  },
  { key: "limits.headers", type: "number", default: 100, min: 10, says: "Header fields of a request." },
  {
    key: "limits.headers_timeout_ms",
    type: "number",
    default: 10_000,
    min: 100,
    max: HOUR_MS,
    says: "Time for a request's headers to arrive.",
  },
  {
    key: "limits.request_timeout_ms",
    type: "number",
    default: 30_000,
    min: 100,
    max: HOUR_MS,
    says: "Time for a whole request to arrive.",
  },
  {
    key: "limits.keep_alive_ms",
    type: "number",
    default: 65_000,
    min: 100,
    max: HOUR_MS,
    says: "How long an idle connection is kept; above the balancer's own.",
  },
  {
    key: "limits.write_timeout_ms",
    type: "number",
    default: 30_000,
    min: 100,
    max: HOUR_MS,
    says: "Time for a client to read its answer.",
  },
  {
    key: "limits.connections",
    type: "number",
    default: 0,
    min: 0,
    max: 1_000_000,
    says: "Connections of clients at once; 0: half of the files the process may open, less where memory is small, at most 10,000.",
  },
  { key: "limits.runs", type: "number", default: 256, min: 1, says: "Runs under way at once in one process." },
  {
    key: "limits.runs_per_organization",
    type: "number",
    default: 64,
    min: 1,
    says: "Runs of one organization under way at once in one process.",
  },
  {
    key: "limits.held_bytes",
    type: "number",
    default: 0,
    min: 0,
    says: "Bytes of requests, replies and answers held in memory at once, shared fairly by organizations; 0: an eighth of the memory the process may use.",
  },
  {
    key: "limits.vendor_connections",
    type: "number",
    default: 128,
    min: 1,
    says: "Connections to one vendor origin. One organization alone gets half of them.",
  },
  {
    key: "limits.vendor_queue",
    type: "number",
    default: 512,
    min: 0,
    says: "Calls that may wait for a connection to one vendor origin. One organization alone gets half of the places.",
  },
  {
    key: "limits.vendor_connect_ms",
    type: "number",
    default: 5000,
    min: 10,
    max: HOUR_MS,
    says: "Time to connect to a vendor, TLS included.",
  },
  {
    key: "limits.vendor_dns_ms",
    type: "number",
    default: 2000,
    min: 10,
    max: HOUR_MS,
    says: "Time to look up a vendor's name.",
  },
  {
    key: "limits.reply_bytes",
    type: "number",
    default: 5 * MIB,
    min: 1024,
    says: "Bytes of a vendor's reply as it is sent.",
  },
  {
    key: "limits.reply_decoded_bytes",
    type: "number",
    default: 10 * MIB,
    min: 1024,
    says: "Bytes of a vendor's reply after decoding.",
  },
  {
    key: "limits.journal_bytes",
    type: "number",
    default: 0,
    min: 0,
    says: "Size of the journal; full, new runs are refused before any vendor is called. 0: what its disk has, but for 1 GiB or a twentieth of it.",
  },
  {
    key: "limits.function_processes",
    type: "number",
    default: 2,
    min: 1,
    max: 64,
    says: "Processes that hold the isolates of functions, besides one spare.",
  },
  {
    key: "limits.function_processes_apart",
    type: "number",
    default: 4,
    min: 2,
    max: 64,
    says: "Further processes, started when they are needed, for functions that are granted more than 64 MB or may have ended a process.",
  },
  {
    key: "limits.function_runs_per_process",
    type: "number",
    default: 64,
    min: 1,
    max: 1_024,
    says: "Functions that run at once in one process; further ones wait.",
  },
  {
    key: "limits.shutdown_grace_ms",
    type: "number",
    default: 25_000,
    min: 0,
    max: HOUR_MS,
    says: "Time to finish what is under way after SIGTERM.",
  },
] as const satisfies readonly Setting[];

/** The name of a setting on the command line. */
export function optionOf({ key }: Setting): string {
  return key.replaceAll(/[._]/g, "-");
}

/** Its name in the environment. */
export function variableOf({ key, variable }: Setting): string {
  return variable ?? `DATARUN_${key.replaceAll(".", "_").toUpperCase()}`;
}
