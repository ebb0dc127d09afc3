import type { Verb } from "../../admin/verb.ts";
import type { JsonObject } from "../../terms/json.ts";
import { printable } from "../../terms/printable.ts";
import { type CommandIo, write } from "../command-io.ts";
import { type ParsedCommand, usage } from "../parse-command.ts";
import { isStreamed } from "../../admin/run-verb.ts";
import { writeText } from "../write-text.ts";
import { askRemote, readRemote } from "./ask-remote.ts";
import type { Remote } from "./find-remote.ts";

/** Runs a verb in a service, and prints its remarks as if it had run here. @throws OperatorError, RemoteDefect */
export async function runRemotely(
  name: string,
  verb: Verb,
  input: object,
  { dataDir, project, file }: ParsedCommand,
  remote: Remote,
  io: CommandIo,
): Promise<JsonObject | null> {
  const { terminalOnly = [] } = verb;
  if (terminalOnly === true)
    throw usage(`"${name}" works only on the machine where it is typed. It was to be done at ${remote.url.href}.`);
  const own = terminalOnly.find((property) => Object.hasOwn(input, property));
  if (own !== undefined) throw usage(`--${own.replaceAll("_", "-")} works only on the machine where it is typed.`);
  if (dataDir !== undefined || project !== undefined)
    throw usage(`${dataDir === undefined ? "--project" : "--data-dir"} is the service's own at ${remote.url.href}.`);
  const notes: string[] = [];
  const note = (sentence: string) => void notes.push(sentence);
  try {
    if (isStreamed(verb)) return await writeText(readRemote(remote, name, input, note), file, io);
    return await askRemote(remote, name, input, note);
  } finally {
    for (const note of notes) await write(io.stderr, `${printable(note)}\n`);
  }
}
