import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** One thing an operator can set. The list below is the whole of it; `docs/reference/configuration.md` is bound to it by a test. */
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

export type SettingKey = (typeof SETTINGS)[number]["key"];
export type Settings = ReadonlyMap<SettingKey, Setting["default"]>;

export class ConfigError extends Error {}

/** The name of a setting on the command line and in the environment. */
export function optionOf(setting: Setting): string {
  return setting.key.replaceAll(/[._]/g, "-");
}

export function variableOf(setting: Setting): string {
  return setting.variable ?? `DATARUN_${setting.key.replaceAll(".", "_").toUpperCase()}`;
}

export interface ConfigInput {
  /** By option name, as `util.parseArgs` gives them. */
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What the project's config file exports. */
  readonly file: object;
}

/** Reads every setting once: option, environment, file, default. @throws ConfigError that names the setting and where its value came from */
export function readSettings({ options, environment, file }: ConfigInput): Settings {
  refuseUnknownKeys(file);
  const settings: Settings = new Map(
    (SETTINGS as readonly Setting[]).map((setting) => {
      const option = options[optionOf(setting)];
      if (option !== undefined) return [setting.key as SettingKey, parse(setting, option, `--${optionOf(setting)}`)];
      const variable = environment[variableOf(setting)];
      if (variable !== undefined && variable !== "")
        return [setting.key as SettingKey, parse(setting, variable, variableOf(setting))];
      const fromFile = lookUp(file, setting.key);
      if (fromFile !== undefined)
        return [setting.key as SettingKey, parse(setting, fromFile, `${setting.key} in the config file`)];
      return [setting.key as SettingKey, setting.default];
    }),
  );
  refuseContradictions(settings);
  return settings;
}

/** Pairs of which the first must not be larger: a part of a time, and the whole. */
const PARTS: readonly (readonly [part: SettingKey, whole: SettingKey])[] = [
  ["limits.headers_timeout_ms", "limits.request_timeout_ms"],
];

function refuseContradictions(settings: Settings): void {
  for (const [part, whole] of PARTS) {
    if (number(settings, part) <= number(settings, whole)) continue;
    throw new ConfigError(
      `${part} (${number(settings, part)}) must not be more than ${whole} (${number(settings, whole)})`,
    );
  }
}

function parse(setting: Setting, value: unknown, from: string): Setting["default"] {
  const parsed = convert(setting.type, value);
  if (parsed === undefined) throw new ConfigError(`${from} must be ${ARTICLE[setting.type]}`);
  if (setting.oneOf !== undefined && !setting.oneOf.includes(parsed as string)) {
    throw new ConfigError(`${from} must be one of ${setting.oneOf.join(", ")}`);
  }
  if (
    typeof parsed === "number" &&
    (parsed < (setting.min ?? 0) || parsed > (setting.max ?? Number.MAX_SAFE_INTEGER))
  ) {
    throw new ConfigError(
      `${from} must be from ${setting.min ?? 0}${setting.max === undefined ? "" : ` to ${setting.max}`}`,
    );
  }
  return parsed;
}

const ARTICLE = { text: "a text", number: "a whole number", list: "a list", flag: "true or false" } as const;

function convert(type: Setting["type"], value: unknown): Setting["default"] {
  switch (type) {
    case "text":
      return typeof value === "string" && value !== "" ? value : undefined;
    case "number": {
      const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
      return Number.isSafeInteger(number) ? (number as number) : undefined;
    }
    case "list":
      if (typeof value === "string") return value.split(",").map((item) => item.trim()).filter((item) => item !== ""); // prettier-ignore
      return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
    case "flag":
      if (typeof value === "boolean") return value;
      return value === "true" || value === "1" ? true : value === "false" || value === "0" ? false : undefined;
  }
}

function lookUp(file: object, key: string): unknown {
  let value: unknown = file;
  for (const step of key.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

function refuseUnknownKeys(file: object): void {
  const known = new Set<string>(SETTINGS.map(({ key }) => key));
  const groups = new Set([...known].filter((key) => key.includes(".")).map((key) => key.split(".")[0]!));
  for (const [key, value] of Object.entries(file)) {
    const names =
      groups.has(key) && typeof value === "object" && value !== null
        ? Object.keys(value).map((name) => `${key}.${name}`)
        : [key];
    const unknown = names.find((name) => !known.has(name));
    if (unknown !== undefined) throw new ConfigError(`${unknown} in the config file is not a setting`);
  }
}

const CONFIG_FILES = ["datarun.config.ts", "datarun.config.js", "datarun.config.mjs"];

/** The config file of a project folder, if it has one. */
export function configFileOf(folder: string): string | undefined {
  return configFilesOf(folder).find((file) => existsSync(file));
}

/** Wherever a project folder may have its config file. */
export function configFilesOf(folder: string): readonly string[] {
  return CONFIG_FILES.map((name) => join(folder, name));
}

/** The project folder named, or the current folder when it holds a config file. */
export function projectFolder(named: string | undefined, current: string): string | undefined {
  if (named !== undefined) return resolve(current, named);
  return configFileOf(current) === undefined ? undefined : current;
}

/** A setting with the type that it has by its row. */
export function text(settings: Settings, key: SettingKey): string {
  return settings.get(key) as string;
}
export function optionalText(settings: Settings, key: SettingKey): string | undefined {
  return settings.get(key) as string | undefined;
}
export function number(settings: Settings, key: SettingKey): number {
  return settings.get(key) as number;
}
export function list(settings: Settings, key: SettingKey): readonly string[] {
  return settings.get(key) as readonly string[];
}
export function flag(settings: Settings, key: SettingKey): boolean {
  return settings.get(key) as boolean;
}
