import { Type } from "../../terms/schema/type.ts";
import { defineCommand } from "../../admin/cli/command.ts";
import { SHELLS } from "../../admin/cli/completion/shells.ts";

export default defineCommand({
  summary: "Print a script that completes commands, options and values in a shell",
  description:
    "Pressing Tab starts no program and calls no service. Print the script again after an upgrade. bash: put it into ~/.local/share/bash-completion/completions/datarun. zsh: into a file _datarun in a folder of $fpath. fish: into ~/.config/fish/completions/datarun.fish.",
  example: "bash > ~/.local/share/bash-completion/completions/datarun",
  input: Type.Object(
    { shell: Type.Enum([...SHELLS], { description: "The shell", "x-says": "must be bash, zsh or fish" }) },
    { additionalProperties: false },
  ),
  positional: ["shell"],
  begin: async ({ shell }, known) =>
    (await import("../../admin/cli/completion/print-completion.ts")).printCompletion(shell, known),
});
