import type { Renamed, Settings } from "./settings.ts";
import { ConfigError } from "./config-error.ts";
import { readOtelVariables } from "./otel-variables.ts";
import { readSecretVariables } from "./secret-variables.ts";
import { isPlainUrl } from "./plain-url.ts";
import { readVariable } from "./read-secret-file.ts";
import { noLonger, REMOVED } from "./removed.ts";
import { fileVariableOf, optionOf, SETTINGS, variableOf, type Setting } from "./table.ts";

export { ConfigError };

/** The origins of settings, by descending precedence. */
export interface SettingsSources {
  /** By option name, as returned by `util.parseArgs`. */
  readonly options?: Readonly<Record<string, string | boolean | undefined>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The default export of the project's config file. */
  readonly file?: object;
  /** Suggests a similar name for one that no setting has. */
  readonly suggest?: (written: string, known: readonly string[]) => string | undefined;
}

type SettingValue = Setting["default"];

interface Values {
  [name: string]: SettingValue | Values;
}

/**
 * Reads every setting once: option, environment, file, default. @throws ConfigError that names each wrong setting and
 * the origin of its value
 */
export function readSettings(sources: SettingsSources = {}): Settings {
  const problems = [...removedOptions(sources), ...unknownKeys(sources)];
  const read: Values = {};
  const renamed: Renamed[] = [];
  for (const setting of SETTINGS as readonly Setting[]) {
    const path = setting.key.split(".").map(inCode);
    const name = path.pop()!;
    let group = read;
    for (const step of path) group = (group[step] ??= {}) as Values;
    const value = attempt(() => valueOf(setting, sources, renamed), problems);
    if (typeof value === "function") Object.defineProperty(group, name, { get: value, enumerable: true });
    else group[name] = value;
  }
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  // The table has the types, row by row; a loop over it cannot follow them.
  const environment = sources.environment ?? {};
  const settings = Object.assign(read, {
    otel: readOtelVariables(environment),
    secretVariable: readSecretVariables(environment),
    renamed,
  }) as unknown as Settings;
  refuseAddresses(settings);
  refuseProvider(settings);
  return settings;
}

/** Returns the result of `read`, or adds its error to the problems. */
function attempt<Value>(read: () => Value, problems: string[]): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(error.message);
    return undefined;
  }
}

