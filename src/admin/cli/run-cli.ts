import { didYouMeanAnyOf } from "../../terms/text/nearest.ts";
import type { GivenToVerbs, Need } from "../needs.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { checkInput, InputError, isStreamed, runVerb, streamVerb } from "../run-verb.ts";
import type { Verb } from "../verb.ts";
import { type Clock, systemClock } from "../../terms/time/clock.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import { type CommandForm, isLasting, type KnownCommands, type LastingCommand } from "./command.ts";
import { type CommandIo, typedText, write } from "./command-io.ts";
import { helpOn, helpOnAll, helpOnNoun, usageLine } from "./help.ts";
import { type CommandShape, shapeOf } from "./options.ts";
import { type ParsedCommand, parseCommand, usage } from "./parse-command.ts";
import { readFields } from "./read-fields.ts";
import { readFiles } from "./read-text-file.ts";
import { printable, printableJson, printableLines } from "../../terms/text/printable.ts";
import { renderResult } from "./render.ts";
import { EXIT, reportFailure } from "./report-failure.ts";
import { openProgress, reportInterruption } from "./progress.ts";
import { asTyped, deploymentIn, programOn } from "./typed-commands.ts";
import { findRemote, type Remote } from "./remote/find-remote.ts";
import { openTerminal } from "./terminal.ts";
import { writeText } from "./write-text.ts";
import { stepsOf } from "../../terms/json/json-pointer.ts";

export interface CliDeps extends KnownCommands {
  /** The installed version, for `--version`. */
  version(): Promise<string>;
  /** The system's clock if left out. */
  readonly clock?: Clock;
  /** Opens the deployment for the verb. Called once, after the command line was checked; `close` always follows. */
  open(place: DeploymentSelection, needs: readonly Need[], note: (sentence: string) => void): Promise<OpenedForVerb>;
  /** Watches the files of the deployment's project, from before the first reading. @throws OperatorError without one */
  watch?(place: DeploymentSelection): Promise<ProjectChanges>;
}

/** The changes of a project's files. */
export interface ProjectChanges {
  /** Resolves after the next change with the files changed since the last, as paths in the project. */
  next(): Promise<readonly string[]>;
  close(): void;
}

export interface DeploymentSelection {
  readonly dataDir: string | undefined;
  readonly project: string | undefined;
  /** Whether the verb may create a store if there is none. */
  readonly makesStore: boolean;
  /** Counts how often a command has opened the deployment. Code is loaded again at each. */
  readonly reading?: number;
}

export interface OpenedForVerb {
  /** At least the verb's needs, without those that the command line itself provides. */
  readonly given: GivenToVerbs;
  close(): Promise<void>;
}

/**
 * Runs one command line and returns its exit code: 0 done, 1 failed, 2 usage error. Standard output carries the result
 * and nothing else; with `--json` exactly one JSON value, also when the command fails: `{"error":{"code","message"}}`.
 */
export async function runCli(argv: readonly string[], streams: CommandIo, deps: CliDeps): Promise<number> {
  const json = argv.includes("--json");
  const program = () => programOn(deps.program?.() ?? "datarun", deploymentIn(argv));
  const cli = { ...deps, program };
  const io = { ...streams, typed: (text: string) => asTyped(text, program) };
  try {
    const answer = await answerTo(argv, io, cli, json);
    if (answer.text !== "") await write(io.stdout, answer.text);
    return answer.exitCode;
  } catch (thrown) {
    return reportFailure(thrown, io, json);
  }
}

/** The text for standard output, and the exit code. */
interface CommandResult {
  readonly text: string;
  readonly exitCode: number;
}

async function answerTo(typed: readonly string[], io: CommandIo, cli: CliDeps, json: boolean): Promise<CommandResult> {
  const argv = withRemoteLast(typed);
  const [noun] = argv;
  const { verbs } = cli;
  const asksForHelp = argv.some((arg) => arg === "--help" || arg === "-h");
  if (noun === "--version" || noun === "version") {
    const version = await cli.version();
    return { text: json ? `${printableJson({ version })}\n` : `datarun ${version}\n`, exitCode: EXIT.done };
  }
  if (noun === undefined || noun === "help" || noun.startsWith("-")) {
    const help = await helpOnAll(verbs, cli.lasting);
    if (noun === "help" || asksForHelp) return helpText(help, io, json);
    const namesNone = argv.every((arg) => arg.startsWith("-"));
    throw usage(namesNone ? help : "Give the command first, then its options.");
  }
  const found = await findCommand(wordsBeforeOptions(argv), cli);
  if (typeof found === "string") {
    const help = await helpOnNoun(found, verbs);
    if (asksForHelp) return helpText(help, io, json);
    throw usage(help);
  }
  const { name, command, args } = { ...found, args: argv.slice(found.name.split(" ").length) };
  if (asksForHelp) return helpText(helpOn(name, command), io, json);
  if (isLasting(command)) return { text: "", exitCode: await begin(name, command, args, cli) };
  return runCommand(name, command, args, io, cli, json);
}

