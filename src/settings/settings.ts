import type { OtelVariables } from "./otel-variables.ts";
import type { SETTINGS } from "./table.ts";

/*
 * The types of what the table's rows say, so that an unknown name, or a value of the wrong type, does not compile.
 */

type Row = (typeof SETTINGS)[number];

/** The key of a setting, as it is written in the config file. */
export type SettingKey = Row["key"];

type ValueOf<R extends Row> = R extends { readonly oneOf: readonly (infer Choice)[] }
  ? Choice
  : {
      readonly text: string;
      readonly number: number;
      readonly list: readonly string[];
      readonly flag: boolean;
    }[R["type"]];
type ReadOf<R extends Row> = R["default"] extends undefined ? ValueOf<R> | undefined : ValueOf<R>;

/** `journal_bytes` where it is set is `journalBytes` in code. */
type InCode<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<InCode<Tail>>}`
  : Name;
type GroupIn<Key extends string> = Key extends `${infer Group}.${string}` ? Group : never;
type Group = GroupIn<Row["key"]>;
type Alone<Key extends string> = Key extends `${string}.${string}` ? never : Key;
type In<G extends Group, Key extends string> = Key extends `${G}.${infer Name}` ? Name : never;

/** Every setting with its value, as the service and the verbs use them. */
export type Settings = {
  readonly [R in Row as InCode<Alone<R["key"]>>]: ReadOf<R>;
} & {
  readonly [G in Group]: { readonly [R in Row as InCode<In<G, R["key"]>>]: ReadOf<R> };
} & {
  /** What no setting of ours says is taken from here. */
  readonly otel: OtelVariables;
};

/** Which folder is the project's decides which file is read at all. */
type InFile = Exclude<Row, { readonly key: "project" } | { readonly variableOnly: true }>;

/** What may be in `datarun.config.ts`. Precedence: option, variable, this file, default. `docs/reference/configuration.md` explains each. */
export type DatarunConfig = {
  readonly [R in InFile as Alone<R["key"]>]?: ValueOf<R>;
} & {
  readonly [G in Group]?: { readonly [R in InFile as In<G, R["key"]>]?: ValueOf<R> };
};
