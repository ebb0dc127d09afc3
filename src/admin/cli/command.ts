import type { Static, TObject } from "typebox";
import type { VerbSet } from "../find-verbs.ts";
import type { Verb } from "../verb.ts";

/** The declaration of a command, from which its options, checks and help are derived. Every verb is one. */
export type CommandForm = Pick<Verb, "summary" | "description" | "example" | "input" | "positional"> &
  Partial<Pick<Verb, "stream" | "refuseWatch" | "terminalOnly">>;

/** A command that runs until it is stopped, such as the service. It has no result, and only its own options. */
export interface LastingCommand<Input extends TObject = TObject> extends CommandForm {
  readonly input: Input;
  /**
   * Starts the command. Resolves with 0 once it runs. If it cannot start, prints the reason and resolves with the exit
   * code.
   */
  begin(input: Static<Input>, known: KnownCommands): Promise<number>;
}

/** Every verb and command of the command line. */
export interface KnownCommands {
  readonly verbs: VerbSet;
  readonly lasting: LastingCommands;
  /** How a person starts a command of the same deployment, such as `npx datarun`; `datarun` if left out. */
  readonly program?: (() => string) | undefined;
}

/** Commands by name; each is loaded when it is used. */
export type LastingCommands = Readonly<Record<string, () => Promise<{ readonly default: LastingCommand }>>>;

/** Infers the type of a command's input, and returns the command as the type that all commands share. */
export function defineCommand<Input extends TObject>(command: LastingCommand<Input>): LastingCommand {
  return command as unknown as LastingCommand;
}

export function isLasting(command: CommandForm): command is LastingCommand {
  return "begin" in command;
}