interface FoundCommand {
  readonly name: string;
  readonly command: Verb | LastingCommand;
}

function wordsBeforeOptions(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((arg) => arg.startsWith("-"));
  return end === -1 ? argv : argv.slice(0, end);
}

/**
 * Finds a command by its first two or three words. For an incomplete name returns its noun, such as `token` or
 * `credential price`.
 * @throws OperatorError for an unknown command
 */
async function findCommand(words: readonly string[], cli: CliDeps): Promise<FoundCommand | string> {
  const { verbs, lasting } = cli;
  const ofTwo = words.slice(0, 2).join(" ");
  const name = Object.hasOwn(lasting, ofTwo) ? ofTwo : words[0]!;
  if (Object.hasOwn(lasting, name)) return { name, command: (await lasting[name]!()).default };
  for (let length = 1; length <= words.length; length += 1) {
    const name = words.slice(0, length).join(" ");
    if (verbs.names.includes(name)) return { name, command: await verbs.load(name) };
    if (!verbs.names.some((known) => known.startsWith(`${name} `))) throw unknownCommand(name, cli);
  }
  return words.join(" ");
}

/** Moves `--remote URL` behind the command, because a user may write it first. */
function withRemoteLast(argv: readonly string[]): readonly string[] {
  const [first = "", ...others] = argv;
  const isSeparate = first === "--remote";
  if (!isSeparate && !first.startsWith("--remote=")) return argv;
  const [given, rest] = isSeparate ? [others.slice(0, 1), others.slice(1)] : [[], others];
  const words = wordsBeforeOptions(rest);
  return [...words, first, ...given, ...rest.slice(words.length)];
}

async function begin(name: string, command: LastingCommand, args: readonly string[], cli: CliDeps): Promise<number> {
  const shape = shapeOf(command);
  return inWordsOf(name, command, shape, async () =>
    command.begin(checkInput(command, parseCommand(args, shape).input), cli),
  );
}

/** A verb as it was typed, with its checked input. */
interface TypedVerb {
  readonly name: string;
  readonly verb: Verb;
  readonly input: object;
  readonly command: ParsedCommand;
  readonly io: CommandIo;
  readonly cli: CliDeps;
}

async function runCommand(
  name: string,
  verb: Verb,
  args: readonly string[],
  io: CommandIo,
  cli: CliDeps,
  json: boolean,
): Promise<CommandResult> {
  const shape = shapeOf(verb);
  const { result, isPrinted } = await inWordsOf(name, verb, shape, async () => {
    const command = parseCommand(args, shape);
    const fields = command.fields === null ? undefined : await readFields(command.fields, io);
    const given = await readFiles(command.input, [...shape.positional, ...shape.options]);
    const input = fields === undefined ? given : { ...given, [command.fields!.property]: fields };
    const typed = { name, verb, input: checkInput(verb, input), command, io, cli };
    // Standard output is for either the result or the text.
    const isPrinted = !isStreamed(verb) || command.file !== undefined;
    if (json && !isPrinted) throw usage("With --json, give FILE: the text would go to standard output.");
    const remote = findRemote(command.remote, io.env);
    if (command.watch) return watchAndRun(typed, remote);
    return { isPrinted, result: await (remote === null ? runOpened(typed) : runElsewhere(typed, remote)) };
  });
  return resultText(verb, result, isPrinted, json, io);
}

function resultText(
  verb: Verb,
  result: JsonObject | null,
  isPrinted: boolean,
  json: boolean,
  io: CommandIo,
): CommandResult {
  // The reader has closed standard output.
  if (result === null) return { text: "", exitCode: EXIT.done };
  const exitCode = verb.hasFailed?.(result) === true ? (verb.failureExitCode ?? EXIT.failed) : EXIT.done;
  if (!isPrinted) return { text: "", exitCode };
  if (json) return { text: `${printableJson(result)}\n`, exitCode };
  // Logs of functions, replies of vendors and messages of a service may contain control characters.
  const rendered = verb.render?.(result, (text) => typedText(text, io)) ?? renderResult(result, verb);
  return { text: printableLines(rendered), exitCode };
}

