import { ConfigError } from "./config-error.ts";
import { isPlainUrl } from "./plain-url.ts";
import { openSecretFile } from "./read-secret-file.ts";

/**
 * The values of OpenTelemetry's standard variables. As its specification requires, an invalid value is reported and
 * otherwise treated as absent: these variables are often set for all programs of a machine.
 */
export interface OtelVariables {
  readonly isDisabled: boolean;
  readonly serviceName: string | undefined;
  readonly resourceAttributes: Pairs;
  readonly traces: OtelSignal;
  readonly metrics: OtelSignal;
  readonly metricIntervalMs: number;
  /** The variables with invalid values. The reasons do not contain the values. */
  readonly ignored: readonly { readonly variable: string; readonly reason: string }[];
  /** Names of variables that are set and have no effect here. */
  readonly unread: readonly string[];
}

export interface OtelSignal {
  readonly isOn: boolean;
  /** The complete address. */
  readonly url: string | undefined;
  /** Secret header fields, as they are now. Names are in lower case. */
  readonly headers: Pairs;
  readonly gzip: boolean;
  readonly timeoutMs: number;
}

export type SignalName = "traces" | "metrics";
type Pairs = Readonly<Record<string, string>>;
type Environment = Readonly<Record<string, string | undefined>>;

interface OtelVariable<Value> {
  readonly name: string;
  readonly says: string;
  readonly parse: (text: string) => Value | undefined;
  /** The requirement that a value violates if `parse` rejects it. */
  readonly must: string;
  /** The value may also be in a file whose path is in the variable of the same name with the suffix `_FILE`. */
  readonly secret?: true;
}

const ENDPOINT = variable({
  name: "OTEL_EXPORTER_OTLP_ENDPOINT",
  says: "Address of a collector or of a hosted backend, to which `/v1/traces` and `/v1/metrics` are added. The address of a single signal is used as it is.",
  parse: (text) => (isPlainUrl(text) ? text : undefined),
  must: "must be an http or https address without a user, a query or a fragment",
});
const HEADERS = variable({
  name: "OTEL_EXPORTER_OTLP_HEADERS",
  says: "Headers to send, such as `api-key=…,x-tenant=acme`; names and values are percent-decoded. A secret.",
  parse: headersIn,
  must: "must be NAME=VALUE pairs separated by commas, with names and values that a header may have, percent-encoded",
  secret: true,
});
const COMPRESSION = variable({
  name: "OTEL_EXPORTER_OTLP_COMPRESSION",
  says: "`gzip` or `none`, which is the default.",
  parse: (text) => ({ gzip: true, none: false })[text.toLowerCase()],
  must: "must be gzip or none",
});
const TIMEOUT = variable({
  name: "OTEL_EXPORTER_OTLP_TIMEOUT",
  says: "Milliseconds within which a request has to be answered; 10000 by default.",
  parse: millisecondsIn,
  must: "must be a whole number of milliseconds, at least 1",
});
const PROTOCOL = variable({
  name: "OTEL_EXPORTER_OTLP_PROTOCOL",
  says: "Only `http/json` is sent.",
  parse: (text) => (text.toLowerCase() === "http/json" ? text : undefined),
  must: "must be http/json, and that is what is sent",
});

/** Variables for both signals. With `OTLP_TRACES` or `OTLP_METRICS` in place of `OTLP`, each is one for that signal alone. */
export const OTEL_EXPORTER_VARIABLES = [ENDPOINT, HEADERS, COMPRESSION, TIMEOUT, PROTOCOL];

const SDK_DISABLED = variable({
  name: "OTEL_SDK_DISABLED",
  says: "`true`: no spans and no metrics are sent, whatever else is set.",
  parse: (text) => ({ true: true, false: false })[text.toLowerCase()],
  must: "must be true or false",
});
const SERVICE_NAME = variable({
  name: "OTEL_SERVICE_NAME",
  says: "`service.name`, which is `datarun` otherwise.",
  parse: (text) => text,
  must: "must be a text",
});
const RESOURCE_ATTRIBUTES = variable({
  name: "OTEL_RESOURCE_ATTRIBUTES",
  says: "Attributes of this service, such as `deployment.environment.name=staging,team=risk`, percent-decoded. They replace our own, except `datarun.region`.",
  parse: pairsIn,
  must: "must be NAME=VALUE pairs separated by commas, percent-encoded",
});
const TRACES_EXPORTER = variable({
  name: "OTEL_TRACES_EXPORTER",
  says: "`none`: no spans are sent. `otlp` is the default.",
  parse: (text) => isOtlpAmong(text, ["otlp", "none"]),
  must: "must be otlp or none",
});
const METRICS_EXPORTER = variable({
  name: "OTEL_METRICS_EXPORTER",
  says: "`none` or `prometheus`: no metrics are sent; the page for Prometheus is there in any case. `otlp` is the default.",
  parse: (text) => isOtlpAmong(text, ["otlp", "none", "prometheus"]),
  must: "must be otlp, prometheus or none",
});
const METRIC_EXPORT_INTERVAL = variable({
  name: "OTEL_METRIC_EXPORT_INTERVAL",
  says: "Milliseconds from one sending of metrics to the next; 60000 by default.",
  parse: millisecondsIn,
  must: "must be a whole number of milliseconds, at least 1",
});

