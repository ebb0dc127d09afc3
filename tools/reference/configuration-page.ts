import type { SettingKey } from "../../src/settings/settings.ts";
import { fileVariableOf, optionOf, SETTINGS, variableOf, type Setting } from "../../src/settings/table.ts";
import { SECRET_VARIABLES } from "../../src/settings/secret-variables.ts";
import { nameForSignal, OTEL_EXPORTER_VARIABLES, OTEL_VARIABLES } from "../../src/settings/otel-variables.ts";
import { block, code, generated, page, table, type Page } from "./markdown.ts";

type Section = readonly [title: string, text: string, ...keys: (SettingKey | `${string}.*`)[]];

/** What operators of every deployment look at is in none of these. */
const SECTIONS: readonly Section[] = [
  ["The console", "", "console", "admin_hosts", "oidc.*"],
  ["Calls to vendors", "", "outbound.*"],
  ["Seldom set", "", "catalog_data", "demo", "otlp_sample_percent", "overload_status"],
];
const EXPERT: Section = [
  "Expert limits",
  "Their defaults follow from the machine, or protect all organizations from one of them. Change one only if a message, an alert or a measurement points to it. Their former names, without `expert`, still work (`setting_renamed`).",
  "limits.expert.*",
];

/** Every setting there is, from the one list of them. */
export function configurationPage(): Page {
  const settings = SETTINGS as readonly Setting[];
  const secrets = settings.filter(({ secret }) => secret === true);
  const sections = [...SECTIONS, EXPERT];
  return page(
    "docs/reference/configuration.md",
    generated("src/settings/table.ts"),
    "# Configuration",
    "The first of these places that has a setting wins:",
    [
      "1. an option of `datarun start` or `datarun dev`, such as `--port 9000`;",
      "2. an environment variable, such as `DATARUN_PORT=9000`; an empty one counts as absent;",
      "3. a key of the project's config file, such as `port: 9000`;",
      "4. otherwise the default applies.",
    ].join("\n"),
    "A setting without key and option in the tables is a secret that only its variable gives.",
    "Settings are read once, at the start, except [secrets in files](../guides/secrets.md#change-a-secret). An unknown option or key, a variable whose name is nearly that of a setting, or an invalid value stops the start and every command. In options and variables, the entries of a list are separated by commas. In variables a flag is `true`, `false`, `1` or `0`.",
    "The config file is `datarun.config.ts` (or `.js`, `.mjs`) in the project folder: the one that `--project` or `DATARUN_PROJECT` names, or else the folder in which the service is started, if that has a config file.",
    block(
      "ts",
      [
        'import { defineConfig } from "datarun";',
        "",
        "export default defineConfig({",
        "  port: 9000,",
        '  region: "eu",',
        "  limits: { runs: 128 },",
        "});",
      ].join("\n"),
    ),
    "## What operators set",
    settingsTable(settings.filter((setting) => !sections.some((section) => isIn(section, setting)))),
    "See [keys](../guides/keys.md) for the root key.",
    ...SECTIONS.flatMap(sectionOf),
    "## Variables of commands",
    table(
      ["variable", "meaning"],
      [
        [
          code("DATARUN_REMOTE"),
          "The address of an admin port, [where commands are then done](../guides/operators.md#use-the-commands-from-elsewhere).",
        ],
        [code("DATARUN_OPERATOR_TOKEN"), "An operator's token for this, `dop_…`."],
        [
          code("DATARUN_DEBUG"),
          "`1` prints the stack trace when a command fails unexpectedly. It may contain secrets.",
        ],
      ],
    ),
    "## Secrets by file",
    `${secrets.map((setting) => code(fileVariableOf(setting)!)).join(", ")} give the path of [a file](../guides/secrets.md) that holds the secret.`,
    "## OpenTelemetry",
    "These standard variables are read, after [our own settings](../guides/opentelemetry.md#what-comes-first).",
    table(
      ["variable", "for one signal", "meaning"],
      [
        ...OTEL_EXPORTER_VARIABLES.map(({ name, says, ...more }) => {
          const names = [name, ...("secret" in more ? [`${name}_FILE`] : [])];
          const ofSignals = (["traces", "metrics"] as const).flatMap((signal) =>
            names.map((each) => code(nameForSignal(each, signal))),
          );
          return [names.map(code).join(", "), ofSignals.join(", "), says];
        }),
        ...OTEL_VARIABLES.map(({ name, says }) => [code(name), "", says]),
      ],
    ),
    "## Stores of secrets",
    "These variables say how to reach [vaults](../guides/secrets-in-a-vault.md) for credentials that refer to them, and for `DATARUN_ROOT_KEY_KMS`. They are read when a reference needs them.",
    table(
      ["variable", "meaning"],
      Object.entries(SECRET_VARIABLES).map(([name, { says, ...more }]) => {
        const names = [name, ...("secret" in more ? [`${name}_FILE`] : [])];
        return [names.map(code).join(", "), says];
      }),
    ),
    "Proxy variables (`HTTPS_PROXY` and the like) are never read: set `outbound.proxy`.",
    ...sectionOf(EXPERT),
  );
}

function isIn([, , ...keys]: Section, { key }: Setting): boolean {
  return keys.some((each) => (each.endsWith(".*") ? key.startsWith(each.slice(0, -1)) : key === each));
}

function sectionOf(section: Section): string[] {
  const [title, text] = section;
  return [`## ${title}`, text, settingsTable((SETTINGS as readonly Setting[]).filter((each) => isIn(section, each)))];
}

/** A setting without a key and an option can be given by its variable alone. */
function settingsTable(settings: readonly Setting[]): string {
  return table(
    ["key", "option", "variable", "type", "default", "meaning"],
    settings.map((setting) => [
      ...(setting.variableOnly === true ? ["", ""] : [code(setting.key), code(`--${optionOf(setting)}`)]),
      code(variableOf(setting)),
      typeOf(setting),
      defaultOf(setting),
      setting.says,
    ]),
  );
}

function typeOf({ type, oneOf, min, max }: Setting): string {
  if (oneOf !== undefined) return oneOf.map((value) => code(String(value))).join(", ");
  if (type !== "number") return type;
  return max === undefined ? `number, at least ${min ?? 0}` : `number, ${min ?? 0} to ${max}`;
}

function defaultOf(setting: Setting): string {
  const value = setting.default;
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return "none";
  return typeof value === "boolean" ? (value ? "on" : "off") : code(String(value));
}
