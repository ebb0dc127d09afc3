import type { OtelVariables } from "./otel-variables.ts";
import type { ReadSecretVariable } from "./secret-variables.ts";
import type { SETTINGS } from "./table.ts";

/*
 * Types derived from the table's rows, so that an unknown name, or a value of the wrong type, does not compile.
 */

type SettingRow = (typeof SETTINGS)[number];

/** The key of a setting, as it is written in the config file. */
export type SettingKey = SettingRow["key"];

type ValueOf<R extends SettingRow> = R extends { readonly oneOf: readonly (infer Choice)[] }
  ? Choice
  : {
      readonly text: string;
      readonly number: number;
      readonly list: readonly string[];
      readonly flag: boolean;
    }[R["type"]];
type ReadOf<R extends SettingRow> = R["default"] extends undefined ? ValueOf<R> | undefined : ValueOf<R>;

/** Converts the key `journal_bytes` to the property `journalBytes`. */
type InCode<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<InCode<Tail>>}`
  : Name;
type GroupIn<Key extends string> = Key extends `${infer Group}.${string}` ? Group : never;
type Alone<Key extends string> = Key extends `${string}.${string}` ? never : Key;
/** The rest of the keys that begin with a prefix such as `limits.`. */
type After<Prefix extends string, Key extends string> = Key extends `${Prefix}${infer Rest}` ? Rest : never;

type SettingsUnder<Prefix extends string> = {
  readonly [R in SettingRow as InCode<Alone<After<Prefix, R["key"]>>>]: ReadOf<R>;
} & {
  readonly [G in GroupIn<After<Prefix, SettingRow["key"]>>]: SettingsUnder<`${Prefix}${G}.`>;
};

/** Every setting with its value, as the service and the verbs use them. */
export type Settings = SettingsUnder<""> & {
  /** Values from OpenTelemetry's variables, for what no other setting decides. */
  readonly otel: OtelVariables;
  /** Variables that say how to reach stores of secrets. */
  readonly secretVariable: ReadSecretVariable;
  readonly renamed: readonly Renamed[];
};

/** A setting given by its former name. */
export interface Renamed {
  /** The option, variable or key, with its origin. */
  readonly setting: string;
  /** The current name. */
  readonly instead: string;
}

/** The project folder decides which config file is read, so it cannot be a key of the file. */
type InFile = Exclude<SettingRow, { readonly key: "project" } | { readonly variableOnly: true }>;

/**
 * The content of `datarun.config.ts`. Precedence: option, variable, this file, default.
 * `docs/reference/configuration.md` explains each setting.
 */
export type DatarunConfig = ConfigUnder<""> & {
  readonly limits?: { readonly [R in InFile as After<"limits.", FormerKey<R>>]?: ValueOf<R> };
};

type ConfigUnder<Prefix extends string> = {
  readonly [R in InFile as Alone<After<Prefix, R["key"]>>]?: ValueOf<R>;
} & {
  readonly [G in GroupIn<After<Prefix, InFile["key"]>>]?: ConfigUnder<`${Prefix}${G}.`>;
};
type FormerKey<R extends SettingRow> = R extends { readonly formerKey: infer Key extends string } ? Key : never;
