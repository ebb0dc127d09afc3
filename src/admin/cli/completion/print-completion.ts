import { write } from "../command-io.ts";
import type { KnownCommands } from "../command.ts";
import { bashScript } from "./bash-script.ts";
import { readCommandTree } from "./command-tree.ts";
import { fishScript } from "./fish-script.ts";
import type { Shell } from "./shells.ts";
import { zshScript } from "./zsh-script.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Prints a completion script for a shell. The script starts no program. */
export async function printCompletion(shell: Shell, known: KnownCommands): Promise<number> {
  await write(process.stdout, SCRIPTS[shell](await readCommandTree(known)));
  return 0;
}
