import { ConfigError } from "../settings/read-settings.ts";
import { noLonger, REMOVED } from "../settings/removed.ts";
import { fileVariableOf, SETTINGS, variableOf, type Setting } from "../settings/table.ts";
import { resembles } from "../terms/text/nearest.ts";
import { COMMAND_VARIABLES } from "../terms/variables.ts";

const PREFIX = "DATARUN_";

/** Each variable's name, by the word that a user would expect after the prefix. */
const READ: readonly (readonly [word: string, variable: string])[] = [
  ...(SETTINGS as readonly Setting[]).flatMap((setting) => {
    const file = fileVariableOf(setting);
    return [
      [setting.key, variableOf(setting)] as const,
      ...(setting.formerKey === undefined ? [] : [[setting.formerKey, variableOf(setting)] as const]),
      ...(file === null ? [] : [[`${setting.key}_file`, file] as const]),
    ];
  }),
  ...Object.values(COMMAND_VARIABLES).map((variable) => [variable.slice(PREFIX.length), variable] as const),
];
const NAMES: ReadonlySet<string> = new Set([
  ...READ.map(([, variable]) => variable),
  ...(SETTINGS as readonly Setting[]).flatMap(({ formerKey: key }) => (key === undefined ? [] : [variableOf({ key })])),
]);
const REMOVED_NAMES: ReadonlyMap<string, string> = new Map(
  [...REMOVED].map(([key, instead]) => [variableOf({ key }), instead]),
);

/**
 * Refuses misspelled variables and those of earlier versions: they would silently be ignored, and a verb would work on
 * another store than the service. Only names that are nearly right are refused, because other variables with the prefix
 * may belong to other programs.
 * @throws ConfigError
 */
export function refuseMisspelledVariables(environment: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(environment)) {
    const [, word] = /^data_?run_(.+)$/i.exec(name) ?? [];
    if (word === undefined || value === undefined || value === "" || NAMES.has(name)) continue;
    const instead = REMOVED_NAMES.get(name);
    if (instead !== undefined) throw new ConfigError(noLonger(name, instead));
    const meant = READ.find(([read]) => resembles(word, read));
    if (meant !== undefined) throw new ConfigError(`${name} is not a setting: did you mean ${meant[1]}?`);
  }
}
