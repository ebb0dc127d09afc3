import type { TObject, TOptional } from "typebox";
import { Type } from "../terms/type.ts";
import { optionOf, SETTINGS, type Setting } from "../settings/table.ts";

/**
 * Every setting as an option. Values are text: they are checked in one place, where settings from all origins are read.
 */
export const settingOptions: TObject = Type.Object(
  Object.fromEntries(
    (SETTINGS as readonly Setting[])
      .filter(({ variableOnly }) => variableOnly !== true)
      .map((setting) => [propertyOf(setting), toOption(setting)]),
  ),
  { additionalProperties: false },
);

/** Options by name, as `readSettings` takes them. */
export type GivenSettings = Readonly<Record<string, string | boolean>>;

export function toGivenSettings(input: object): GivenSettings {
  return Object.fromEntries(
    Object.entries(input as GivenSettings).map(([property, value]) => [property.replaceAll("_", "-"), value]),
  );
}

function propertyOf(setting: Setting): string {
  return optionOf(setting).replaceAll("-", "_");
}

function toOption({ type, says, oneOf }: Setting): TOptional {
  const description = says.replace(/\.$/, "");
  if (type === "flag") return Type.Optional(Type.Boolean({ description }));
  return Type.Optional(Type.String({ description, "x-placeholder": oneOf?.join("|") ?? type.toUpperCase() }));
}
