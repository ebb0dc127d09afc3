import type { CommandNode } from "./command-tree.ts";
import { bashScript } from "./bash-script.ts";
import { fishScript } from "./fish-script.ts";
import type { Shell } from "./shells.ts";
import { zshScript } from "./zsh-script.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** A script for a shell that suggests what may come next, without starting a program. */
export function completionScript(shell: Shell, tree: readonly CommandNode[]): string {
  return SCRIPTS[shell](tree);
}
