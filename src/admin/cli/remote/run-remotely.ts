import type { Verb } from "../../verb.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { type ParsedCommand, usage } from "../parse-command.ts";
import { isStreamed } from "../../run-verb.ts";
import { writeText } from "../write-text.ts";
import type { CommandIo } from "../command-io.ts";
import { askRemote, readRemote, type RemoteObserver } from "./ask-remote.ts";
import type { Remote } from "./find-remote.ts";

/**
 * Runs a verb in a remote service, and shows its remarks and progress as a local run does. @throws OperatorError,
 * RemoteDefect
 */
export async function runRemotely(
  name: string,
  verb: Verb,
  input: object,
  { dataDir, project, file }: ParsedCommand,
  remote: Remote,
  told: RemoteObserver,
  io: CommandIo,
): Promise<JsonObject | null> {
  const { terminalOnly = [] } = verb;
  if (terminalOnly === true)
    throw usage(`"${name}" works only on the machine where it is typed. It was to be done at ${remote.url.href}.`);
  const own = terminalOnly.find((property) => Object.hasOwn(input, property));
  if (own !== undefined) throw usage(`--${own.replaceAll("_", "-")} works only on the machine where it is typed.`);
  if (dataDir !== undefined || project !== undefined)
    throw usage(`${dataDir === undefined ? "--project" : "--data-dir"} is the service's own at ${remote.url.href}.`);
  return isStreamed(verb)
    ? writeText(readRemote(remote, name, input, told.note), file, io)
    : askRemote(remote, name, input, told);
}