export const OTEL_VARIABLES = [
  SDK_DISABLED,
  SERVICE_NAME,
  RESOURCE_ATTRIBUTES,
  TRACES_EXPORTER,
  METRICS_EXPORTER,
  METRIC_EXPORT_INTERVAL,
];

const TIMEOUT_MS = 10_000;
const INTERVAL_MS = 60_000;
/** The longest time that a Node timer accepts. */
const TIMER_MAX_MS = 2_147_483_647;

export function readOtelVariables(environment: Environment): OtelVariables {
  const ignored = new Map<string, string>();
  const files = new Map<string, () => string>();
  const read = new Set<string>();

  function textOf(name: string, isSecret: boolean): string | undefined {
    read.add(name);
    const value = environment[name] || undefined;
    if (!isSecret) return value;
    const fileName = `${name}_FILE`;
    read.add(fileName);
    const path = environment[fileName] || undefined;
    if (path === undefined) return value;
    if (value !== undefined) {
      ignored.set(fileName, `is not read, because ${name} is set too`);
      return value;
    }
    try {
      const file = files.get(fileName) ?? openSecretFile(fileName, path);
      files.set(fileName, file);
      return file();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      ignored.set(fileName, error.message);
      return undefined;
    }
  }

  function valueOf<Value>({ name, parse, must, secret }: OtelVariable<Value>): Value | undefined {
    const text = textOf(name, secret === true);
    const value = text === undefined ? undefined : parse(text);
    if (text !== undefined && value === undefined) ignored.set(name, must);
    return value;
  }

  function signalOf(signal: SignalName, isOn: boolean): OtelSignal {
    const own = <Value>(declared: OtelVariable<Value>) =>
      valueOf({ ...declared, name: nameForSignal(declared.name, signal) });
    const value = <Value>(declared: OtelVariable<Value>) => own(declared) ?? valueOf(declared);
    value(PROTOCOL);
    const endpoint = valueOf(ENDPOINT);
    return {
      isOn,
      url: own(ENDPOINT) ?? (endpoint === undefined ? undefined : urlOfSignal(endpoint, signal)),
      get headers() {
        return value(HEADERS) ?? {};
      },
      gzip: value(COMPRESSION) ?? false,
      timeoutMs: value(TIMEOUT) ?? TIMEOUT_MS,
    };
  }

  const values = {
    isDisabled: valueOf(SDK_DISABLED) ?? false,
    serviceName: valueOf(SERVICE_NAME),
    resourceAttributes: valueOf(RESOURCE_ATTRIBUTES) ?? {},
    traces: signalOf("traces", valueOf(TRACES_EXPORTER) ?? true),
    metrics: signalOf("metrics", valueOf(METRICS_EXPORTER) ?? true),
    metricIntervalMs: valueOf(METRIC_EXPORT_INTERVAL) ?? INTERVAL_MS,
  };
  // Read once, so that a value that cannot be used is reported.
  void [values.traces.headers, values.metrics.headers];
  return {
    ...values,
    ignored: [...ignored].map(([name, reason]) => ({ variable: name, reason })),
    unread: Object.keys(environment).filter(
      (name) =>
        name.startsWith("OTEL_") && !read.has(name) && environment[name] !== undefined && environment[name] !== "",
    ),
  };
}

/** The address of a signal, from the address for all signals. */
export function urlOfSignal(endpoint: string, signal: SignalName): string {
  return `${endpoint.replace(/\/+$/, "")}/v1/${signal}`;
}

export function nameForSignal(name: string, signal: SignalName): string {
  return name.replace("OTLP", `OTLP_${signal.toUpperCase()}`);
}

function variable<Value>(declared: OtelVariable<Value>): OtelVariable<Value> {
  return declared;
}

function millisecondsIn(text: string): number | undefined {
  const value = /^\d+$/.test(text.trim()) ? Number(text) : 0;
  return value >= 1 && value <= TIMER_MAX_MS ? value : undefined;
}

/** Whether a list of exporters contains OTLP; `undefined` if it contains an unknown exporter. */
function isOtlpAmong(text: string, known: readonly string[]): boolean | undefined {
  const named = text
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  return named.every((name) => known.includes(name)) ? named.includes("otlp") : undefined;
}

/** Parses a list in the form of W3C Baggage, without properties. `undefined` if any part is malformed. */
function pairsIn(text: string): Pairs | undefined {
  const pairs: [string, string][] = [];
  for (const part of text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "")) {
    const [, name, value] = /^([^=]*[^=\s])\s*=\s*(.*)$/s.exec(part) ?? [];
    if (name === undefined || value === undefined) return undefined;
    try {
      pairs.push([decodeURIComponent(name), decodeURIComponent(value)]);
    } catch {
      return undefined;
    }
  }
  return Object.fromEntries(pairs);
}

/** Headers that the exporter sets itself. */
const OWN_HEADERS = new Set(["connection", "content-encoding", "content-length", "content-type", "transfer-encoding"]);

function headersIn(text: string): Pairs | undefined {
  const pairs = Object.entries(pairsIn(text) ?? { "": "" });
  const isHeader = ([name, value]: readonly [string, string]) =>
    /^[\w!#$%&'*+.^`|~-]+$/.test(name) &&
    /^[\t\x20-\x7e\x80-\xff]*$/.test(value) &&
    !OWN_HEADERS.has(name.toLowerCase());
  if (!pairs.every(isHeader)) return undefined;
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
}
