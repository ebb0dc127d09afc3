import { write } from "../cli/command-io.ts";
import type { KnownCommands } from "../cli/command.ts";
import { completionScript } from "../cli/completion/completion-script.ts";
import { readCommandTree } from "../cli/completion/command-tree.ts";
import type { Shell } from "../cli/completion/shells.ts";

export async function printCompletion(shell: Shell, known: KnownCommands): Promise<number> {
  await write(process.stdout, completionScript(shell, await readCommandTree(known)));
  return 0;
}