function inCode(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** An origin of settings. */
interface Place {
  nameOf(setting: Setting): string;
  /** The phrase after the setting's name in messages. */
  readonly where: string;
  find(setting: Setting, sources: SettingsSources): unknown;
}

/** The origins, by descending precedence. */
const PLACES: readonly Place[] = [
  {
    nameOf: (setting) => `--${optionOf(setting)}`,
    where: "",
    find: (setting, { options = {} }) => (setting.variableOnly === true ? undefined : options[optionOf(setting)]),
  },
  {
    nameOf: variableOf,
    where: "",
    find: (setting, { environment = {} }) => readVariable(environment, variableOf(setting), fileVariableOf(setting)),
  },
  { nameOf: ({ key }) => key, where: " in the config file", find: ({ key }, { file = {} }) => lookUp(file, key) },
];

/** The value of a setting; a function that returns its current value if it is a secret in a file. */
function valueOf(setting: Setting, sources: SettingsSources, renamed: Renamed[]): SettingValue | (() => string) {
  const former = setting.formerKey === undefined ? undefined : { ...setting, key: setting.formerKey };
  for (const { nameOf, where, find } of PLACES) {
    const value = find(setting, sources);
    const formerValue = former && find(former, sources);
    if (former === undefined || formerValue === undefined) {
      if (typeof value === "function") return value as () => string;
      if (value !== undefined) return parse(setting, value, nameOf(setting) + where);
      continue;
    }
    const [name, formerName] = [nameOf(setting), nameOf(former)];
    if (value !== undefined)
      throw new ConfigError(`${formerName} and ${name} are both set${where}: remove ${formerName}, its former name`);
    renamed.push({ setting: formerName + where, instead: name });
    return parse(setting, formerValue, formerName + where);
  }
  return setting.default;
}

/** A host with a port or a scheme would never match a request, and the failure would be hard to explain. */
function refuseAddresses({ adminHosts }: Settings): void {
  const wrong = adminHosts.find((host) => !/^([\w.-]+|\[[\da-f:.]+\])$/i.test(host));
  if (wrong === undefined) return;
  throw new ConfigError(
    `admin_hosts holds ${JSON.stringify(wrong)}: give host names alone, such as admin.acme.example`,
  );
}

/** An incomplete provider would make every login fail, and the failure would be hard to explain. */
function refuseProvider({ oidc }: Settings): void {
  const { issuer, clientId, viewers, operators, owners } = oidc;
  if (issuer === undefined) {
    const given = { client_id: clientId, viewers: viewers[0], operators: operators[0], owners: owners[0] };
    const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
    if (name !== undefined) throw new ConfigError(`oidc.${name} is set, and oidc.issuer is not`);
    return;
  }
  if (clientId === undefined) throw new ConfigError("oidc.issuer needs oidc.client_id");
  if (issuer.startsWith("http:") && !/^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(issuer))
    throw new ConfigError("oidc.issuer must begin with https, unless it is on this machine");
}

function parse(setting: Setting, value: unknown, from: string): SettingValue {
  const parsed = convert(setting.type, value);
  if (parsed === undefined) throw new ConfigError(`${from} must be ${ARTICLE[setting.type]}`);
  if (setting.oneOf !== undefined && !setting.oneOf.includes(parsed as string)) {
    throw new ConfigError(`${from} must be one of ${setting.oneOf.join(", ")}`);
  }
  if (setting.isUrl === true && !isPlainUrl(parsed as string)) {
    throw new ConfigError(`${from} must be an http or https address without a user, a query or a fragment`);
  }
  if (
    typeof parsed === "number" &&
    (parsed < (setting.min ?? 0) || parsed > (setting.max ?? Number.MAX_SAFE_INTEGER))
  ) {
    const [min, max] = [setting.min ?? 0, setting.max];
    throw new ConfigError(`${from} must be ${max === undefined ? `at least ${min}` : `from ${min} to ${max}`}`);
  }
  return parsed;
}

const ARTICLE = { text: "a text", number: "a whole number", list: "a list", flag: "true or false" } as const;

function convert(type: Setting["type"], value: unknown): SettingValue {
  switch (type) {
    case "text":
      return typeof value === "string" && value !== "" ? value : undefined;
    case "number": {
      const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
      return Number.isSafeInteger(number) ? (number as number) : undefined;
    }
    case "list":
      if (typeof value === "string")
        return value
          .split(",")
          .map((item) => item.trim())
          .filter((item) => item !== "");
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

function removedOptions({ options = {} }: SettingsSources): string[] {
  return [...REMOVED].flatMap(([key, instead]) => {
    const option = optionOf({ key });
    return options[option] === undefined ? [] : [noLonger(`--${option}`, instead)];
  });
}

function unknownKeys({ file = {}, suggest }: SettingsSources): string[] {
  const inFile = (SETTINGS as readonly Setting[]).filter(({ variableOnly }) => variableOnly !== true);
  const keys = inFile.map(({ key }) => key);
  const known = new Set([...keys, ...inFile.flatMap(({ formerKey }) => formerKey ?? [])]);
  const groups = new Set(keys.flatMap(groupsOf));
  const candidates = [...keys, ...groups];

  function problemsOf(name: string, value: unknown): readonly string[] {
    if (groups.has(name)) {
      if (typeof value !== "object" || value === null)
        return [`${name} in the config file must be an object with settings`];
      return Object.entries(value).flatMap(([next, inside]) => problemsOf(`${name}.${next}`, inside));
    }
    if (known.has(name)) return [];
    const instead = REMOVED.get(name);
    if (instead !== undefined) return [noLonger(`${name} in the config file`, instead)];
    const question = suggest?.(name, candidates);
    return [`${name} in the config file is not a setting${question === undefined ? "" : `: ${question}`}`];
  }

  return Object.entries(file).flatMap(([name, value]) => problemsOf(name, value));
}

/** `limits` and `limits.expert` of `limits.expert.connections`. */
function groupsOf(key: string): string[] {
  const steps = key.split(".").slice(0, -1);
  return steps.map((_, at) => steps.slice(0, at + 1).join("."));
}
