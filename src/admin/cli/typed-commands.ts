import { shellWord } from "../../terms/text/shell-word.ts";
import { COMMAND_VARIABLES, VARIABLES } from "../../terms/variables.ts";

/**
 * Matches the program's name at the start of a text or line, after a quotation mark, or after a colon. Elsewhere it is
 * part of a sentence. A usage line is not a command.
 */
const COMMAND = /(?<=^\s*|["'`(]|(?<!^Usage): )datarun(?=\s(?!(?:mock )?cannot\b)\S)/gm;

/**
 * Replaces the program's name in the commands of a text by how a person starts it here, such as `npx datarun`. Messages
 * say `datarun …` until they are shown, because the person may be at another machine.
 */
export function asTyped(text: string, program: () => string): string {
  return text.replace(COMMAND, program);
}

/** The options that select the deployment of a command. Read before parsing, when only their names are certain. */
export interface DeploymentOptions {
  readonly dataDir?: string | undefined;
  readonly project?: string | undefined;
  readonly remote?: string | undefined;
}

export function deploymentIn(argv: readonly string[]): DeploymentOptions {
  const option = (name: string) => {
    const at = argv.findIndex((word) => word === name || word.startsWith(`${name}=`));
    return at === -1 ? undefined : argv[at] === name ? argv[at + 1] : argv[at]!.slice(name.length + 1);
  };
  return { dataDir: option("--data-dir"), project: option("--project"), remote: option("--remote") };
}

/** How to start the program on the same deployment as a command with these options. */
export function programOn(program: string, { dataDir, project, remote }: DeploymentOptions): string {
  const variables = [
    [VARIABLES.project, project],
    [VARIABLES.dataDir, dataDir],
    [COMMAND_VARIABLES.remote, remote],
  ] as const;
  const set = variables.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${shellWord(value)}`]));
  return [...set, program].join(" ");
}