/** Loads the code for remote services only when it is used. */
async function runElsewhere(typed: TypedVerb, remote: Remote): Promise<JsonObject | null> {
  const { name, verb, input, command, io, cli } = typed;
  const { runRemotely } = await import("./remote/run-remotely.ts");
  const progress = openProgress(io, cli.clock ?? systemClock, command.json);
  const interruptedMessage = verb.interrupted === undefined ? null : "The command continues in the service.";
  return reportInterruption(interruptedMessage, progress, io, () =>
    runRemotely(name, verb, input, command, remote, progress, io),
  );
}

async function runOpened(typed: TypedVerb, reading = 0): Promise<JsonObject | null> {
  const { name, verb, input, command, io, cli } = typed;
  const { dataDir, project, json, file } = command;
  const where = { dataDir, project, makesStore: verb.makesStore === true, reading };
  const progress = openProgress(io, cli.clock ?? systemClock, json);
  const opened = await cli.open(where, verb.needs, progress.note);
  const terminal = openTerminal(io);
  const { onProgress } = progress;
  try {
    const given = { ...opened.given, onProgress, terminal: () => terminal };
    return await reportInterruption(verb.interrupted ?? null, progress, io, async () => {
      if (!isStreamed(verb)) return runVerb(name, verb, input, given);
      const { growSlowly } = await import("../../terms/platform/grow-slowly.ts");
      growSlowly();
      const { pieces } = await streamVerb(name, verb, input, given);
      return writeText(pieces, file, io);
    });
  } finally {
    terminal.close();
    await opened.close();
  }
}

/** Runs the verb at once and after each change of the project, until the process is interrupted. */
async function watchAndRun(typed: TypedVerb, remote: Remote | null): Promise<never> {
  const { verb, input, command, io, cli } = typed;
  const { dataDir, project, json } = command;
  const refusal = verb.refuseWatch!({ ...input }) ?? (json ? "--watch does not go with --json." : null);
  if (refusal !== null) throw usage(refusal);
  if (remote !== null || cli.watch === undefined) throw usage("--watch works on the files of this machine only.");
  const changes = await cli.watch({ dataDir, project, makesStore: false });
  try {
    for (let reading = 1; ; reading += 1) {
      try {
        const result = await runOpened(typed, reading);
        await write(io.stdout, resultText(verb, result, true, false, io).text);
      } catch (thrown) {
        // A file is often broken while it is being written.
        if (thrown instanceof OperatorError && thrown.code === "usage") throw thrown;
        await reportFailure(thrown, io, false);
      }
      const changed = await changes.next();
      await write(io.stdout, printableLines(`\nChanged: ${changed.join(", ")}\n`));
    }
  } finally {
    changes.close();
  }
}

/** Describes invalid input by option names, and adds the usage line. */
async function inWordsOf<Result>(
  name: string,
  command: CommandForm,
  shape: CommandShape,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof InputError) {
      const said = thrown.problems.map(({ path, message }) => `${wordFor(path, shape)} ${message}.`).join("\n");
      throw usage(`${said}\n${usageLine(name, command)}`);
    }
    if (thrown instanceof OperatorError && thrown.code === "usage") {
      throw usage(`${thrown.message}\n${usageLine(name, command)}`);
    }
    throw thrown;
  }
}

function wordFor(path: string, { positional, options }: CommandShape): string {
  const [property = ""] = stepsOf(path);
  const byPosition = positional.find((option) => option.property === property);
  if (byPosition !== undefined) return byPosition.placeholder;
  const filling = options.filter((option) => option.property === property);
  return filling.length === 0 ? path : filling.map(({ name }) => `--${name}`).join(" or ");
}

function unknownCommand(name: string, { verbs, lasting }: CliDeps): OperatorError {
  const known = [...verbs.names, ...Object.keys(lasting)];
  // Both words were given, so suggesting one of them does not help.
  const nouns = name.includes(" ") ? [] : known.map((command) => command.split(" ")[0]!);
  const hint = didYouMeanAnyOf(name, [...new Set([...known, ...nouns])]) ?? '"datarun --help" lists all.';
  return usage(`Unknown command "${printable(name).slice(0, 60)}". ${hint}`);
}

function helpText(help: string, io: CommandIo, json: boolean): CommandResult {
  return { text: json ? `${printableJson({ help })}\n` : typedText(help, io), exitCode: EXIT.done };
}
