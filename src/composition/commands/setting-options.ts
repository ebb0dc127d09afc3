import type { TObject, TOptional } from "typebox";
import { Type } from "../../terms/schema/type.ts";
import { REMOVED } from "../../settings/removed.ts";
import { fileVariableOf, optionOf, SETTINGS, variableOf, type Setting } from "../../settings/table.ts";

/** The keys of renamed and removed settings. */
const EARLIER_KEYS: readonly string[] = [
  ...(SETTINGS as readonly Setting[]).flatMap(({ formerKey }) => formerKey ?? []),
  ...REMOVED.keys(),
];

/** Every setting as an option. Values are texts: the reader of settings checks values of all origins. */
export const settingOptions: TObject = Type.Object(
  Object.fromEntries([
    ...(SETTINGS as readonly Setting[])
      .filter(({ variableOnly }) => variableOnly !== true)
      .map((setting) => [propertyOf(setting), toOption(setting)] as const),
    // The reader of settings reports renamed and removed keys.
    ...EARLIER_KEYS.map((key) => [propertyOf({ key }), Type.Optional(Type.String({ "x-hidden": true }))] as const),
  ]),
  { additionalProperties: false },
);

/** Options by name, as `readSettings` takes them. */
export type SettingOptions = Readonly<Record<string, string | boolean>>;

export function toSettingOptions(input: object): SettingOptions {
  return Object.fromEntries(
    Object.entries(input as SettingOptions).map(([property, value]) => [property.replaceAll("_", "-"), value]),
  );
}

function propertyOf(setting: Pick<Setting, "key">): string {
  return optionOf(setting).replaceAll("-", "_");
}

function toOption(setting: Setting): TOptional {
  const { type, says, oneOf } = setting;
  const description = `${says.replace(/\.$/, "")} [${factsOf(setting)}]`;
  if (type === "flag") return Type.Optional(Type.Boolean({ description }));
  const values = oneOf === undefined ? {} : { "x-values": oneOf.map(String) };
  return Type.Optional(
    Type.String({ description, "x-placeholder": oneOf?.join("|") ?? type.toUpperCase(), ...values }),
  );
}

/** The default, the range and the variables of a setting. */
function factsOf(setting: Setting): string {
  const { type, default: value, min = 0, max } = setting;
  const shown = typeof value === "boolean" ? (value ? "on" : "off") : value;
  const isNone = shown === undefined || (Array.isArray(shown) && shown.length === 0);
  const range = max === undefined ? `at least ${min}` : `${min} to ${max}`;
  return [
    ...(isNone ? [] : [`default ${String(shown)}`]),
    ...(type === "number" && setting.oneOf === undefined ? [range] : []),
    variablesOf(setting),
  ].join("; ");
}

function variablesOf(setting: Setting): string {
  const file = fileVariableOf(setting);
  return file === null ? variableOf(setting) : `${variableOf(setting)} or ${file}`;
}

const onlyVariables = (SETTINGS as readonly Setting[])
  .filter(({ variableOnly }) => variableOnly === true)
  .map(variablesOf)
  .join(", ");

/** A note on settings for the help of the commands that take them. */
export const SETTINGS_NOTE = `Each option is also an environment variable, named in brackets, and a key of datarun.config.ts. By variable alone: ${onlyVariables}.`;
