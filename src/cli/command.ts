import type { Static, TObject } from "typebox";
import type { Verb } from "../admin/verb.ts";

/** What a command says of itself, from which its options, checks and help are derived. A verb is one as it stands. */
export type CommandForm = Pick<Verb, "summary" | "description" | "example" | "input" | "positional">;

/** A command that goes on until it is stopped, such as the service: it has no result, and its options are its own. */
export interface LastingCommand<Input extends TObject = TObject> extends CommandForm {
  readonly input: Input;
  /** Begins. Resolves with 0 once it runs and goes on by itself, or with the exit code when it cannot; then it has said why. */
  begin(input: Static<Input>): Promise<number>;
}

/** By name; each is loaded when it is asked for. */
export type LastingCommands = Readonly<Record<string, () => Promise<{ readonly default: LastingCommand }>>>;

/** Gives a command its types while it is written, and returns it as every command is seen from outside. */
export function defineCommand<Input extends TObject>(command: LastingCommand<Input>): LastingCommand {
  return command as unknown as LastingCommand;
}

export function isLasting(command: CommandForm): command is LastingCommand {
  return "begin" in command;
}
